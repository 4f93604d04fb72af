package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/registry"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
	"darwarp/store"
)

func (a *app) runsCmd() *cobra.Command {
	var asJSON bool
	c := command("runs", func(c *cobra.Command, _ []string) error { return a.runs(c.Context(), asJSON) })
	addJSON(c, &asJSON)
	return c
}

// statusPatience is how long a live search may take to say how it is.
const statusPatience = time.Second

func (a *app) runs(ctx context.Context, asJSON bool) error {
	all, err := registry.List()
	if err != nil {
		return err
	}
	shown := []registry.Entry{} // [] in JSON
	for _, e := range all {
		if _, err := os.Stat(e.Path); err == nil {
			shown = append(shown, upToDate(ctx, e))
		}
	}
	if asJSON {
		return a.PrintJSON(shown)
	}
	if len(shown) == 0 {
		a.Sayf("No runs yet. Start one with: darwarp search PROBLEM")
		return nil
	}
	t := report.NewTable("lllrrll", "name", "problem", "state", "evals", "best", "device", "started")
	for _, e := range shown {
		best := "-"
		if e.Over() > 0 {
			best = report.Headline(e.Over(), e.Estimate)
		}
		t.Row(e.Name, e.Problem, stateText(e), report.Count(e.Evals), best, e.Device, e.Started.Format("2006-01-02 15:04"))
	}
	t.Width = console.Width(a.Out)
	t.Write(a.Out)
	return nil
}

func stateText(e registry.Entry) string {
	if e.State == registry.Ended && e.Reason != "" {
		return "ended: " + e.Reason
	}
	return e.State
}

// upToDate asks a live search for its figures; of one that was killed they are in its file.
func upToDate(ctx context.Context, e registry.Entry) registry.Entry {
	switch e.State {
	case registry.Ended:
		return e
	case registry.Killed:
		if run, err := store.View(e.Path); err == nil {
			score := championScore(run)
			pace, _ := run.Pace() // without one the score says it
			e.Stand(tallied(run.Counts()), score, pace.Speedup(score), pace.Estimate)
			_ = run.Close() // a view
		}
		return e
	}
	ctx, cancel := context.WithTimeout(ctx, statusPatience)
	defer cancel()
	s, err := store.AskStatus(ctx, e.Path)
	if err != nil {
		e.State += ", not responding"
		return e
	}
	e.Stand(tallied(s.Counts), s.Score, s.Speedup, s.Estimate)
	return e
}

// tallied are the verdicts, duplicates not counted.
func tallied(counts map[kernels.Outcome]int) int {
	n := 0
	for o, k := range counts {
		if o != kernels.Duplicate {
			n += k
		}
	}
	return n
}

func championScore(run *store.Run) float64 {
	id, ok := run.Champion()
	if !ok {
		return 0
	}
	c, err := run.Get(id)
	if err != nil {
		return 0
	}
	return c.Score
}
