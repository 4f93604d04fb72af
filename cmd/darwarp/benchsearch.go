package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/scoring"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
)

type benchSearchFlags struct {
	seeds, jobs int
	strategies  []string
	json        bool
	hints       int
	mislead     bool
	others      bool
}

func (a *app) benchSearchCmd() *cobra.Command {
	var f benchSearchFlags
	c := &cobra.Command{
		Use:   "search RECORDING...",
		Short: "Score the strategies on recordings: how near the optimum after 50, 100, 200, 400 evaluations",
		Long: "search runs every strategy with many seeds on recorded spaces: darwarp's own recordings, Kernel Tuner caches and\n" +
			"T4 results. A cell is optimum over best found: median, (lower quartile), share of searches that found the optimum.\n" +
			"The score goes to the point where random search is expected to be 95 % of the way from the median to the optimum,\n" +
			"by evaluations and by time: 0 is random search, 1 the optimum at once. Marks of other tuners stand beside, where\n" +
			"the space is one that they were run on.",
		Example: "  darwarp bench search gemm.json.gz --seeds 50 --strategies evolve,random",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.Usagef("expected: %s", c.UseLine())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			stop := console.OnInterrupt(c.Context())
			defer stop.Release()
			return stop.Explain(a.benchSearch(stop.Soft, args, f))
		},
	}
	c.Flags().IntVar(&f.seeds, "seeds", 50, "searches of each strategy")
	c.Flags().IntVar(&f.jobs, "jobs", 1, "candidates in flight; the others' marks are of 1")
	c.Flags().StringSliceVar(&f.strategies, "strategies", evolve.Strategies(), "which strategies")
	c.Flags().IntVar(&f.hints, "hints", 0, "begin each search as with --from a run of so many random points of the same space")
	c.Flags().BoolVar(&f.mislead, "mislead", false, "with --hints: the worst points are given out as the best")
	c.Flags().BoolVar(&f.others, "others", false, "list every strategy of the others, not only the best of each column")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	return c
}

func (f *benchSearchFlags) check() error {
	if f.seeds < 1 || f.jobs < 1 {
		return exit.Usagef("--seeds and --jobs: expected at least 1")
	}
	if f.hints < 0 || f.mislead && f.hints == 0 {
		return exit.Usagef("--hints: expected a number of points, 0 for none; --mislead needs some")
	}
	for _, s := range f.strategies {
		if !slices.Contains(evolve.Strategies(), s) {
			return exit.Usagef("--strategies %q: expected some of %s", s, strings.Join(evolve.Strategies(), ", "))
		}
	}
	if len(f.strategies) == 0 {
		return exit.Usagef("--strategies: expected some of %s", strings.Join(evolve.Strategies(), ", "))
	}
	return nil
}

// spaceScores is one recording with everybody's figures.
type spaceScores struct {
	Recording string            `json:"recording"`
	KnownAs   string            `json:"known_as,omitempty"` // the space's name in the others' marks
	Problem   string            `json:"problem"`
	Device    string            `json:"device"`
	Points    int               `json:"points"`
	Right     int               `json:"right"`
	CutOff    int               `json:"cut_off_evaluations"`
	Seconds   float64           `json:"cut_off_seconds"`
	Own       []scoring.Figures `json:"strategies"`
	Random    scoring.Figures   `json:"random_exact"`
	Others    []scoring.Figures `json:"others,omitempty"`
}

// searchScores is what `bench search --json` prints.
type searchScores struct {
	Marks     []int             `json:"marks"`
	Spaces    []spaceScores     `json:"spaces"`
	Mean      []scoring.Figures `json:"mean"`
	Random    scoring.Figures   `json:"mean_random_exact"`
	Others    []scoring.Figures `json:"mean_others,omitempty"` // where they were run on all of the spaces
	Demanding []scoring.Figures `json:"others_eight_spaces,omitempty"`
	Source    string            `json:"others_source,omitempty"`
}

func (a *app) benchSearch(ctx context.Context, paths []string, f benchSearchFlags) error {
	marks := scoring.ReadOthers()
	out := searchScores{Marks: scoring.Marks}
	for _, path := range paths {
		x, err := a.scoreSpace(ctx, path, f, marks)
		if err != nil {
			return err
		}
		out.Spaces = append(out.Spaces, *x)
		if x.KnownAs != "" {
			out.Source, out.Demanding = marks.Source, marks.Demanding()
		}
		if !f.json {
			a.writeSpace(x, f.others)
		}
	}
	out.mean()
	if f.json {
		return a.PrintJSON(out)
	}
	if len(out.Spaces) > 1 {
		a.writeMeans(&out, f.others)
	}
	a.Sayf("\nOptimum over the best found: median of %d seeds, (lower quartile), share that found the optimum; 1 is the optimum.\n"+
		"score: part of the way from random search to the optimum, up to the cut-off.", f.seeds)
	if out.Source != "" {
		a.Sayf("others: %s", out.Source)
	}
	return nil
}

func (a *app) scoreSpace(ctx context.Context, path string, f benchSearchFlags, marks scoring.Others) (*spaceScores, error) {
	rec, err := session.ReadRecording(path)
	if err != nil {
		return nil, err
	}
	b, err := session.RecordedBundle(rec)
	if err != nil {
		return nil, exit.Usagef("%s: %v", path, err)
	}
	g, err := scoring.NewGround(rec, b, f.jobs)
	if err != nil {
		return nil, exit.Usagef("%s: %v", path, err)
	}
	if f.hints > 0 {
		g.Hint(scoring.Hinting{Points: f.hints, Mislead: f.mislead})
	}
	x := &spaceScores{Recording: filepath.Base(path), Problem: rec.Problem, Device: rec.Device.Name,
		Points: rec.Len(), Right: len(g.Values), CutOff: g.CutOff, Seconds: g.Limit, Random: g.Exact()}
	if known, ok := marks.Find(rec); ok {
		x.KnownAs, x.Others = known.Name, marks.On(known.Name)
	}
	a.Sayf("%s: %s on %s, %s points, %d of them right; 95 %% cut-off after %s, %s", x.Recording, x.Problem, x.Device,
		report.Count(x.Points), x.Right, report.Quantity(x.CutOff, "evaluation"), report.Duration(time.Duration(x.Seconds*float64(time.Second))))
	for _, strategy := range f.strategies {
		runs, err := g.Searches(ctx, strategy, f.seeds)
		if err != nil {
			return nil, err
		}
		figures := g.Figures(strategy, runs)
		if strategy != "random" {
			figures.Against(x.Random)
		}
		x.Own = append(x.Own, figures)
	}
	return x, nil
}

// mean condenses the spaces. Others have a mean where they have marks on every space.
func (s *searchScores) mean() {
	var own, random, others [][]scoring.Figures
	for _, x := range s.Spaces {
		own, random, others = append(own, x.Own), append(random, []scoring.Figures{x.Random}), append(others, x.Others)
	}
	s.Mean, s.Random, s.Others = scoring.Mean(own), scoring.Mean(random)[0], scoring.Mean(others)
}

func (a *app) writeSpace(x *spaceScores, all bool) {
	t := scoreTable(x.Recording)
	for _, f := range x.Own {
		t.Row(scoreRow(f.Strategy, f)...)
	}
	t.Row(scoreRow("random, exact", x.Random)...)
	addOthers(t, x.Others, all)
	t.Write(a.Out)
	fmt.Fprintln(a.Out)
}

func (a *app) writeMeans(s *searchScores, all bool) {
	t := scoreTable(fmt.Sprintf("mean of %d spaces", len(s.Spaces)))
	for _, f := range s.Mean {
		t.Row(scoreRow(f.Strategy, f)...)
	}
	t.Row(scoreRow("random, exact", s.Random)...)
	addOthers(t, s.Others, all)
	if len(s.Demanding) > 0 {
		t.Row(scoreRow("best of others, eight spaces", scoring.BestOf(s.Demanding))...)
	}
	t.Write(a.Out)
}

func addOthers(t *report.Table, others []scoring.Figures, all bool) {
	if len(others) > 0 {
		t.Row(scoreRow(fmt.Sprintf("best of %d others", len(others)), scoring.BestOf(others))...)
	}
	for _, f := range others {
		if all {
			t.Row(scoreRow("  "+f.Strategy, f)...)
		}
	}
}

func scoreTable(what string) *report.Table {
	head := []string{what}
	for _, m := range scoring.Marks {
		head = append(head, fmt.Sprintf("after %d", m))
	}
	return report.NewTable("lllllrrl", append(head, "score, evals", "score, time", "")...)
}

// scoreRow writes what there is of the figures: the others have medians alone.
func scoreRow(name string, f scoring.Figures) []any {
	row := []any{name}
	for i := range scoring.Marks {
		switch {
		case f.Median[i] == 0:
			row = append(row, "-")
		case f.Found == nil:
			row = append(row, fmt.Sprintf("%.2f", f.Median[i]))
		default:
			row = append(row, fmt.Sprintf("%.3f (%.3f) %3.0f%%", f.Median[i], f.Quartile[i], 100*f.Found[i]))
		}
	}
	for _, score := range []*float64{f.ByEvals, f.ByTime} {
		if score == nil {
			row = append(row, "-")
		} else {
			row = append(row, fmt.Sprintf("%.3f", *score))
		}
	}
	if len(f.Worse) > 0 {
		row = append(row, "WORSE THAN RANDOM: "+strings.Join(f.Worse, ", "))
	}
	return row
}
