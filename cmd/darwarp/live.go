package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// eventQueue is how far the screen may be behind before the search waits for it.
const eventQueue = 4096

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
	events := make(chan evolve.Event, eventQueue)
	screen := a.newScreen(f, s, run)
	show := screen.follow
	if a.CanView() && !f.plain && !f.json {
		show = (&searchView{a, stop, search, run, screen}).follow
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

// screen shows a search's events as they come.
type screen struct {
	printer   *progress.Printer
	events    *json.Encoder // stdout with --json, else nil
	find      func(kernels.ID) (kernels.Candidate, error)
	only      string // the only workload, "" with several
	simulated bool
	state     progress.State
	champion  kernels.Candidate
	columns   int       // of the terminal, 0: none
	heard     time.Time // of the last event
	quiet     bool      // the view is open: nothing is printed
}

func (a *app) newScreen(f searchFlags, s *session.Session, run *store.Run) *screen {
	sc := &screen{find: run.Get, printer: a.Printer(f.plain), columns: console.Width(a.Err), state: progress.State{Failed: failures(run.Counts())}}
	sc.state.Evals = f.budget.Evals
	if f.json {
		sc.events = json.NewEncoder(a.Out)
	}
	if len(s.Workloads) == 1 {
		sc.only = s.Workloads[0].Name
	}
	sc.state.CPU = s.Device().Kind == "cpu"
	sim, ok := s.Evaluator.(evolve.Simulated)
	sc.simulated = ok && sim.Simulated()
	return sc
}

// failures counts the candidates that failed.
func failures(counts map[kernels.Outcome]int) int {
	n := 0
	for o, k := range counts {
		if isFailure(o) {
			n += k
		}
	}
	return n
}

// isFailure reports whether an outcome counts as failed on the screen: a duplicate is no fault.
func isFailure(o kernels.Outcome) bool { return o.Failed() && o != kernels.Duplicate }

// follow shows events until there are no more. The error is that of writing to stdout.
func (s *screen) follow(events <-chan evolve.Event) (err error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	defer s.printer.Clear()
	for {
		select {
		case e, more := <-events:
			if !more {
				return err
			}
			if s.events != nil && err == nil {
				err = s.events.Encode(e)
			}
			s.take(e)
		case now := <-tick.C:
			s.printer.Tick(s.at(now), now)
		}
	}
}

// at is the state a little after the last event.
func (s *screen) at(now time.Time) progress.State {
	st := s.state
	if !s.simulated && !s.heard.IsZero() {
		since := now.Sub(s.heard)
		st.Elapsed += since
		if st.Left > 0 {
			st.Left = max(time.Second, st.Left-since)
		}
	}
	return st
}

// take brings the state up to date and says what deserves a line of its own.
func (s *screen) take(e evolve.Event) {
	s.heard = time.Now()
	s.state.Elapsed, s.state.Done, s.state.InFlight, s.state.Rate, s.state.Left = e.At, e.Evals, e.InFlight, e.Rate, e.ETA
	if e.Reign > 0 {
		s.state.Speedup = 1 / e.Reign
	}
	switch e.Kind {
	case evolve.KindResult:
		if isFailure(e.Candidate.Result.Outcome) {
			s.state.Failed++
		}
	case evolve.KindChampion:
		s.crown(e)
	case evolve.KindTrial:
		s.tried(e)
	case evolve.KindDrain:
		s.state.Draining = true
		s.say(e, "stopping: "+e.Note)
	case evolve.KindPaused, evolve.KindResumed, evolve.KindSteer:
		s.say(e, e.Note)
	case evolve.KindAdvice:
		if e.Exchange == nil { // about the models, and not one of many questions
			s.say(e, e.Note)
		}
	case evolve.KindFamily:
		s.say(e, "new family "+e.Note)
	case evolve.KindRestart:
		s.say(e, "starting anew: "+e.Note)
	case evolve.KindLost:
		s.say(e, "lost: "+e.Note)
	case evolve.KindNoise:
		s.say(e, "noise: "+e.Note)
	case evolve.KindOutage:
		s.say(e, "outage: "+e.Note)
	case evolve.KindSkip:
		if !e.ID.IsZero() { // else no verdict was wanted
			s.say(e, e.ID.Short()+" "+e.Note)
		}
	case evolve.KindDisk:
		s.say(e, "disk: "+e.Note)
	}
}

// tried tells of who fell, and of a champion that has stood all that is asked of it.
func (s *screen) tried(e evolve.Event) {
	switch {
	case e.Candidate != nil:
		s.state.Failed++
		s.say(e, e.ID.Short()+" "+report.FirstLine(e.Note))
	case e.ID != e.Champion || e.Standing != kernels.Stood:
	case e.Trial.Part(kernels.TrialLaunches).Verdict == kernels.Pending:
		s.say(e, "champion "+e.ID.Short()+" has stood its trial")
	default:
		d := e.Trial.Part(kernels.TrialLaunches)
		s.say(e, fmt.Sprintf("champion %s: %s: %s", e.ID.Short(), d.Detail, d.Verdict))
	}
}

// crown tells of a new champion with its time and what it changed.
func (s *screen) crown(e evolve.Event) {
	c, err := s.find(e.ID)
	if err != nil {
		s.say(e, "champion "+e.ID.Short())
		return
	}
	text := fmt.Sprintf("champion %s  %6s", c.ID.Short(), report.Speedup(e.Score))
	if t := report.Find(c.Result.Times, s.only); t != nil {
		text += "  " + report.Time(t.Median)
		if s.state.CPU {
			text += " CPU time"
		}
		s.state.Best = t.Median
	}
	switch {
	case s.champion.ID.IsZero():
		text += "  " + e.Note
	case c.Variant.Family == "": // it has no genes to compare
		text += "  " + c.Origin.Note
	default:
		text += "  " + report.Step(s.champion.Variant, c.Variant)
	}
	s.champion = c
	s.say(e, text)
}

func (s *screen) say(e evolve.Event, text string) {
	if s.quiet {
		return
	}
	s.printer.Message(report.Clip(fmt.Sprintf("%7s  %s", report.Duration(e.At), text), s.columns))
}
