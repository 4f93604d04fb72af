package evolve

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/store"
)

// TestTrialIsResumedFromTheStore leaves a run whose champion is a cheat; the next session finds it out and restores
// the champion before it, though it has seen neither become champion. The file reopened says so.
func TestTrialIsResumedFromTheStore(t *testing.T) {
	cfg := toyConfig(t, "hills")
	path := filepath.Join(t.TempDir(), "toy.run")
	run, err := store.Create(path, store.Meta{Problem: "toy", Workloads: cfg.Workloads, DType: cfg.DType, Seed: cfg.Seed})
	if err != nil {
		t.Fatal(err)
	}
	ev := newTrialFake(2)
	ev.claims = cheats
	s, err := New(cfg, ev, run)
	if err != nil {
		t.Fatal(err)
	}
	plantCheat(t, s, ev.fake)
	cheat := kernels.ID{}
	if _, err := s.Run(context.Background(), func(e Event) {
		if c, err := run.Get(e.ID); e.Kind == KindChampion && err == nil && isCheat(&c) {
			cheat = e.ID
			s.Abort()
		}
	}); err != nil || cheat.IsZero() {
		t.Fatalf("%v: no cheat became champion", err)
	}
	if run, err = reopened(run, path); err != nil {
		t.Fatal(err)
	}
	if known, err := run.Trial(cheat); err != nil || known.Standing() != kernels.OnTrial ||
		len(known.Parts) != len(kernels.QuickTrial) {
		t.Fatalf("%v: %s", err, known.Text())
	}
	clear(ev.asked)
	ev.falls = cheatsFall(kernels.TrialSanitized)
	if s, err = New(cfg, ev, run); err != nil {
		t.Fatal(err)
	}
	s.championship.after = 0
	sum, err := s.Run(context.Background(), nil)
	got := slices.Sorted(slices.Values(ev.asked[cheat])) // parts go on beside each other: their order is up to luck
	if err != nil || !slices.Equal(got, slices.Sorted(slices.Values(kernels.SlowTrial))) {
		t.Errorf("%v; the cheat was asked for %v: the quick parts it had stood", err, got)
	}
	holdFallen(t, path, run, cheat, sum)
}

// holdFallen reopens a run and holds it against what a cheat that fell leaves there, and how its search ended.
func holdFallen(t *testing.T, path string, run *store.Run, cheat kernels.ID, sum Summary) {
	t.Helper()
	run, err := reopened(run, path)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	c, err := run.Get(cheat)
	if err != nil || c.Result.Outcome != kernels.Wrong ||
		!strings.Contains(c.Result.Detail, "fell on trial (sanitized): found out") {
		t.Errorf("%v, %+v", err, c.Result)
	}
	best, err := run.Find("lowest-score")
	if id, _ := run.Champion(); err != nil || id != sum.Champion || isCheat(&best) || cheats(sum.Variant.Genes) > 0 {
		t.Errorf("%v: champion %s of %+v", err, id.Short(), sum)
	}
	if err := run.Verify(); err != nil {
		t.Error(err)
	}
}

func reopened(run *store.Run, path string) (*store.Run, error) {
	if err := run.Close(); err != nil {
		return nil, err
	}
	return store.Open(path)
}
