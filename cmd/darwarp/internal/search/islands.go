package search

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/remote"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/evolve"
	"darwarp/kernels"
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
	all   []*islandSearch
	notes []string // for people, once the screen is free
}

// islandSearch is one search of a fleet. The islands' lock holds for it.
type islandSearch struct {
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
	a.enter(stop.Soft, &islandSearch{Search: a.first, at: spent})
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
		a.enter(stop.Soft, &islandSearch{Search: s, stand: kernels.Island{Device: label, Run: s.Run.Path()}})
		s.List("")
		s.say("an island of its own, in %s", s.Run.Path())
		_, _, err = s.Execute(&console.Interrupts{Soft: stop.Soft, Hard: hard}, s.tell)
		err = errors.Join(err, s.Close())
	}
	if err != nil && stop.Soft.Err() == nil {
		a.note("%s: its search has ended: %v", label, err)
	}
}

// note tells people something, as soon as the screen is free.
func (a *islands) note(format string, args ...any) {
	if !a.first.Options.Viewed {
		a.first.say(format, args...)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.notes = append(a.notes, fmt.Sprintf(format, args...))
}

// tell says what matters of an island: the first search has the screen, and this one its socket and its file.
func (s *Search) tell(_ *evolve.Search, events <-chan evolve.Event) error {
	for e := range events {
		switch e.Kind {
		case evolve.KindChampion:
			s.say("champion %s  %s", e.ID.Short(), report.Headline(e.Speedup, e.Estimate))
		case evolve.KindOutage:
			s.say("outage: %s", e.Note)
		}
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
