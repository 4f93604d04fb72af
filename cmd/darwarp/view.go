package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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

// viewOptions are what every view may do.
func (a *app) viewOptions(path string) tui.Options {
	command := func(do string, args []string) (evolve.Command, error) { return steerFlags{}.command(path, do, args) }
	return tui.Options{UTF8: tui.UTF8(), Command: command, Export: func(ctx context.Context, id kernels.ID, dir string) (string, error) {
		r, err := record.Open(path)
		if err != nil {
			return "", err
		}
		var said bytes.Buffer
		quiet := &app{Console: &console.Console{In: a.In, Out: io.Discard, Err: &said}}
		err = errors.Join(quiet.export(ctx, dir, nil, r, id.String()), r.Close())
		text := fmt.Sprintf("Wrote %s to %s; how to prove it is in its README.md.", id.Short(), dir)
		if first, _, _ := strings.Cut(said.String(), "\n"); strings.HasPrefix(first, "warning: ") {
			text = fmt.Sprintf("Wrote %s to %s, %s", id.Short(), dir, first)
		}
		return text, err
	}}
}

// viewFile opens the view on a run that nobody writes; with a time, its story is told again in it.
func (a *app) viewFile(ctx context.Context, r *record.Record, replay time.Duration) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	file := tui.File{Run: r.Run, Bundle: r.Bundle}
	var src tui.Source = file
	if replay > 0 {
		src = tui.NewReplay(ctx, file, replay)
	}
	_, err := a.runView(ctx, cancel, src, a.viewOptions(r.Path()))
	return err
}

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
	_ = s.live.Follow(func(e evolve.Event) error { // how it ended is seen by the last event
		select {
		case s.events <- e:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// viewLive opens the view on a run that another process writes. It returns ErrNotServed when none does.
func (a *app) viewLive(ctx context.Context, path string) (tui.Leave, error) {
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
	o := a.viewOptions(path)
	o.Steer = true
	return a.runView(ctx, cancel, src, o)
}

// runView shows a source until the view is left, and waits until nothing reads the source any more.
func (a *app) runView(ctx context.Context, cancel func(), src tui.Source, o tui.Options) (tui.Leave, error) {
	b := tui.NewBoard()
	done := make(chan struct{})
	go func() { defer close(done); b.Follow(src) }()
	left, err := tui.Run(ctx, b, src, o, a.In, a.Out)
	cancel()
	<-done
	return left, err
}

// searchView shows a search of this process: in the view as long as that is open, else as lines.
type searchView struct {
	*app
	stop   *console.Interrupts
	search *evolve.Search
	run    *store.Run
	plain  *screen
}

// follow shows events until there are no more. When the view is left, or breaks, lines are printed.
func (v *searchView) follow(events <-chan evolve.Event) error {
	r, err := record.Of(v.run) // a bundle of the view's own: the search renders with its own
	if err != nil {
		return errors.Join(err, v.plain.follow(events))
	}
	src := tui.Local{File: tui.File{Run: v.run, Bundle: r.Bundle}, Feed: make(chan evolve.Event, eventQueue), Search: v.search}
	b := tui.NewBoard()
	go b.Follow(src)
	o := v.viewOptions(v.run.Path())
	o.Steer, o.Here, o.CloseAtEnd, o.Interrupt = true, true, true, v.stop.Press
	left := make(chan error, 1)
	go func() {
		_, err := tui.Run(context.Background(), b, src, o, v.In, v.Out)
		left <- err
	}()
	v.plain.quiet = true
	defer func() { v.plain.quiet = false }()
	for {
		select {
		case e, more := <-events:
			if !more {
				close(src.Feed)
				return v.ended(<-left)
			}
			v.plain.take(e)
			src.Feed <- e // Follow takes it whatever the screen does
		case err := <-left:
			close(src.Feed)
			v.plain.quiet = false
			v.Sayf("%s: the search goes on. Ctrl-C once finishes what is in flight and saves.", v.run.Path())
			return errors.Join(v.ended(err), v.plain.follow(events))
		}
	}
}

// ended says that the view broke, which is no reason for the search to fail.
func (v *searchView) ended(err error) error {
	if err != nil {
		v.Sayf("the view broke: %v", err)
	}
	return nil
}
