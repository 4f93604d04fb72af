package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/scoring"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
)

// Search says which strategies are scored, and how.
type Search struct {
	Seeds, Jobs int
	Strategies  []string
	JSON        bool
	Hints       int
	Mislead     bool
	Others      bool
}

// What is kept of all searches has to fit into memory: hundreds of bytes of each, and each candidate in flight.
const (
	maxSeeds    = 100_000
	maxInFlight = 1024
)

// Check refuses what cannot be scored.
func (f *Search) Check() error {
	switch {
	case f.Seeds < 1 || f.Seeds > maxSeeds:
		return exit.Usagef("--seeds %d: expected 1 to %d", f.Seeds, maxSeeds)
	case f.Jobs < 1 || f.Jobs > maxInFlight:
		return exit.Usagef("--jobs %d: expected 1 to %d", f.Jobs, maxInFlight)
	case f.Hints < 0:
		return exit.Usagef("--hints %d: expected a number of points, 0 for none", f.Hints)
	case f.Mislead && f.Hints == 0:
		return exit.Usagef("--mislead says how hints are given: add --hints")
	}
	for _, s := range f.Strategies {
		if !slices.Contains(evolve.Strategies(), s) {
			return exit.Usagef("--strategies %q: expected some of %s", s, strings.Join(evolve.Strategies(), ", "))
		}
	}
	if len(f.Strategies) == 0 {
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

// Run scores the strategies on the recordings in paths.
func (f Search) Run(ctx context.Context, con *console.Console, paths []string) error {
	marks := scoring.ReadOthers()
	out := searchScores{Marks: scoring.Marks}
	for _, path := range paths {
		x, err := scoreSpace(ctx, con, path, f, marks)
		if err != nil {
			return err
		}
		out.Spaces = append(out.Spaces, *x)
		if x.KnownAs != "" {
			out.Source, out.Demanding = marks.Source, marks.Demanding()
		}
		if !f.JSON {
			writeSpace(con, x, f.Others)
		}
	}
	out.mean()
	if f.JSON {
		return con.PrintJSON(out)
	}
	if len(out.Spaces) > 1 {
		writeMeans(con, &out, f.Others)
	}
	con.Sayf("\nOptimum over the best found: median of %d seeds, (lower quartile), share that found the optimum; 1 is "+
		"the optimum.\n"+
		"score: how far from random search (0) to the optimum (1), up to the cut-off.", f.Seeds)
	if out.Source != "" {
		con.Sayf("others: %s", out.Source)
	}
	return nil
}

func scoreSpace(
	ctx context.Context, con *console.Console, path string, f Search, marks scoring.Others,
) (*spaceScores, error) {
	rec, err := session.ReadRecording(path)
	if err != nil {
		return nil, err
	}
	b, err := session.RecordedBundle(rec)
	if err != nil {
		return nil, exit.Usagef("%s: %v", path, err)
	}
	g, err := scoring.NewGround(rec, b, f.Jobs)
	if err != nil {
		return nil, exit.Usagef("%s: %v", path, err)
	}
	if f.Hints > 0 {
		g.Hint(scoring.Hinting{Points: f.Hints, Mislead: f.Mislead})
	}
	x := &spaceScores{Recording: filepath.Base(path), Problem: rec.Problem, Device: rec.Device.Name,
		Points: rec.Len(), Right: len(g.Values), CutOff: g.CutOff, Seconds: g.Limit, Random: g.Exact()}
	if known, ok := marks.Find(rec); ok {
		x.KnownAs, x.Others = known.Name, marks.On(known.Name)
	}
	con.Sayf("%s: %s on %s, %s points, %d of them right; 95 %% cut-off after %s, %s",
		x.Recording, x.Problem, x.Device, report.Count(x.Points), x.Right, report.Quantity(x.CutOff, "evaluation"),
		report.Duration(time.Duration(x.Seconds*float64(time.Second))))
	for _, strategy := range f.Strategies {
		runs, err := g.Searches(ctx, strategy, f.Seeds)
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

func writeSpace(con *console.Console, x *spaceScores, all bool) {
	t := scoreTable(x.Recording)
	for _, f := range x.Own {
		t.Row(scoreRow(f.Strategy, f)...)
	}
	t.Row(scoreRow("random, exact", x.Random)...)
	addOthers(t, x.Others, all)
	t.Write(con.Out)
	fmt.Fprintln(con.Out)
}

func writeMeans(con *console.Console, s *searchScores, all bool) {
	t := scoreTable(fmt.Sprintf("mean of %d spaces", len(s.Spaces)))
	for _, f := range s.Mean {
		t.Row(scoreRow(f.Strategy, f)...)
	}
	t.Row(scoreRow("random, exact", s.Random)...)
	addOthers(t, s.Others, all)
	if len(s.Demanding) > 0 {
		t.Row(scoreRow("best of others, eight spaces", scoring.BestOf(s.Demanding))...)
	}
	t.Write(con.Out)
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
