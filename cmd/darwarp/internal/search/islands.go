package search

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/models"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/remote"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// Unlike devices of a fleet are islands: each kind has a search in this process, with a population, a champion, a bar
// and a run's file of its own, for neither times nor machine code of two can be compared. A champion is a hint to the
// other searches, which judge it themselves. They are all here, so that nothing but this process has to know of hints.

// mostFound bounds the kinds of devices that wait for their search to begin; a fleet has fewer.
const mostFound = 64

// islands are the searches of a fleet.
type islands struct {
	first *Search
	found chan remote.Island
	work  sync.WaitGroup

	over context.CancelFunc // no more islands are begun

	mu    sync.Mutex
	all   []*shore
	notes []string // for people, once the screen is free
}

// shore is one search of a fleet. The islands' lock holds for it.
type shore struct {
	*Search
	running *evolve.Search // nil: it has not begun
	stand   kernels.Island
	at      time.Duration    // elapsed
	best    *kernels.Variant // the champion's; nil: it is the naive start, or a whole kernel
	met     bool             // it knows of the others' champions
	drains  bool
}

func newIslands(first *Search) *islands {
	return &islands{first: first, found: make(chan remote.Island, mostFound)}
}

// begin begins to search on each kind of device that the fleet finds; firstEnded and wait are to be called afterwards.
// All three do nothing without a fleet.
func (a *islands) begin(stop *console.Interrupts) {
	if a == nil {
		return
	}
	var ctx context.Context
	ctx, a.over = context.WithCancel(stop.Soft)
	spent, err := elapsedOf(a.first.Run) // the search, which reads the same, tells what is wrong with it
	if err != nil {
		spent = 0
	}
	a.enter(stop.Soft, &shore{Search: a.first, at: spent})
	a.work.Go(func() {
		for {
			select {
			case i := <-a.found:
				a.work.Go(func() { a.search(ctx, i, stop) })
			case <-ctx.Done():
				return
			}
		}
	})
}

// firstEnded begins no more islands. What has ended the first search ends the others, unless it was a budget: each has
// its own, but for time, which ends for all at once.
func (a *islands) firstEnded(why evolve.Reason) {
	if a == nil {
		return
	}
	a.over()
	if why.Spent() || why == evolve.ReasonExhausted {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, x := range a.all[1:] {
		if search := x.running; search != nil && !x.drains {
			a.work.Go(func() { // it has ended, or hears
				_ = search.Steer(context.Background(), evolve.Command{Do: "stop"})
			})
		}
	}
}

// wait waits until the islands' searches have ended and measured their winners.
func (a *islands) wait() {
	if a == nil {
		return
	}
	a.over()
	a.work.Wait()
	for _, note := range a.notes {
		a.first.say("%s", note)
	}
}

// search searches on an island, from opening its run to the measurement at the end.
func (a *islands) search(ctx context.Context, i remote.Island, stop *console.Interrupts) {
	hard, abort := context.WithCancel(stop.Hard)
	defer abort()
	unhook := context.AfterFunc(ctx, func() { abortUnmanned(hard, i, abort) })
	defer unhook()
	label := i.Device().Label()
	s, err := a.open(stop.Soft, i)
	if err == nil {
		a.enter(stop.Soft, &shore{Search: s, stand: kernels.Island{Device: label, Run: s.Run.Path()}})
		s.List("")
		s.say("an island of its own, in %s", s.Run.Path())
		_, _, err = s.Execute(&console.Interrupts{Soft: stop.Soft, Hard: hard}, unseen)
		err = errors.Join(err, s.Close())
	}
	if err != nil && stop.Soft.Err() == nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.notes = append(a.notes, fmt.Sprintf("%s: its search has ended: %v", label, err))
	}
}

// unseen shows nothing: the first search has the screen, and an island its socket and its file.
func unseen(_ *evolve.Search, events <-chan evolve.Event) error {
	for range events {
	}
	return nil
}

// patience is how long an island without a worker goes on when the first search has ended.
const patience = 2 * time.Minute

// abortUnmanned ends a search that only waits for workers that do not come.
func abortUnmanned(ctx context.Context, i remote.Island, abort func()) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for seen := time.Now(); ctx.Err() == nil; {
		select {
		case <-ctx.Done():
		case now := <-tick.C:
			if i.Manned() {
				seen = now
			} else if now.Sub(seen) > patience {
				abort()
			}
		}
	}
}

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
	spent, err := elapsedIn(x.Store)
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

// elapsedIn is how long a run was searched before; 0: there is none.
func elapsedIn(path string) (time.Duration, error) {
	if !exists(path) {
		return 0, nil
	}
	run, err := store.View(path)
	if err != nil {
		return 0, err
	}
	took, err := elapsedOf(run)
	return took, errors.Join(err, run.Close())
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
