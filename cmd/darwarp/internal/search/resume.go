package search

import (
	"context"
	"errors"
	"slices"

	"darwarp/cmd/darwarp/internal/models"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// resume opens a run to go on with it, on the device that it was begun on.
func (s *Search) resume(ctx context.Context) (err error) {
	o := &s.Options
	o.Resume = record.Locate(o.Resume)
	if err := record.CheckFile(o.Resume); err != nil {
		return err
	}
	if s.Run, err = store.Open(o.Resume); err != nil {
		return err
	}
	if what := s.Run.Remark(); what != "" {
		s.say("%s", what)
	}
	if err := s.hasBaselines(); err != nil {
		return err
	}
	if err := s.goOnUntil(); err != nil {
		return err
	}
	m := s.Run.Meta()
	o.Strategy, o.Seed, o.Objective, o.Portfolio = m.Strategy, m.Seed, string(m.Objective), m.Portfolio
	s.goElsewhere()
	opened, err := session.OpenFor(ctx, m, o.Target, s.say)
	if err != nil {
		return err
	}
	s.Session = opened
	if err := errors.Join(startFrom(s.Session, s.Run), s.proveGate(ctx)); err != nil {
		return err
	}
	before, err := s.Run.Exchanges()
	if err != nil {
		return err
	}
	if s.advisor, err = models.Open(&o.Models, s.Session, m.LLM, before, s.say); err != nil {
		return err
	}
	return remember(s.Session.Evaluator, s.Run)
}

// goOnUntil takes the last session's budget where none is named, and refuses one that leaves nothing to do.
func (s *Search) goOnUntil() (err error) {
	o := &s.Options
	if o.Budget == (store.Budget{}) {
		if o.Budget, err = record.Budget(s.Run); err != nil {
			return err
		}
	}
	over, err := evolve.Over(s.Run, evolve.Budget(o.Budget), s.Run.Meta().Device.Kind == "replay")
	if err == nil && over.Reason != "" {
		err = spent(o.Resume, o.Budget, over)
	}
	return err
}

// hasBaselines refuses names of what the run's problem is not compared with.
func (s *Search) hasBaselines() error {
	r, err := record.Of(s.Run)
	if err != nil {
		return err
	}
	return session.HasBaselines(r.Bundle.Problem, s.Options.Baselines)
}

// remember tells an evaluator which machine code was judged in earlier sessions.
func remember(ev evolve.Evaluator, run *store.Run) error {
	known := ev.Capabilities().Remember
	if known == nil {
		return nil
	}
	return run.Each(func(c kernels.Candidate) error {
		if c.Result.Outcome != kernels.Duplicate {
			known(c.Result.Code, c.ID)
		}
		return nil
	})
}

// startFrom puts the family first that a run has its naive start from: earlier versions went by the names of families
// alone.
func startFrom(s *session.Session, run *store.Run) error {
	naive, err := run.Start()
	if err != nil || naive == nil {
		return err
	}
	at := slices.IndexFunc(s.Spaces, func(x *kernels.Space) bool { return x.Family.Name == naive.Variant.Family })
	if at > 0 {
		s.Spaces = slices.Concat(s.Spaces[at:at+1], s.Spaces[:at], s.Spaces[at+1:])
	}
	return nil
}
