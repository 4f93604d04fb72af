package eval

import (
	"context"
	"testing"
	"time"

	"darwarp/eval/internal/duel"
	"darwarp/eval/internal/health"
	"darwarp/kernels"
)

func shortPauses(t *testing.T) {
	was := duel.CalmPauses
	duel.CalmPauses = []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond}
	t.Cleanup(func() { duel.CalmPauses = was })
}

// Blocks that were throttled, stolen or noisy are taken again; where none is calm nobody wins.
func TestDisturbedBlocks(t *testing.T) {
	shortPauses(t)
	pool := fakePool(t)
	good := fakeJob(t, pool, "good")
	if d, err := pool.Duel(context.Background(), good, fakeJob(t, pool, "fast")); err != nil ||
		d.Verdict != kernels.Faster || d.Rounds[0].Discarded != 0 || d.Rounds[0].Clock != 1900 {
		t.Fatalf("undisturbed: %+v, %v", d, err)
	}
	for _, c := range []struct {
		challenger string
		want       kernels.Verdict
		discarded  int
	}{
		{"dips", kernels.Faster, 2},    // the clock falls for two blocks
		{"low", kernels.Ambiguous, 4},  // it does not come back
		{"visited", kernels.Faster, 1}, // a third of the samples takes twice as long
		{"loud", kernels.Faster, 2},    // the ratios spread by a fifth
	} {
		d, err := pool.Duel(context.Background(), good, fakeJob(t, pool, c.challenger))
		if err != nil || d.Verdict != c.want || d.Rounds[0].Discarded != c.discarded {
			t.Errorf("%s: %+v, %v: expected %s with %d blocks discarded", c.challenger, d, err, c.want, c.discarded)
		}
		if c.want == kernels.Faster && (d.Ratio < 0.94 || d.Ratio > 0.96) {
			t.Errorf("%s: ratio %.4f: expected 0.95, what was disturbed is in it", c.challenger, d.Ratio)
		}
	}
}

// Where no block is calm, a challenger that takes a tenth of the time wins all the same, in both halves.
func TestDuelInAStorm(t *testing.T) {
	shortPauses(t)
	pool := fakePool(t)
	d, err := pool.Duel(context.Background(), fakeJob(t, pool, "good"), fakeJob(t, pool, "stormy"))
	if err != nil || d.Verdict != kernels.Faster || d.Ratio < 0.09 || d.Ratio > 0.11 || d.Hi >= 1 {
		t.Errorf("%+v, %v", d, err)
	}
}

// The noise is measured again after half an hour, and the larger one stays.
func TestControl(t *testing.T) {
	shortPauses(t)
	pool := fakePool(t)
	good := fakeJob(t, pool, "good")
	control := func() float64 {
		t.Helper()
		if err := pool.Control(context.Background(), good); err != nil {
			t.Fatal(err)
		}
		return pool.Provenance().Noise
	}
	first := control()
	if first <= 0 {
		t.Fatalf("noise %g", first)
	}
	later := func(level float64) {
		pool.Noise.Level, pool.Noise.At = level, time.Now().Add(-time.Hour)
	}
	later(first / 2) // what is measured now is the larger one
	if now := control(); now != first {
		t.Errorf("noise %g after it was measured to be %g", now, first)
	}
	later(2 * first)
	if now := control(); now != 2*first {
		t.Errorf("noise %g: it was %g before", now, 2*first)
	}
	fresh := time.Since(pool.Noise.At) < time.Minute
	pool.Noise.Level = 0.04
	if !fresh {
		t.Error("it is not noted that the noise was measured")
	}
	if d, err := pool.Duel(context.Background(), good, fakeJob(t, pool, "dips")); err != nil ||
		d.Verdict == kernels.Faster {
		t.Errorf("%+v, %v: a gain of 5 %% with a noise of 4 %%", d, err)
	}
}

// A hot GPU is left alone for a while, and counts if it stays hot; its power limit is a kernel's own doing.
func TestHotGPU(t *testing.T) {
	shortPauses(t)
	pool := fakePool(t)
	for _, c := range []struct {
		reasons   []string
		discarded int
	}{{[]string{"hardware thermal"}, 3}, {[]string{"power cap"}, 0}, {nil, 0}} {
		pool.Health = &health.Monitor{}
		pool.Health.Note(time.Now().Add(time.Hour), []kernels.GPU{{Throttle: c.reasons}})
		d, err := pool.Duel(context.Background(), fakeJob(t, pool, "good"), fakeJob(t, pool, "fast"))
		pool.Noise.At = time.Now()
		if err != nil || d.Verdict != kernels.Faster || d.Rounds[0].Discarded < c.discarded ||
			c.discarded == 0 && d.Rounds[0].Discarded > 0 {
			t.Errorf("%q: %+v, %v: expected %d blocks discarded", c.reasons, d, err, c.discarded)
		}
	}
	pool.Health = &health.Monitor{}
	pool.Health.Note(time.Now().Add(time.Hour), []kernels.GPU{{Throttle: []string{"power cap"}}})
	if d, err := pool.Duel(context.Background(), fakeJob(t, pool, "good"), fakeJob(t, pool, "low")); err != nil ||
		d.Verdict != kernels.Faster || d.Rounds[0].Discarded != 0 {
		t.Errorf("clocks that the power limit holds down: %+v, %v", d, err)
	}
}
