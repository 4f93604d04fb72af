package eval

import (
	"context"
	"errors"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

func TestDuel(t *testing.T) {
	pool := fakePool(t)
	for _, c := range []struct {
		champion, challenger string
		want                 kernels.Verdict
		outcome              kernels.Outcome
		culprit              kernels.Side
		detail               string
	}{
		{"good", "fast", kernels.Faster, 0, "", ""},
		{"slow", "fast", kernels.Faster, 0, "", ""}, // a landslide, in both halves
		{"fast", "slow", kernels.Slower, 0, "", ""},
		{"fast", "good", kernels.Slower, 0, "", ""},
		{"good", "same", kernels.Same, 0, "", ""},
		{"good", "seen_only", kernels.Slower, 0, "", "faster only on inputs it has seen"},
		{"good", "seen_a_little", kernels.Ambiguous, 0, "", "not significantly on inputs it has not seen"},
		{"good", "replays_scratch", kernels.Ambiguous, kernels.Suspect, kernels.TheChallenger, "keeps answers"},
		{"good", "stores_what_differs", kernels.Ambiguous, kernels.Suspect, kernels.TheChallenger, "0.80 of the time"},
		{"good", "cached", kernels.Ambiguous, kernels.Wrong, kernels.TheChallenger, "timed launches"},
		{"good", "wrong", kernels.Ambiguous, kernels.Wrong, kernels.TheChallenger, "expected"},
		{"wrong", "good", kernels.Ambiguous, kernels.Wrong, kernels.TheChampion, "expected"},
		{"cached", "good", kernels.Ambiguous, kernels.Wrong, kernels.TheChampion, "timed launches"},
		{"good", "wrong_on_trial", kernels.Ambiguous, kernels.Wrong, kernels.TheChallenger, "expected"},
		{"good", "impossible", kernels.Ambiguous, kernels.Suspect, kernels.TheChallenger, "faster than this device can be"},
		{"good", "strays_in_duel", kernels.Ambiguous, kernels.Suspect, kernels.TheChallenger,
			"1025 normal: wrote 4 bytes outside"},
		{"strays_in_duel", "good", kernels.Ambiguous, kernels.Suspect, kernels.TheChampion,
			"1025 normal: wrote 4 bytes outside"},
		{"good", "spoils_in_duel", kernels.Ambiguous, kernels.Suspect, kernels.TheChallenger, "wrote to its input x"},
		{"good", "marks_in_duel", kernels.Ambiguous, kernels.Suspect, kernels.TheChallenger, "left 8 bytes"},
		{"good", "crashes_in_duel", kernels.Ambiguous, kernels.Crashed, kernels.TheChallenger, "700"},
		{"good", "hangs_in_duel", kernels.Ambiguous, kernels.TimedOut, kernels.TheChallenger, "did not finish"},
	} {
		var d kernels.Duel
		var err error
		try(c.challenger, func() bool {
			d, err = pool.Duel(context.Background(), fakeJob(t, pool, c.champion), fakeJob(t, pool, c.challenger))
			return d.Outcome == c.outcome
		})
		if err != nil || d.Verdict != c.want || d.Outcome != c.outcome || d.Culprit != c.culprit ||
			!strings.Contains(d.Detail, c.detail) {
			t.Errorf("%s against %s: %+v, %v: expected %s, %v of %q", c.challenger, c.champion, d, err, c.want, c.outcome,
				c.culprit)
		}
		if fresh := len(d.Rounds) - len(d.Steady()); d.Verdict == kernels.Faster &&
			(fresh != 1 || d.Rounds[1].Pairs == 0 || d.Rounds[1].Repeat != [2]float64{1, 1}) {
			t.Errorf("%s against %s: %d fresh rounds: %+v", c.challenger, c.champion, fresh, d.Rounds)
		}
	}
	if pool.Provenance().Noise == 0 {
		t.Error("no A/A noise was measured before the first duel")
	}
}

// TestAtomics: where equal outputs may differ in their bits, those of timed launches are judged, and whoever is timed
// next is not blamed.
func TestAtomics(t *testing.T) {
	pool := fakePoolOf(t, env.Locate(), kernelstest.Scale, "atomics = true")
	for _, c := range []struct {
		entry   string
		want    kernels.Outcome
		explain string
	}{
		{"good", kernels.OK, ""},
		{"race", kernels.OK, ""},
		{"half_when_timed", kernels.Wrong, "timed launches: 4096 normal"},
		{"replays", kernels.Suspect, "later calls do less"},
		{"slow", kernels.OK, ""},
		{"zero", kernels.Lost, "0 ns"},
		{"good_after", kernels.OK, ""},
	} {
		r, err := pool.Evaluate(t.Context(), fakeJob(t, pool, c.entry))
		if err != nil || r.Outcome != c.want || !strings.Contains(r.Detail, c.explain) {
			t.Errorf("%s: %v (%s), %v: expected %v (... %s ...)", c.entry, r.Outcome, r.Detail, err, c.want, c.explain)
		}
		if n := len(r.Times); r.Outcome == kernels.OK && (n != 1 || r.Times[0].Samples < verdict.FirstSamples ||
			(r.Times[0].Tier == "screen") != (c.entry == "slow")) {
			t.Errorf("%s: times %+v", c.entry, r.Times)
		}
	}
	for _, c := range []struct {
		champion, challenger string
		want                 kernels.Verdict
		culprit              kernels.Side
	}{
		{"good", "fast", kernels.Faster, ""},
		{"good", "half_in_duel", kernels.Ambiguous, kernels.TheChallenger},
		{"half_in_duel", "good", kernels.Ambiguous, kernels.TheChampion},
		{"good", "seen_only", kernels.Slower, ""},
	} {
		d, err := pool.Duel(t.Context(), fakeJob(t, pool, c.champion), fakeJob(t, pool, c.challenger))
		if err != nil || d.Verdict != c.want || d.Culprit != c.culprit || (d.Outcome == kernels.Wrong) != (c.culprit != "") {
			t.Errorf("%s against %s: %+v, %v: expected %s of %q", c.challenger, c.champion, d, err, c.want, c.culprit)
		}
	}
}

// A duel whose worker somebody killed is no duel; the search fights it again, and what is published at the end does so
// by itself.
func TestKilledInADuel(t *testing.T) {
	pool := fakePool(t)
	good, fast := fakeJob(t, pool, "good"), fakeJob(t, pool, "killed_in_duel")
	if d, err := pool.Duel(context.Background(), good, fast); !errors.Is(err, kernels.ErrLost) {
		t.Errorf("%+v, %v: expected a lost duel", d, err)
	}
	if d, err := pool.Duel(context.Background(), good, fast); err != nil || d.Verdict != kernels.Faster {
		t.Errorf("again: %+v, %v", d, err)
	}
	if d, err := pool.Versus(context.Background(), good, fakeJob(t, pool, "killed_at_the_end"), "hot"); err != nil ||
		d.Verdict != kernels.Faster {
		t.Errorf("at the end: %+v, %v", d, err)
	}
}
