package search

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/gatecheck"
	"darwarp/cmd/darwarp/internal/models"
	"darwarp/cmd/darwarp/internal/remote"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/store"
)

// begin opens the device and a new run.
func (s *Search) begin(ctx context.Context) error {
	o := &s.Options
	if err := o.CheckStore(); err != nil {
		return err
	}
	found, err := readPast(o.From)
	if err != nil {
		return err
	}
	o.Target.Foreign = o.Models.Config != "" || o.From != ""
	s.goElsewhere()
	if err := cmp.Or(o.checkPortfolio(), found.helps(*o)); err != nil {
		return err
	}
	opened, err := session.Open(ctx, o.Target, s.say)
	if err != nil {
		return err
	}
	s.Session = opened
	if o.Portfolio > 1 && len(s.Session.Workloads) < 2 {
		return o.oneShape()
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

// longestName bounds the name of a run's file in bytes: what is made beside it has its name and some letters more, and
// file systems take 255.
const longestName = 200

// CheckStore refuses, before the device is opened, a file that cannot become the run's.
func (o Options) CheckStore() error {
	if o.Store == "" { // DefaultStore is of this folder
		if err := files.Writable("."); err != nil {
			return exit.Usagef("%w: name a file elsewhere with --store", err)
		}
		return nil
	}
	if name := filepath.Base(o.Store); len(name) > longestName {
		return exit.Usagef("--store: a name of %d bytes: expected at most %d", len(name), longestName)
	}
	switch info, err := os.Stat(o.Store); {
	case err == nil && !info.Mode().IsRegular():
		return exit.Usagef("--store %s is no file: name a new one", o.Store)
	case err == nil:
		return exit.Usagef("--store %s exists already: continue it with --resume %s, or choose another name",
			o.Store, o.Store)
	}
	if err := files.Writable(filepath.Dir(o.Store)); err != nil {
		return exit.Usagef("--store %s: %w: name a file elsewhere", o.Store, err)
	}
	return nil
}

// goElsewhere has the devices of a fleet opened in place of this machine's, where that is asked for. Its keys are
// beside the run's file, which has its name from now on.
func (s *Search) goElsewhere() {
	o := &s.Options
	if o.Fleet.Listen == "" {
		return
	}
	s.islands = newIslands(s)
	o.Target.Elsewhere = func(ctx context.Context, x *session.Session, kind string) (session.Opened, error) {
		if o.Store == "" && o.Resume == "" {
			o.Store = DefaultStore(x.Bundle.Problem.Name)
		}
		var opened atomic.Bool
		defer opened.Store(true)
		w := remote.Want{At: o.Fleet, Kind: kind, Run: cmp.Or(o.Resume, o.Store), GateTest: o.GateTest,
			Unlike: func(i remote.Island) { s.islands.found <- i },
			Say: func(format string, args ...any) {
				if !o.Viewed || !opened.Load() { // who comes and goes later, the view and fleet status tell
					s.say(format, args...)
				}
			}}
		if s.Run != nil {
			w.Device = s.Run.Meta().Device
		}
		f, err := remote.Open(ctx, x, w)
		if err != nil { // a nil evaluator would not be nil in it
			return nil, err
		}
		return beside{f, s.islands}, nil
	}
}

// proveGate tests the gate of the device, where that is asked for. Workers of a fleet have tested theirs.
func (s *Search) proveGate(ctx context.Context) error {
	if !s.Options.GateTest || s.Options.Fleet.Listen != "" {
		return nil
	}
	s.Options.Watch.Begin("testing the gate")
	return gatecheck.Prove(ctx, s.Options.Target, s.Session, s.say)
}

// meta is what a new run is about.
func (s *Search) meta() store.Meta {
	o, x := s.Options, s.Session
	return store.Meta{
		Version: session.Version(), Created: time.Now().UTC().Truncate(time.Second),
		Problem: x.Bundle.Problem.Name, Files: x.Bundle.Files, DType: x.DType, Workloads: x.Workloads,
		Goal: store.Goal{Objective: x.Objective, Portfolio: o.Portfolio}, Device: x.Device(), Strategy: o.Strategy,
		Seed: o.Seed,
		Pins: x.Pins, Cache: x.Cache, Budget: o.Budget, LLM: s.advisor.Stored(),
	}
}

// checkPortfolio refuses, before a device is opened, several kernels for one shape.
func (o Options) checkPortfolio() error {
	if o.Portfolio < 2 || session.IsFile(o.Problem) {
		return nil
	}
	about, err := o.Target.Read()
	if err == nil && len(about.Workloads) < 2 {
		err = o.oneShape()
	}
	return err
}

func (o Options) oneShape() error {
	return exit.Usagef("--portfolio %d: one shape needs one kernel: name several with --workload", o.Portfolio)
}
