package main

import (
	"context"
	"fmt"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/kernels"
)

// standing is a candidate's trial with a word on it for whoever reigns; the word is empty where there is nothing to doubt it
// with, or by: of recordings, and of the naive start.
func (r *record) standing(c kernels.Candidate) (t kernels.Trial, word string) {
	t, err := r.Trial(c.ID)
	if err != nil || r.Meta().Device.Kind == "replay" || c.Origin.Operator == naiveStart && len(t.Parts) == 0 {
		return t, ""
	}
	return t, string(t.Standing())
}

// showTrial lists what a champion stood, where it can be doubted.
func (a *app) showTrial(r *record, c kernels.Candidate) {
	t, word := r.standing(c)
	if word == "" {
		return
	}
	fmt.Fprintf(a.Out, "\ntrial\n")
	table := figures.Trial(t)
	table.Indent, table.Width = "  ", console.Width(a.Out)
	table.Write(a.Out)
}

// tryCandidate holds a candidate against every doubt and stores what came of it.
func (a *app) tryCandidate(ctx context.Context, s *session.Session, r *record, job *kernels.Job, id kernels.ID) (kernels.Trial, error) {
	ev, ok := s.Evaluator.(evolve.Doubter)
	if !ok {
		return kernels.Trial{}, exit.Usagef("--trial: %s cannot run a kernel", s.Device().Label())
	}
	known := kernels.Trial{ID: id}
	for _, part := range kernels.WholeTrial {
		a.Sayf("on trial: %s ...", part)
		t, err := ev.Trial(ctx, job, part)
		if err != nil {
			return known, err
		}
		known.Enter(t.Parts...)
		known.At, known.Proof = t.At, t.Proof
		if known.Fault() != nil {
			break
		}
	}
	return known, r.PutTrial(known)
}

// fallenError refuses a candidate that fell on trial where only one that is believed will do.
func (r *record) fallenError(c kernels.Candidate) error {
	t, err := r.Trial(c.ID)
	if err != nil {
		return err
	}
	if f := t.Fault(); f != nil {
		return exit.Usagef("candidate %s fell on trial (%s): %s", c.ID.Short(), f.Part, report.FirstLine(f.Detail))
	}
	return nil
}

// trialText is one line for whoever is shown with its trial; empty where there is none to speak of.
func (r *record) trialText(c kernels.Candidate) string {
	t, word := r.standing(c)
	champion, _ := r.Champion()
	if word == "" || len(t.Parts) == 0 && c.ID != champion {
		return ""
	}
	if len(t.Parts) == 0 {
		return fmt.Sprintf("%s: nothing was tried yet: darwarp verify %s %s --trial", word, r.Path(), c.ID.Short())
	}
	return t.Text()
}
