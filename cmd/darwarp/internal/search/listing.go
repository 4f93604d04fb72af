package search

import (
	"darwarp/cmd/darwarp/internal/registry"
	"darwarp/evolve"
)

// listing keeps a search's entry in the registry. The zero value keeps none.
type listing struct {
	entry registry.Entry
	say   func(string, ...any)
}

// listen keeps the state up to date.
func (l *listing) listen(e evolve.Event) {
	states := map[evolve.Kind]string{evolve.KindPaused: registry.Paused, evolve.KindResumed: registry.Running,
		evolve.KindDrain: registry.Stopping}
	if state := states[e.Kind]; state != "" {
		l.entry.Stand(e.Evals, e.Reign, e.Speedup, e.Estimate)
		l.set(state)
	}
}

func (l *listing) set(state string) {
	if l.entry.Name == "" {
		return
	}
	l.entry.State = state
	if err := l.entry.Save(); err != nil {
		l.say("the registry of runs cannot be written: %v", err)
	}
}

// end says how the search ended.
func (l *listing) end(sum evolve.Summary) {
	l.entry.Reason = string(sum.Reason)
	l.entry.Stand(sum.Evals, sum.Score, sum.Speedup, sum.Estimate)
	l.set(registry.Ended)
}

// List enters the search in the registry of runs; log is that of a search in the background, else empty. Without a
// registry it can still be watched by its path.
func (s *Search) List(log string) {
	e, err := registry.Add(registry.Entry{
		Path: s.Run.Path(), Problem: s.Session.Bundle.Problem.Name, Device: s.Session.Device().Label(), Log: log,
	})
	if err != nil {
		s.say("`darwarp runs` does not list this run: %v", err)
		return
	}
	s.listing = listing{entry: e, say: s.say}
	s.Listen(s.listing.listen)
}
