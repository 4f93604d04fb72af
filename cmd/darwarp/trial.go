package main

import (
	"context"
	"fmt"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/kernels"
)

// showTrial lists what a champion stood, where it can be doubted.
func (a *app) showTrial(r *record.Record, c kernels.Candidate) {
	t, word := r.Standing(c)
	if word == "" {
		return
	}
	fmt.Fprintf(a.Out, "\ntrial\n")
	table := figures.Trial(t)
	table.Indent, table.Width = "  ", console.Width(a.Out)
	table.Write(a.Out)
}

// tryCandidate holds a candidate against every doubt and stores what came of it.
func (a *app) tryCandidate(ctx context.Context, s *session.Session, r *record.Record, job *kernels.Job, id kernels.ID) (kernels.Trial, error) {
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
