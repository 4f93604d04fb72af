package view

import (
	"context"
	"errors"
	"time"

	"darwarp/cmd/darwarp/internal/attach"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/tui"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
	"darwarp/templates"
)

// socketSource is a live run as its socket tells of it.
type socketSource struct {
	live   *attach.Live
	bundle *templates.Bundle
	events chan evolve.Event
}

// Load gives the copy that the events go on from.
func (s *socketSource) Load() (*tui.State, error) {
	st, err := tui.ReadState(s.live.Run, s.bundle)
	st.Files = s.files
	return st, err
}

// files are those of the problem in a fresh copy.
func (s *socketSource) files() (map[string][]byte, error) {
	r, err := store.View(s.live.Run.Path())
	if err != nil {
		return nil, err
	}
	return r.Meta().Files, r.Close()
}

// Events is what the search tells.
func (s *socketSource) Events() <-chan evolve.Event { return s.events }

// Get finds old candidates in the copy, and others in a fresh one: a person looks at few.
func (s *socketSource) Get(id kernels.ID) (kernels.Candidate, error) {
	c, err := s.live.Run.Get(id)
	if errors.Is(err, store.ErrNotFound) {
		return viewer(s.live.Run.Path())(id)
	}
	return c, err
}

// Steer tells the search.
func (s *socketSource) Steer(ctx context.Context, c evolve.Command) error {
	return attach.Steer(ctx, s.live.Run.Path(), c)
}

// read hands the events over until there are no more.
func (s *socketSource) read(ctx context.Context) {
	defer close(s.events)
	var last evolve.Event
	hand := func(e evolve.Event) error {
		last = e
		select {
		case s.events <- e:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	_ = s.live.Follow(hand) // how it ended is seen by the last event
	tick := time.NewTicker(finalEvery)
	defer tick.Stop()
	look := func() (kernels.Pace, bool) { return lookAt(ctx, s.live.Run.Path()) }
	if e, ok := awaitFinal(ctx, last, tick.C, look); ok {
		_ = hand(e)
	}
}

// Live opens the view on a run that another process writes. It returns ErrNotServed when none does.
func Live(ctx context.Context, c *console.Console, path string, o tui.Options) (tui.Leave, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	live, err := attach.Join(ctx, path)
	if err != nil {
		return 0, err
	}
	defer live.Close()
	r, err := record.Of(live.Run)
	if err != nil {
		return 0, err
	}
	src := &socketSource{live: live, bundle: r.Bundle, events: make(chan evolve.Event)}
	go src.read(ctx)
	o.Steer = true
	return runView(ctx, cancel, c, src, o)
}

// viewer finds candidates of a live run, each time in a fresh copy: champions are rare.
func viewer(path string) func(kernels.ID) (kernels.Candidate, error) {
	return func(id kernels.ID) (kernels.Candidate, error) {
		r, err := store.View(path)
		if err != nil {
			return kernels.Candidate{}, err
		}
		c, err := r.Get(id)
		return c, errors.Join(err, r.Close())
	}
}
