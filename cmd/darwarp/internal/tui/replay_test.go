package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"darwarp/store"
)

// TestReplay tells a stored run again: the board must end as that of the file.
func TestReplay(t *testing.T) {
	file := stored(t)
	want, got := NewBoard(), NewBoard()
	want.Follow(file)
	r := NewReplay(t.Context(), file, time.Millisecond)
	got.Follow(r)
	if err := errors.Join(r.Err(), want.err, got.err); err != nil {
		t.Fatal(err)
	}
	story := func(b *Board) (out []string) {
		for _, g := range b.steps {
			out = append(out, fmt.Sprint(b.rows[g.row].id.Short(), g.evals))
		}
		return append(out, fmt.Sprint(len(b.rows), b.verdicts, b.failed, b.ranking.len()))
	}
	if !slices.Equal(story(got), story(want)) {
		t.Errorf("told %v, stored %v", story(got), story(want))
	}
	if got.live.summary == nil || got.live.summary.Evals != want.verdicts {
		t.Errorf("summary %+v", got.live.summary)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r = NewReplay(ctx, file, time.Hour)
	for range r.Events() {
	}
	if !errors.Is(r.Err(), context.Canceled) {
		t.Errorf("the user left: %v", r.Err())
	}
}

// stored is a story in a file.
func stored(t *testing.T) File {
	t.Helper()
	s := newStory(t)
	run, err := store.Create(t.TempDir()+"/run.db", s.meta)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Close() })
	p, _ := s.state().Provenance(proof)
	key, err := run.PutProvenance(p)
	if err != nil {
		t.Fatal(err)
	}
	for range 60 {
		c := s.next()
		c.Result.Provenance, c.At = key, time.Now()
		if err := run.Put(&c, nil); err != nil {
			t.Fatal(err)
		}
		if last := s.reigns[len(s.reigns)-1]; last.ID == c.ID {
			if err := run.SetChampion(c.ID, "a duel"); err != nil {
				t.Fatal(err)
			}
		}
	}
	return File{run, s.bundle}
}
