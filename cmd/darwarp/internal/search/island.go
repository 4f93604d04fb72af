package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"darwarp/cmd/darwarp/internal/models"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/remote"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// open opens the run of an island: a new one like the first, or the one of an earlier session.
func (a *islands) open(ctx context.Context, i remote.Island) (s *Search, err error) {
	o, m := a.first.Options, a.first.Run.Meta()
	label := i.Device().Label()
	s = &Search{Options: o, say: func(format string, args ...any) {
		if !o.Viewed {
			a.first.say("%s: %s", label, fmt.Sprintf(format, args...))
		}
	}}
	x := &s.Options
	x.Target.Elsewhere = func(context.Context, *session.Session, string) (session.Opened, error) {
		return beside{i, a}, nil
	}
	x.Fleet, x.Models, x.From, x.Then, x.Resume = remote.Place{}, models.Options{}, "", "", ""
	x.GateTest, x.NoBaseline = false, !o.measures()
	x.Store = record.IslandPath(a.first.Run.Path(), i.Device().Name, i.Kind())
	spent, err := a.earlier(x.Store, i.Kind())
	if err != nil {
		return nil, errors.Join(err, i.Close())
	}
	if x.Budget.For > 0 {
		x.Budget.For = max(time.Second, x.Budget.For+spent-a.elapsed()) // as long as the first goes on
	}
	open := func(ctx context.Context) error { return s.settleOn(ctx, m, i.Kind()) }
	if exists(x.Store) {
		x.Resume, open = x.Store, s.resume
	}
	if err := open(ctx); err != nil {
		if s.Session == nil {
			err = errors.Join(err, i.Close())
		}
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// settleOn makes a new run like another one, on another device.
func (s *Search) settleOn(ctx context.Context, like store.Meta, kind string) (err error) {
	if s.Session, err = session.OpenTask(ctx, like, s.Options.Target, s.say); err != nil {
		return err
	}
	m := s.meta()
	m.Island = kind
	s.Run, err = store.Create(s.Options.Store, m)
	return err
}

// earlier is how long an island's run was searched before; 0: there is none. One that another search has left there, as
// where only the first run was deleted, is not gone on with.
func (a *islands) earlier(path, kind string) (took time.Duration, err error) {
	if !exists(path) {
		return 0, nil
	}
	run, err := store.View(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	m, first := run.Meta(), a.first.Run.Meta()
	if m.Island != kind || m.Problem != first.Problem || m.DType != first.DType || m.Created.Before(first.Created) {
		return 0, fmt.Errorf("%s is of another search: move it away, and start the workers again", path)
	}
	return elapsedOf(run)
}

// elapsedOf is how long a run was searched.
func elapsedOf(run *store.Run) (time.Duration, error) {
	state, err := run.Checkpoint()
	if err != nil {
		return 0, err
	}
	return evolve.ReadElapsed(state)
}

// beside is an evaluator whose machine tells of all islands.
type beside struct {
	session.Opened
	of *islands
}

// Capabilities are the evaluator's.
func (b beside) Capabilities() kernels.Capabilities {
	c := b.Opened.Capabilities()
	if inner := c.Machine; inner != nil {
		c.Machine = func(ctx context.Context) kernels.Machine {
			m := inner(ctx)
			m.Islands = b.of.stands()
			return m
		}
	}
	return c
}
