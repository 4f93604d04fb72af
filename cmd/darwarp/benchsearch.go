package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/eval/replay"
	"darwarp/evolve"
	"darwarp/kernels"
)

// marks are the numbers of evaluations after which a search is scored.
var marks = []int{50, 100, 200, 400}

func (a *app) benchSearchCmd() *cobra.Command {
	var seeds, jobs int
	var asJSON bool
	c := &cobra.Command{
		Use:   "search RECORDING...",
		Short: "Score the strategies on recordings: how near the optimum after 50, 100, 200, 400 evaluations",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("expected: %s", c.UseLine())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if seeds < 1 || jobs < 1 {
				return usagef("--seeds and --jobs: expected at least 1")
			}
			stop := onInterrupt(c.Context())
			defer stop.release()
			return stop.explain(a.benchSearch(stop.soft, args, seeds, jobs, asJSON))
		},
	}
	c.Flags().IntVar(&seeds, "seeds", 20, "searches of each strategy")
	c.Flags().IntVar(&jobs, "jobs", 8, "candidates in flight")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// scored is one strategy on one recording.
type scored struct {
	Recording string    `json:"recording"`
	Strategy  string    `json:"strategy"`
	Seeds     int       `json:"seeds"`
	Marks     []int     `json:"marks"`
	Median    []float64 `json:"median"`   // by mark: optimum over the best found, 1 is the optimum
	Quartile  []float64 `json:"quartile"` // lower quartile
}

func (a *app) benchSearch(ctx context.Context, paths []string, seeds, jobs int, asJSON bool) error {
	var all []scored
	for _, path := range paths {
		rec, err := readRecording(path)
		if err != nil {
			return err
		}
		g, err := newGround(rec, jobs)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		a.sayf("%s: %s on %s, %s points, %d of them right", filepath.Base(path), rec.Problem, rec.Device.Name, report.Count(rec.Len()), g.right)
		for _, strategy := range evolve.Strategies() {
			x, err := g.score(ctx, strategy, seeds)
			if err != nil {
				return err
			}
			x.Recording = filepath.Base(path)
			all = append(all, x)
		}
	}
	if asJSON {
		return a.printJSON(all)
	}
	head := []string{"recording", "strategy"}
	for _, m := range marks {
		head = append(head, fmt.Sprintf("after %d", m))
	}
	t := report.NewTable("llrrrr", head...)
	for _, x := range all {
		row := []any{x.Recording, x.Strategy}
		for i := range marks {
			row = append(row, fmt.Sprintf("%.3f (%.3f)", x.Median[i], x.Quartile[i]))
		}
		t.Row(row...)
	}
	t.Write(a.out)
	a.sayf("\nOptimum over the best found: median of %d seeds, lower quartile in parentheses; 1 is the optimum.", seeds)
	return nil
}

// ground is a recording to search on.
type ground struct {
	cfg   evolve.Config
	ev    *replay.Evaluator
	best  float64 // score of the optimum, relative to the naive start
	right int     // points that work
}

func newGround(rec *replay.Record, jobs int) (*ground, error) {
	b, err := recordedBundle(rec)
	if err != nil {
		return nil, err
	}
	spaces, err := rec.Spaces(b.Families)
	if err != nil {
		return nil, err
	}
	ev, err := replay.New(rec, nil, jobs)
	if err != nil {
		return nil, err
	}
	g := &ground{ev: ev, cfg: evolve.Config{Bundle: b, DType: rec.DType, Workloads: rec.Workloads, Spaces: spaces, Budget: evolve.Budget{Evals: slices.Max(marks)}}}
	return g, g.optimum()
}

// optimum asks for every point's verdict.
func (g *ground) optimum() error {
	base := map[string]float64{}
	verdict := func(f *kernels.Family, genes kernels.Genome) (kernels.Result, error) {
		return g.ev.Evaluate(context.Background(), &kernels.Job{Variant: kernels.Variant{Family: f.Name, Genes: genes}})
	}
	naive, err := verdict(g.cfg.Spaces[0].Family, g.cfg.Spaces[0].Family.Defaults())
	if err != nil {
		return err
	}
	if naive.Outcome != kernels.OK {
		return fmt.Errorf("the naive start was not recorded as right (%s)", naive.Outcome)
	}
	for _, t := range naive.Times {
		base[t.Workload] = t.Median
	}
	g.best = math.Inf(1)
	for _, s := range g.cfg.Spaces {
		for i := range s.Len() {
			r, err := verdict(s.Family, s.Genome(s.At(i)))
			if err != nil || r.Outcome != kernels.OK {
				continue
			}
			score, err := kernels.Score(r.Times, base, g.cfg.Workloads)
			if err != nil {
				return err
			}
			g.right++
			g.best = min(g.best, score)
		}
	}
	return nil
}

// score runs a strategy with so many seeds.
func (g *ground) score(ctx context.Context, strategy string, seeds int) (scored, error) {
	found := make([][]float64, len(marks))
	for seed := range seeds {
		curve, err := g.search(ctx, strategy, uint64(seed+1))
		if err != nil {
			return scored{}, err
		}
		for i, score := range curve {
			found[i] = append(found[i], g.best/score)
		}
	}
	x := scored{Strategy: strategy, Seeds: seeds, Marks: marks}
	for _, f := range found {
		slices.Sort(f)
		x.Median, x.Quartile = append(x.Median, quantile(f, 0.5)), append(x.Quartile, quantile(f, 0.25))
	}
	return x, nil
}

// search runs one search and gives the best score after each mark. One that ends early keeps its last.
func (g *ground) search(ctx context.Context, strategy string, seed uint64) ([]float64, error) {
	cfg := g.cfg
	cfg.Strategy, cfg.Seed = strategy, seed
	s, err := evolve.New(cfg, g.ev, nil)
	if err != nil {
		return nil, err
	}
	curve := make([]float64, len(marks))
	_, err = s.Run(ctx, func(e evolve.Event) {
		if e.Kind != evolve.KindResult && e.Kind != evolve.KindEnd {
			return
		}
		for i, m := range marks {
			if e.Evals <= m || curve[i] == 0 {
				curve[i] = e.Best
			}
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	return curve, err
}

// quantile interpolates in sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	lo := int(at)
	hi := min(lo+1, len(sorted)-1)
	return sorted[lo] + (at-float64(lo))*(sorted[hi]-sorted[lo])
}
