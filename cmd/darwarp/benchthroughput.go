package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

func (a *app) benchThroughputCmd() *cobra.Command {
	var t target
	var span time.Duration
	var seed uint64
	var asJSON bool
	c := &cobra.Command{
		Use:   "throughput PROBLEM|DIR|RECORDING",
		Short: "Evaluations a second on random points, and where the time goes",
		Args:  argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if span <= 0 {
				return usagef("--for %v: expected more than 0", span)
			}
			t.problem, t.uncached = args[0], true
			stop := onInterrupt(c.Context())
			defer stop.release()
			return stop.explain(a.throughput(stop.soft, t, span, seed, asJSON))
		},
	}
	c.Flags().DurationVar(&span, "for", 30*time.Second, "how long")
	c.Flags().Uint64Var(&seed, "seed", 1, "of the draw")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	t.addTo(c)
	return c
}

// rates is what throughput found.
type rates struct {
	Seconds  float64                 `json:"seconds"`
	Evals    int                     `json:"evals"`
	Rate     float64                 `json:"rate"` // a second
	Slots    int                     `json:"slots"`
	CPU      float64                 `json:"cpu"`            // seconds of processor time an evaluation, of all processes
	Cost     kernels.Cost            `json:"cost"`           // mean seconds an evaluation
	Busy     float64                 `json:"busy,omitempty"` // share of the time that the device worked
	Outcomes map[kernels.Outcome]int `json:"outcomes"`
}

func (a *app) throughput(ctx context.Context, t target, span time.Duration, seed uint64, asJSON bool) (err error) {
	s, err := a.open(ctx, t)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	a.sayf("evaluating random points of %s for %s ...", s.bundle.Problem.Name, report.Duration(span))
	short, cancel := context.WithTimeout(ctx, span)
	defer cancel()
	r := rates{Slots: s.Slots(), Outcomes: map[kernels.Outcome]int{}}
	start, spent := time.Now(), processorTime()
	for v := range evaluateAll(short, s, randomPoints(s, seed)) {
		if v.err != nil {
			if short.Err() == nil {
				err = errors.Join(err, v.err)
			}
			continue
		}
		r.add(v.c.Result)
	}
	if err != nil {
		return err
	}
	r.Seconds = time.Since(start).Seconds()
	r.Rate = float64(r.Evals) / r.Seconds
	r.CPU = (processorTime() - spent) / float64(max(1, r.Evals))
	if loaded, ok := s.Evaluator.(interface{ Load() (float64, int) }); ok {
		r.Busy, _ = loaded.Load()
	}
	if asJSON {
		return a.printJSON(r)
	}
	a.throughputText(r)
	return ctx.Err()
}

func (r *rates) add(x kernels.Result) {
	r.Evals++
	r.Outcomes[x.Outcome]++
	n := float64(r.Evals)
	mean := func(m *float64, v float64) { *m += (v - *m) / n }
	mean(&r.Cost.Compile, x.Cost.Compile)
	mean(&r.Cost.Gate, x.Cost.Gate)
	mean(&r.Cost.Time, x.Cost.Time)
	mean(&r.Cost.Wait, x.Cost.Wait)
}

// randomPoints draws without repeating, from all spaces in turn.
func randomPoints(s *session, seed uint64) iter.Seq[point] {
	rng := rand.New(rand.NewPCG(seed, 0))
	orders := make([][]int, len(s.spaces))
	for i, x := range s.spaces {
		orders[i] = rng.Perm(x.Len())
	}
	return func(yield func(point) bool) {
		for k, more := 0, true; more; k++ {
			more = false
			for i, x := range s.spaces {
				if k >= len(orders[i]) {
					continue
				}
				if more = true; !yield(point{family: x.Family, genes: x.Genome(x.At(orders[i][k]))}) {
					return
				}
			}
		}
	}
}

func (a *app) throughputText(r rates) {
	busy := ""
	if r.Busy > 0 {
		busy = report.Percent(r.Busy) + " of the time"
	}
	report.Fields(a.out, "", [2]string{"rate", fmt.Sprintf("%.2f evaluations a second (%s in %.1f s, %d slots)", r.Rate, report.Count(r.Evals), r.Seconds, r.Slots)},
		[2]string{"mean cost", fmt.Sprintf("compile %.3f s, gate %.3f s, time %.3f s, waiting %.3f s", r.Cost.Compile, r.Cost.Gate, r.Cost.Time, r.Cost.Wait)},
		[2]string{"processor", fmt.Sprintf("%.3f s an evaluation, all processes together", r.CPU)}, [2]string{"device busy", busy})
	fmt.Fprintln(a.out)
	outcomeTable(r.Outcomes).Write(a.out)
}
