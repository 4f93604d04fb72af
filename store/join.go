package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
)

// Feed is what a live search tells after the moment of a copy.
type Feed struct {
	path   string
	ctx    context.Context
	cancel context.CancelFunc
	lines  chan []byte
	err    error // of the stream; read when lines is closed
	skip   int   // events that the copy tells of
	gone   chan struct{}
	held   atomic.Int64 // bytes of lines
}

// joinQueue is how many events may come in while a copy is fetched and opened.
const joinQueue = 1 << 16

// joinBytes is how large they may be together. Tests lower it.
var joinBytes int64 = 256 << 20

// Join gives a live run as it is now, and what happens from then on: no event is missing between the
// two. The first of Follow's events that tells of a record (a result, a duel, a champion) may tell of
// one that the copy holds already; the others do not. Close both; ctx bounds both. ErrNotServed means
// that nobody writes the run: open it with View.
func Join(ctx context.Context, path string) (*Run, *Feed, error) {
	f, before, err := subscribe(ctx, path)
	if err != nil {
		return nil, nil, named(path, err)
	}
	r, told, err := joinCopy(f.ctx, path)
	if err != nil {
		f.Close()
		return nil, nil, named(path, err)
	}
	f.skip = told - before
	return r, f, nil
}

func joinCopy(ctx context.Context, path string) (*Run, int, error) {
	temp, told, err := fetchCopy(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	r, err := openCopy(temp)
	if err != nil {
		return nil, 0, err
	}
	r.path = path
	return r, told, nil
}

// subscribe begins to take events, before there is a copy to hold them against.
func subscribe(ctx context.Context, path string) (f *Feed, before int, err error) {
	f = &Feed{path: path, lines: make(chan []byte, joinQueue), gone: make(chan struct{})}
	f.ctx, f.cancel = context.WithCancel(ctx)
	reply, err := ask(f.ctx, path, http.MethodGet, "/events", nil)
	if err != nil {
		f.cancel()
		return nil, 0, err
	}
	go func() {
		defer close(f.gone)
		defer reply.Body.Close()
		defer close(f.lines)
		f.err = follow(f.ctx, path, reply.Body, func(event []byte) error {
			if f.held.Add(int64(len(event))) > joinBytes {
				return fmt.Errorf("more than %d bytes of events at once", joinBytes)
			}
			select {
			case f.lines <- bytes.Clone(event):
				return nil
			case <-f.ctx.Done():
				return f.ctx.Err()
			}
		})
	}()
	return f, eventNumber(reply), nil
}

// Follow calls fn with each event until the search ends (nil), Join's context does, or fn fails.
func (f *Feed) Follow(fn func(event []byte) error) error {
	for line := range f.lines {
		f.held.Add(-int64(len(line)))
		if f.skip > 0 {
			f.skip--
			continue
		}
		if err := fn(line); err != nil {
			return err
		}
	}
	if errors.Is(f.err, context.Canceled) && f.ctx.Err() != nil {
		return f.ctx.Err()
	}
	return f.err
}

// Close ends the feed, also one that is being followed.
func (f *Feed) Close() error {
	f.cancel()
	<-f.gone
	return nil
}
