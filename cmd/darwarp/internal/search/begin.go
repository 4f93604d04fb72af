package search

import (
	"context"
	"os"
	"time"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/gatecheck"
	"darwarp/cmd/darwarp/internal/models"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/store"
)

// begin opens the device and a new run.
func (s *Search) begin(ctx context.Context) error {
	o := &s.Options
	if _, err := os.Stat(o.Store); o.Store != "" && err == nil { // said before the device is opened, which takes a while
		return exit.Usagef("--store %s exists already: continue it with --resume %s, or choose another name",
			o.Store, o.Store)
	}
	found, err := readPast(o.From)
	if err != nil {
		return err
	}
	o.Target.Foreign = o.Models.Config != "" || o.From != ""
	opened, err := session.Open(ctx, o.Target, s.say)
	if err != nil {
		return err
	}
	s.Session = opened
	if o.Portfolio > 1 && len(s.Session.Workloads) < 2 {
		return exit.Usagef("--portfolio %d: one shape needs one kernel: name several with --workload", o.Portfolio)
	}
	if err := s.proveGate(ctx); err != nil {
		return err
	}
	if err := found.adopt(s.Session, s.say); err != nil {
		return err
	}
	s.hints = found.hints
	if o.Budget == (store.Budget{}) {
		o.Budget = defaultBudget(s.Session)
	}
	if o.Store == "" {
		o.Store = DefaultStore(s.Session.Bundle.Problem.Name)
	}
	if s.advisor, err = models.Open(&o.Models, s.Session, nil, nil, s.say); err != nil {
		return err
	}
	s.Run, err = store.Create(o.Store, s.meta())
	return err
}

// proveGate tests the gate of the device, where that is asked for.
func (s *Search) proveGate(ctx context.Context) error {
	if !s.Options.GateTest {
		return nil
	}
	return gatecheck.Prove(ctx, s.Options.Target, s.Session, s.say)
}

// meta is what a new run is about.
func (s *Search) meta() store.Meta {
	o, x := s.Options, s.Session
	return store.Meta{
		Version: session.Version(), Created: time.Now().UTC().Truncate(time.Second),
		Problem: x.Bundle.Problem.Name, Files: x.Bundle.Files, DType: x.DType, Workloads: x.Workloads,
		Objective: x.Objective, Portfolio: o.Portfolio, Device: x.Device(), Strategy: o.Strategy, Seed: o.Seed,
		Pins: x.Pins, Cache: x.Cache, Budget: o.Budget, LLM: s.advisor.Stored(),
	}
}
