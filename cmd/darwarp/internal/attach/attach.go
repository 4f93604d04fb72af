// Package attach is the other end of a live search's socket: what it holds, what it tells, what it is
// told.
package attach

import (
	"context"
	"encoding/json"

	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// Live is a search that another process runs.
type Live struct {
	Run  *store.Run // as of the moment of joining; reading only
	feed *store.Feed
	news bool // what follows is newer than Run
}

// Join attaches to the search that writes a run. ErrNotServed of package store means that none does. ctx
// bounds Follow.
func Join(ctx context.Context, path string) (*Live, error) {
	run, feed, err := store.Join(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Live{Run: run, feed: feed}, nil
}

// Close detaches. The search does not notice.
func (l *Live) Close() error {
	l.feed.Close()
	return l.Run.Close()
}

// Follow calls fn with each event since the moment of joining, none of them told by Run already, until
// the search ends (nil), Join's context does, or fn fails. It may be called once.
func (l *Live) Follow(fn func(evolve.Event) error) error {
	return l.feed.Follow(func(line []byte) error {
		e, err := evolve.ReadEvent(line)
		if err != nil {
			return err
		}
		if known, err := l.knows(e); known || err != nil {
			return err
		}
		return fn(e)
	})
}

// knows reports whether the copy holds what an event tells of. Several candidates are stored at once, and told of
// thereafter: until the first event that is news, events may be of what was stored already.
func (l *Live) knows(e evolve.Event) (known bool, err error) {
	if e.Kind == evolve.KindResult { // the numbers are in the order of the events
		known = e.Candidate.Seq <= l.Run.Len()
		l.news = l.news || !known
		return known, nil
	}
	if l.news {
		return false, nil
	}
	switch e.Kind {
	case evolve.KindChampion:
		id, ok := l.Run.Champion()
		known = ok && id == e.ID
	case evolve.KindTrial:
		t, failed := l.Run.Trial(e.ID)
		known, err = len(t.Parts) > 0 && t.Text() == e.Trial.Text(), failed
	case evolve.KindDuel:
		all, failed := l.Run.Duels()
		known, err = len(all) > 0 && same(all[len(all)-1], *e.Duel), failed
	default:
		return false, nil // no record
	}
	l.news = !known
	return known, err
}

func same(a, b kernels.Duel) bool {
	return a.Champion == b.Champion && a.Challenger == b.Challenger && a.Ratio == b.Ratio
}

// Steer asks the search that writes a run to do something, and waits until it is done.
func Steer(ctx context.Context, path string, c evolve.Command) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return store.Tell(ctx, path, data)
}
