// Package search runs a search in this process, from opening the device and the run's file to the measurement at the
// end.
package search

import (
	"context"
	"errors"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/models"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/cmd/darwarp/internal/view"
	"darwarp/evolve"
	"darwarp/store"
)

// Search is a search of this process: a device that is open, and a run's file that is written.
type Search struct {
	Options Options
	Session *session.Session
	Run     *store.Run

	advisor   *models.Advisor
	hints     []evolve.Hint // of the run that Options.From names
	listeners []func(evolve.Event)
	listing   listing
	islands   *islands             // the searches on other kinds of devices; nil: there is no fleet
	began     func(*evolve.Search) // hears that it searches; nil: nobody does
	skip      context.CancelFunc   // ends what follows the search; nil: nothing does
	ended     evolve.Summary
	worked    bool // the session has had a verdict, a duel or a trial
	say       func(string, ...any)
}

// Show shows events until there are no more. Its error is that of writing them.
type Show func(search *evolve.Search, events <-chan evolve.Event) error

// Open opens the device and the run's file, new or old, and tests the gate.
func Open(ctx context.Context, o Options, say func(string, ...any)) (*Search, error) {
	if err := o.checkThen(); err != nil {
		return nil, err
	}
	s := &Search{Options: o, say: say}
	if o.Resume == "" {
		if err := o.HasBaselines(o.Baselines); err != nil {
			return nil, err
		}
	}
	open := s.begin
	if o.Resume != "" {
		open = s.resume
	}
	if err := open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close closes the device and the run's file.
func (s *Search) Close() (err error) {
	if s.Session != nil {
		err = s.Session.Close()
	}
	if s.Run != nil {
		err = errors.Join(err, s.Run.Close())
	}
	s.listing.end(s.ended)
	return err
}

// Listen has a function called with each event of the search. It must be quick; nil is none.
func (s *Search) Listen(fn func(evolve.Event)) {
	if fn != nil {
		s.listeners = append(s.listeners, fn)
	}
}

// idle reports whether a session had nothing to do, for the run's budget was used up before.
func (s *Search) idle(sum evolve.Summary) bool {
	return s.Options.Resume != "" && !s.worked && sum.Reason.Spent()
}

// Record is the run as it is read.
func (s *Search) Record() *record.Record { return &record.Record{Run: s.Run, Bundle: s.Session.Bundle} }

// Drive searches while its events go to the socket, the listeners and the screen, and measures nothing afterwards.
func (s *Search) Drive(stop *console.Interrupts, show Show) (evolve.Summary, error) {
	search, err := evolve.New(s.config(), s.Session.Evaluator, s.Run)
	if err != nil {
		return evolve.Summary{}, err
	}
	if s.advisor != nil {
		defer s.advisor.Close()
	}
	if s.began != nil {
		s.began(search)
	}
	server := serve(s.Run, steerer(search, s.skip), s.say)
	defer server.close()
	detach := context.AfterFunc(stop.Hard, search.Abort)
	defer detach()
	events := make(chan evolve.Event, view.EventQueue)
	shown := make(chan error, 1)
	s.Options.Watch.Begin("searching")
	go func() { shown <- show(search, events) }()
	endSnapshots := keepSnapshots(s.Run, s.say)
	sum, err := search.Run(stop.Soft, func(e evolve.Event) {
		server.publish(e)
		if e.Kind == evolve.KindDrain {
			s.Options.Watch.Begin("trials and what is in flight")
		}
		s.worked = s.worked || e.Kind == evolve.KindResult || e.Kind == evolve.KindDuel || e.Kind == evolve.KindTrial
		for _, listen := range s.listeners {
			listen(e)
		}
		events <- e
	})
	endSnapshots(err == nil)
	err = errors.Join(err, s.Session.Follow(s.Run))
	close(events)
	if outErr := <-shown; err == nil {
		err = outErr
	}
	s.ended = sum
	return sum, err
}

func (s *Search) config() evolve.Config {
	o, x := s.Options, s.Session
	cfg := evolve.Config{
		Bundle: x.Bundle, DType: x.DType, Workloads: x.Workloads, Objective: x.Objective, Portfolio: o.Portfolio,
		Spaces: x.Spaces, Strategy: o.Strategy, Seed: o.Seed, Budget: evolve.Budget(o.Budget), Hints: s.hints, Log: o.Log,
		GenesOnly: x.Device().Kind == "replay",
	}
	if s.advisor != nil { // a nil pointer would not be nil in it
		cfg.Advisor = s.advisor.Advisor
	}
	return cfg
}
