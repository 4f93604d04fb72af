package evolve

import (
	"log/slog"
	"path/filepath"
	"slices"
	"testing"

	"darwarp/kernels"
	"darwarp/store"
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

// TestCrowded: with many slots, where proposals are rendered side by side and verdicts stored beside the loop, every
// verdict is told and stored once, with the genes that its source was made of.
func TestCrowded(t *testing.T) {
	cfg, ev := wideConfig(t), newDevices(40, 0)
	cfg.Budget.Evals = 300
	run, err := store.Create(filepath.Join(t.TempDir(), "run.db"), store.Meta{Problem: "toy", DType: cfg.DType,
		Workloads: cfg.Workloads, Files: cfg.Bundle.Files})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	s, told := mustSearch(t, cfg, ev, run), map[kernels.ID]int{}
	if _, err := s.Run(t.Context(), func(e Event) {
		if e.Kind == KindResult {
			told[e.ID]++
		}
	}); err != nil {
		t.Fatal(err)
	}
	if !s.isFleet() || len(told) < 300 {
		t.Fatalf("crowded: %v, %d verdicts", s.isFleet(), len(told))
	}
	for id, n := range told {
		c, err := run.Get(id)
		if err != nil || n != 1 {
			t.Fatalf("%s was told %d times: %v", id.Short(), n, err)
		}
		job, err := cfg.Bundle.Job(cfg.Spaces[0].Family, c.Variant.Genes, cfg.Spaces[0].Device, cfg.DType)
		if err != nil || job.ID != id {
			t.Errorf("%s is stored with the genes of %s: %v", id.Short(), job.ID.Short(), err)
		}
	}
}
