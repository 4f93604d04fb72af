// Package tui is the terminal view of a run: what a search is doing, what it found, and the keys that
// steer it. It shows a search in this process, one that is served on a socket, or a finished file, all
// through Source.
package tui

import (
	"context"
	"errors"

	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
	"darwarp/templates"
)

// Source is where a view takes a run from.
type Source interface {
	// Load gives what is stored now.
	Load() (*State, error)
	// Events tells what happens after Load was called, or a little before. It is nil for a run that
	// nobody writes, and closed when the search has ended.
	Events() <-chan evolve.Event
	// Get gives one candidate whole.
	Get(kernels.ID) (kernels.Candidate, error)
	// Steer asks the search to do something. Its error is one line that says what was wrong.
	Steer(context.Context, evolve.Command) error
}

// State is what a run's file holds.
type State struct {
	Path      string
	Meta      store.Meta
	Bundle    *templates.Bundle
	Len       int  // candidates
	Replayed  bool // the story of a finished run, told again
	Pace      kernels.Pace
	Baselines []kernels.BaselineResult
	Duels     []kernels.Duel // in order
	Champions []store.Champion
	Standings map[kernels.ID]kernels.Standing // of those that were on trial
	Exchanges []kernels.Exchange              // questions to language models
	Portfolio *kernels.Portfolio              // the last one, nil: none was measured
	Steering  evolve.Steering                 // what people asked of the search until now
	Reads
}

// Reads are what is read from the file when it is asked for.
type Reads struct {
	Provenance func(key string) (kernels.Provenance, error)
	Each       func(func(kernels.Candidate) error) error // in the order of being stored
	Files      func() (map[string][]byte, error)         // of the problem, as they are now
}

// bundleOf is a bundle with a family that may be younger than the view: those of language models come to a run while it
// is searched.
func (s *State) bundleOf(family string) (*templates.Bundle, error) {
	if _, err := s.Bundle.Family(family); err == nil || !kernels.Grown(family) {
		return s.Bundle, nil
	}
	files, err := s.Files()
	if err != nil {
		return nil, err
	}
	return templates.FromFiles(files)
}

// ReadState gathers the state of an open run. It stays open.
func ReadState(r *store.Run, b *templates.Bundle) (*State, error) {
	files := func() (map[string][]byte, error) { return r.Meta().Files, nil }
	s := &State{Path: r.Path(), Meta: r.Meta(), Bundle: b, Len: r.Len(),
		Reads: Reads{Provenance: r.Provenance, Each: r.Each, Files: files}}
	var errs [9]error
	var checkpoint []byte
	s.Baselines, errs[0] = r.Baselines()
	s.Champions, errs[1] = r.Champions()
	checkpoint, errs[2] = r.Checkpoint()
	s.Steering, errs[3] = evolve.ReadSteering(checkpoint)
	s.Exchanges, errs[4] = r.Exchanges()
	portfolios, err := r.Portfolios()
	if n := len(portfolios); n > 0 {
		s.Portfolio = &portfolios[n-1]
	}
	errs[6] = err
	s.Pace, errs[7] = r.Pace()
	s.Duels, errs[8] = r.Duels()
	trials, err := r.Trials()
	errs[5], s.Standings = err, map[kernels.ID]kernels.Standing{}
	for _, t := range trials {
		s.Standings[t.ID] = t.Standing()
	}
	return s, errors.Join(errs[:]...)
}

// errAtRest answers commands on a run that nobody writes.
var errAtRest = errors.New("no search is writing this run: there is nothing to steer")

// File is a run that nobody writes.
type File struct {
	Run    *store.Run
	Bundle *templates.Bundle
}

// Load reads everything.
func (f File) Load() (*State, error) { return ReadState(f.Run, f.Bundle) }

// Events is nil: nothing happens.
func (f File) Events() <-chan evolve.Event { return nil }

// Get reads one candidate.
func (f File) Get(id kernels.ID) (kernels.Candidate, error) { return f.Run.Get(id) }

// Steer refuses.
func (f File) Steer(context.Context, evolve.Command) error { return errAtRest }

// Local is a search in this process. What it publishes goes to Feed, and back out through Events.
type Local struct {
	File
	Feed   chan evolve.Event
	Search interface {
		Steer(context.Context, evolve.Command) error
	}
}

// Events is what the search publishes.
func (l Local) Events() <-chan evolve.Event { return l.Feed }

// Steer asks the search.
func (l Local) Steer(ctx context.Context, c evolve.Command) error { return l.Search.Steer(ctx, c) }
