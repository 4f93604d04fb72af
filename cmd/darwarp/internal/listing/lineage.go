package listing

import (
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

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
	Speedup    float64         `json:"speedup,omitempty"` // over the naive start
	Gain       float64         `json:"gain,omitempty"`    // its speedup over the parent's: above 1 is faster
}

// Lineage lists the steps to a candidate.
func (to Lister) Lineage(asJSON bool, r *record.Record, name string) error {
	c, err := r.Pick(name)
	if err != nil {
		return err
	}
	pace, err := r.Pace()
	if err != nil {
		return err
	}
	if asJSON {
		return to.PrintList(func(add func(any) error) error {
			return eachStep(r, pace, c, func(s, _ step) error { return add(s) })
		})
	}
	t := report.NewTable("rrlrrll", "gen", "eval", "id", "speedup", "gain", "origin", "change")
	err = eachStep(r, pace, c, func(s, before step) error {
		gain := ""
		if s.Gain > 0 {
			gain = report.Ratio(s.Gain)
		}
		change := report.Join(s.Changes)
		if f, err := r.Bundle.Family(s.Family); err == nil && !before.ID.IsZero() && before.Family != s.Family {
			change = "family " + f.Title() // whose genes are others
		}
		speedup := report.Headline(s.Speedup, pace.Estimate && s.ID == pace.Champion)
		t.Row(s.Generation, s.Seq, s.ID.Short(), speedup, gain,
			figures.OperatorText(s.Operator, s.Score), change)
		return nil
	})
	if err != nil {
		return err
	}
	t.Width = console.Width(to.Out)
	t.Write(to.Out)
	return nil
}

// eachStep calls fn with the steps to a candidate, each with the one before; the first has none.
func eachStep(r *record.Record, pace kernels.Pace, of kernels.Candidate, fn func(s, before step) error) error {
	var parent kernels.Candidate
	var before step
	return r.EachStep(of, func(c kernels.Candidate) error {
		s := step{ID: c.ID, Seq: c.Seq, Operator: c.Origin.Operator, Generation: c.Origin.Generation,
			Family: c.Variant.Family, Outcome: c.Result.Outcome, Score: c.Score,
			Speedup: pace.Speedup(c.Score)}
		if !parent.ID.IsZero() {
			s.Changes = report.Changes(parent.Variant.Genes, c.Variant.Genes)
			if before.Speedup > 0 && c.Score > 0 {
				s.Gain = s.Speedup / before.Speedup
			}
		}
		err := fn(s, before)
		parent, before = c, s
		return err
	})
}
