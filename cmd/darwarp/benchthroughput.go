package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/kernels"
)

// throughputFlags say which points are evaluated, and until when.
type throughputFlags struct {
	session.Target
	span   time.Duration // 0: until all points are
	points int           // 0: as many as there is time for
	seed   uint64
	json   bool
}

func (a *app) benchThroughputCmd() *cobra.Command {
	var f throughputFlags
	c := &cobra.Command{
		Use:   "throughput PROBLEM|DIR|RECORDING",
		Short: "Evaluations a second on random points, where the time goes, and which points are not right",
		Long: "throughput evaluates random points of all families in turn, none twice. Those that are neither right nor\n" +
			"duplicates are listed with the --gene flags that leave only that point: with them the same command tries\n" +
			"it again. --json has all of them, with all that the gate said.",
		Example: "  darwarp bench throughput attention --workload 8x16x512x64 --points 2000",
		Args:    argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.span <= 0 {
				return exit.Usagef("--for %v: expected more than 0", f.span)
			}
			if f.points < 0 || f.points == 0 && c.Flags().Changed("points") {
				return exit.Usagef("--points %d: expected 1 or more", f.points)
			}
			if f.points > 0 && !c.Flags().Changed("for") {
				f.span = 0
			}
			f.Problem, f.Uncached = args[0], true
			stop := console.OnInterrupt(c.Context())
			defer stop.Release()
			return stop.Explain(a.throughput(stop.Soft, f))
		},
	}
	c.Flags().DurationVar(&f.span, "for", 30*time.Second, "how long; with --points no longer than they take")
	c.Flags().IntVar(&f.points, "points", 0, "how many points (default: as many as there is time for)")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "of the draw")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	addTarget(c, &f.Target)
	return c
}

// rates is what throughput found.
type rates struct {
	Problem   string        `json:"problem"`
	DType     kernels.DType `json:"dtype"`
	Workloads []string      `json:"workloads"`
	Device    string        `json:"device"`
	Seed      uint64        `json:"seed"`

	Seconds  float64                            `json:"seconds"`
	Evals    int                                `json:"evals"`
	Rate     float64                            `json:"rate"` // a second
	Slots    int                                `json:"slots"`
	CPU      float64                            `json:"cpu"`            // seconds of processor time each, of all processes
	Cost     kernels.Cost                       `json:"cost"`           // mean seconds an evaluation
	Busy     float64                            `json:"busy,omitempty"` // share of the time that the device worked
	Outcomes map[kernels.Outcome]int            `json:"outcomes"`
	Families map[string]map[kernels.Outcome]int `json:"families"`
	Failed   []failedPoint                      `json:"failed,omitempty"`
}

func (a *app) throughput(ctx context.Context, f throughputFlags) (err error) {
	s, err := session.Open(ctx, f.Target, a.Sayf)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	a.Sayf("evaluating %s: %s ...", s.Bundle.Problem.Name, f.share())
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	if f.span > 0 {
		defer time.AfterFunc(f.span, cancel).Stop()
	}
	r := newRates(s, f.seed)
	start, spent := time.Now(), processorTime()
	for v := range s.EvaluateAll(short, session.FirstPoints(s.RandomPoints(f.seed), f.points)) {
		if v.Err == nil {
			r.add(v.C)
		} else if short.Err() == nil { // our own fault: what was found so far is told with it
			err = errors.Join(err, v.Err)
			cancel()
		}
	}
	r.Seconds = time.Since(start).Seconds()
	r.Rate = float64(r.Evals) / r.Seconds
	r.CPU = (processorTime() - spent) / float64(max(1, r.Evals))
	if loaded, ok := s.Evaluator.(interface{ Load() (float64, int) }); ok {
		r.Busy, _ = loaded.Load()
	}
	if f.json {
		return errors.Join(err, a.PrintJSON(r))
	}
	a.throughputText(r)
	return errors.Join(err, ctx.Err())
}

// share says how much of the space is evaluated.
func (f *throughputFlags) share() string {
	switch {
	case f.points == 0:
		return "random points for " + report.Duration(f.span)
	case f.span == 0:
		return report.Quantity(f.points, "random point")
	}
	return fmt.Sprintf("%s, for %s at most", report.Quantity(f.points, "random point"), report.Duration(f.span))
}

func newRates(s *session.Session, seed uint64) rates {
	r := rates{Problem: s.Bundle.Problem.Name, DType: s.DType, Device: s.Device().Label(), Seed: seed, Slots: s.Slots(),
		Outcomes: map[kernels.Outcome]int{}, Families: map[string]map[kernels.Outcome]int{}}
	for _, w := range s.Workloads {
		r.Workloads = append(r.Workloads, w.Name)
	}
	return r
}

func (r *rates) add(c kernels.Candidate) {
	x := c.Result
	r.Evals++
	r.Outcomes[x.Outcome]++
	of := r.Families[c.Variant.Family]
	if of == nil {
		of = map[kernels.Outcome]int{}
		r.Families[c.Variant.Family] = of
	}
	of[x.Outcome]++
	if x.Outcome != kernels.OK && x.Outcome != kernels.Duplicate {
		r.Failed = append(r.Failed, failedPoint{c.ID, c.Variant, x.Outcome, x.Detail, again(c.Variant)})
	}
	n := float64(r.Evals)
	mean := func(m *float64, v float64) { *m += (v - *m) / n }
	mean(&r.Cost.Compile, x.Cost.Compile)
	mean(&r.Cost.Gate, x.Cost.Gate)
	mean(&r.Cost.Time, x.Cost.Time)
	mean(&r.Cost.Wait, x.Cost.Wait)
}

func (a *app) throughputText(r rates) {
	busy := ""
	if r.Busy > 0 {
		busy = report.Percent(r.Busy) + " of the time"
	}
	report.Fields(a.Out, "", [2]string{"rate", fmt.Sprintf("%.2f evaluations a second (%s in %.1f s, %d slots)", r.Rate, report.Count(r.Evals), r.Seconds, r.Slots)},
		[2]string{"mean cost", fmt.Sprintf("compile %.3f s, gate %.3f s, time %.3f s, waiting %.3f s", r.Cost.Compile, r.Cost.Gate, r.Cost.Time, r.Cost.Wait)},
		[2]string{"processor", fmt.Sprintf("%.3f s an evaluation, all processes together", r.CPU)}, [2]string{"device busy", busy})
	fmt.Fprintln(a.Out)
	figures.Outcomes(r.Outcomes).Write(a.Out)
	writeFailed(a.Out, r.Failed)
}
