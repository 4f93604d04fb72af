package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/cmd/darwarp/internal/view"
	"darwarp/evolve"
	"darwarp/store"
)

// drive runs the search while its events go to the socket, the screen and, with --json, stdout.
func (a *app) drive(stop *console.Interrupts, f searchFlags, s *session.Session, run *store.Run) (evolve.Summary, error) {
	var models evolve.Advisor // a nil pointer would not be nil in it
	if f.advisor != nil {
		models = f.advisor.Advisor
		defer f.advisor.Close()
	}
	search, err := evolve.New(evolve.Config{
		Bundle: s.Bundle, DType: s.DType, Workloads: s.Workloads, Objective: s.Objective, Portfolio: f.portfolio, Spaces: s.Spaces, Strategy: f.strategy, Seed: f.seed,
		Budget: evolve.Budget(f.budget), Hints: f.hints, Log: f.Log, Advisor: models, GenesOnly: s.Device().Kind == "replay",
	}, s.Evaluator, run)
	if err != nil {
		return evolve.Summary{}, err
	}
	server := a.serve(run, steerer(search, f.skip))
	defer server.close()
	detach := context.AfterFunc(stop.Hard, search.Abort)
	defer detach()
	events := make(chan evolve.Event, view.EventQueue)
	screen := view.LinesOf(a.Console, s, run, f.budget.Evals, f.plain, f.json)
	show := screen.Follow
	if a.CanView() && !f.plain && !f.json {
		show = (&view.Here{Console: a.Console, Options: a.viewOptions(run.Path()), Interrupt: stop.Press, Search: search, Run: run, Lines: screen}).Follow
	}
	shown := make(chan error, 1)
	go func() { shown <- show(events) }()
	endSnapshots := a.keepSnapshots(run)
	sum, err := search.Run(stop.Soft, func(e evolve.Event) {
		server.publish(e)
		for _, hear := range f.hear {
			if hear != nil {
				hear(e)
			}
		}
		events <- e
	})
	endSnapshots(err == nil)
	err = errors.Join(err, s.Follow(run))
	close(events)
	if outErr := <-shown; err == nil {
		err = outErr
	}
	return sum, err
}

// snapshotEvery is how much of a run a damaged file can cost.
const snapshotEvery = 10 * time.Minute

// keepSnapshots copies the run beside itself now and then until the function that it returns is called. Where all
// went well that removes the copy, for nobody will need it.
func (a *app) keepSnapshots(run *store.Run) (end func(well bool)) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(snapshotEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-quit:
				return
			}
			if err := run.Snapshot(); err != nil { // the run itself is as it was
				a.Sayf("no snapshot of the run: %v", err)
			}
		}
	}()
	return func(well bool) {
		close(quit)
		<-done
		if !well {
			return
		}
		if err := run.DropSnapshot(); err != nil {
			a.Sayf("the snapshot of the run stays: %v", err)
		}
	}
}

// server is the run's socket, or nothing where there can be none.
type server struct{ *store.Server }

func (a *app) serve(run *store.Run, steer store.Steer) server {
	socket, err := store.SocketPath(run.Path())
	if err == nil {
		var s *store.Server
		if s, err = store.Serve(context.Background(), run, socket, steer); err == nil {
			return server{s}
		}
	}
	a.Sayf("the run cannot be watched while it is live: %v", err)
	return server{}
}

func (s server) publish(e evolve.Event) {
	if s.Server == nil {
		return
	}
	if data, err := json.Marshal(e); err == nil { // plain data: it marshals
		s.Server.Publish(data)
	}
}

func (s server) close() {
	if s.Server != nil {
		s.Server.Close() // the socket of a process that is about to end
	}
}
