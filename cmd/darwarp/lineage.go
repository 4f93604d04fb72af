package main

import (
	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

func (a *app) lineageCmd() *cobra.Command {
	var asJSON bool
	c := command("lineage", func(_ *cobra.Command, args []string) error {
		return record.With(args[0], func(r *record.Record) error { return a.lineage(asJSON, r, arg(args, 1)) })
	})
	addJSON(c, &asJSON)
	return c
}

// step is one candidate of a lineage with what it changed.
type step struct {
	ID         kernels.ID      `json:"id"`
	Seq        int             `json:"seq"`
	Operator   string          `json:"operator"`
	Generation int             `json:"generation"`
	Family     string          `json:"family,omitempty"`
	Changes    []report.Change `json:"changes"`
	Outcome    kernels.Outcome `json:"outcome"`
	Score      float64         `json:"score,omitempty"`
	Gain       float64         `json:"gain,omitempty"` // the parent's score over this one's: above 1 is faster
}

func (a *app) lineage(asJSON bool, r *record.Record, name string) error {
	c, err := r.Pick(name)
	if err != nil {
		return err
	}
	path, err := r.Lineage(c)
	if err != nil {
		return err
	}
	steps := stepsOf(path)
	if asJSON {
		return a.PrintJSON(steps)
	}
	t := report.NewTable("rrlrrll", "gen", "eval", "id", "speedup", "gain", "origin", "change")
	for i, s := range steps {
		gain := ""
		if s.Gain > 0 {
			gain = report.Ratio(s.Gain)
		}
		change := report.Join(s.Changes)
		if f, err := r.Bundle.Family(s.Family); err == nil && i > 0 && steps[i-1].Family != s.Family {
			change = "family " + f.Title() // whose genes are others
		}
		t.Row(s.Generation, s.Seq, s.ID.Short(), report.Speedup(s.Score), gain, s.Operator, change)
	}
	t.Width = console.Width(a.Out)
	t.Write(a.Out)
	return nil
}

func stepsOf(path []kernels.Candidate) []step {
	var steps []step
	for i, c := range path {
		s := step{ID: c.ID, Seq: c.Seq, Operator: c.Origin.Operator, Generation: c.Origin.Generation,
			Family: c.Variant.Family, Outcome: c.Result.Outcome, Score: c.Score}
		if i > 0 {
			s.Changes = report.Changes(path[i-1].Variant.Genes, c.Variant.Genes)
			if before := path[i-1].Score; before > 0 && c.Score > 0 {
				s.Gain = before / c.Score
			}
		}
		steps = append(steps, s)
	}
	return steps
}
