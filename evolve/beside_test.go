package evolve

import (
	"log/slog"
	"slices"
	"testing"

	"darwarp/kernels"
)

// latch stores when it is let.
type latch struct {
	nowhere
	let chan struct{}
}

func (s latch) PutAll([]*kernels.Candidate, []byte) error { <-s.let; return nil }

// TestStoredBeside: what is told while verdicts are stored beside the loop comes after them, and they after the store.
func TestStoredBeside(t *testing.T) {
	keep := latch{let: make(chan struct{})}
	j := newJournal(keep, slog.New(slog.DiscardHandler))
	j.tell(func(*Event) {}, func() []byte { return nil })
	var told []Kind
	j.begin(func(e Event) { told = append(told, e.Kind) })
	j.candidate(kernels.Candidate{})
	if !j.storeBeside() {
		t.Fatal("the only verdict was not begun to be stored")
	}
	j.send(Event{Kind: KindSkip})
	if len(told) > 0 {
		t.Fatalf("%v was told before it was stored", told)
	}
	close(keep.let)
	if err := j.flush(); err != nil || !slices.Equal(told, []Kind{KindResult, KindSkip}) {
		t.Errorf("%v, %v", told, err)
	}
}
