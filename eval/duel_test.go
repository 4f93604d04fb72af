package eval

import (
	"context"
	"testing"
	"time"

	"darwarp/eval/internal/duel"
	"darwarp/eval/internal/stats"
	"darwarp/kernels"
)

// A champion does not wait for the gate again, with which candidates may be busy for seconds: a challenger does.
func TestChampionStands(t *testing.T) {
	pool := fakePool(t)
	naive := fakeJob(t, pool, "slow")
	naive.Bar = nil
	if _, err := pool.Evaluate(t.Context(), naive); err != nil {
		t.Fatal(err)
	}
	good := fakeJob(t, pool, "good")
	if d, err := pool.Duel(t.Context(), naive, good); err != nil || d.Verdict != kernels.Faster {
		t.Fatalf("%+v, %v", d, err)
	}
	var held []int
	for range pool.Runner.Prepare.Slots {
		held = append(held, mustSlot(t, pool))
	}
	for _, job := range []*kernels.Job{naive, good} {
		job.Base = map[string]float64{"4096": 7}
		c, err := pool.Standing(t.Context(), job)
		if err != nil || len(c.Cubin) == 0 || len(c.Expect(pool.Cases.Banks["4096"])) != 8 ||
			c.Estimate["4096"] <= 0 || c.Base["4096"] != 7 {
			t.Errorf("%s: %v, %v, %v", job.ID.Short(), c.Estimate, c.Base, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := pool.Ready(ctx, good); err == nil {
		t.Error("a challenger is gated while nobody is")
	}
	for _, slot := range held {
		pool.Runner.Free(slot)
	}
}

// TestUnequalDuel: against a naive start whose calls take many times as long, a challenger wins within two pairs of
// either half. Neither is gated on more than before, for which truths would have to be made: that is for its trial.
func TestUnequalDuel(t *testing.T) {
	pool := fakePool(t)
	naive, good := fakeJob(t, pool, "glacial"), fakeJob(t, pool, "good")
	naive.Bar, good.Bar = nil, nil
	if _, err := pool.Evaluate(t.Context(), naive); err != nil {
		t.Fatal(err)
	}
	d, err := pool.Duel(t.Context(), naive, good)
	if err != nil || d.Verdict != kernels.Faster || len(d.Rounds) != 2 {
		t.Fatalf("%+v, %v", d, err)
	}
	for _, r := range d.Rounds {
		if r.Pairs != 2 || r.Champion < 100e6 {
			t.Errorf("%+v", r)
		}
	}
	d, err = pool.Versus(t.Context(), naive, fakeJob(t, pool, "right"), "hot") // its interval is published
	if err != nil || len(d.Rounds) != 1 || d.Rounds[0].Pairs != 10 {
		t.Errorf("published: %+v, %v; want ten pairs", d, err)
	}
	trial, err := pool.Trial(t.Context(), good, kernels.TrialClasses)
	if err != nil || trial.Fault() != nil || len(trial.Parts) != 1 {
		t.Errorf("%+v, %v", trial, err)
	}
	cheat := fakeJob(t, pool, "replays_scratch")
	if d, err := pool.Duel(t.Context(), naive, cheat); err != nil || d.Culprit != kernels.TheChallenger {
		t.Errorf("%+v, %v", d, err)
	}
	for _, job := range []*kernels.Job{naive, good} {
		c, err := pool.Standing(t.Context(), job)
		if want := len(pool.Cases.Gated()); err != nil || len(c.Gate.Right) != want {
			t.Errorf("%s: right on %d cases, expected %d; %v", job.ID.Short(), len(c.Gate.Right), want, err)
		}
	}
}

// TestGatedAgain: what a session has found out about a kernel is known after a gate of its own in between, and in its
// trial: it is judged on no case twice.
func TestGatedAgain(t *testing.T) {
	pool := fakePool(t)
	naive, good := fakeJob(t, pool, "slow"), fakeJob(t, pool, "good")
	naive.Bar, good.Bar = nil, nil
	if _, err := pool.Evaluate(t.Context(), naive); err != nil {
		t.Fatal(err)
	}
	if d, err := pool.Duel(t.Context(), naive, good); err != nil || d.Verdict != kernels.Faster {
		t.Fatalf("%+v, %v", d, err)
	}
	known := len(pool.Cases.Gated()) + len(pool.Cases.Banks["4096"]) - len(pool.Cases.Seeds("4096"))
	for _, job := range []*kernels.Job{naive, good} {
		if _, err := pool.Ready(t.Context(), job); err != nil {
			t.Error(err)
		}
		c, err := pool.Standing(t.Context(), job)
		if err != nil || len(c.Gate.Right) != known || c.Naive != (job == naive) {
			t.Errorf("%s: right on %d cases, expected %d; naive: %v; %v", job.ID.Short(), len(c.Gate.Right), known, c.Naive, err)
		}
		if right := pool.RightBefore(job.ID, c.Cubin); len(right) != known || pool.RightBefore(job.ID, nil) != nil {
			t.Errorf("%s: a trial knows %d cases, expected %d", job.ID.Short(), len(right), known)
		}
	}
}

// TestOpeningsGoOn: each opening has the pairs of those before, in either half, and what can decide no more is passed
// over.
func TestOpeningsGoOn(t *testing.T) {
	pool := fakePool(t)
	for challenger, want := range map[string]int{"fast": 3, "nearly_half": 4, "seven_tenths": 7, "four_fifths": 10} {
		champion := "good"
		if challenger == "fast" {
			champion = "slow"
		}
		d, err := pool.Duel(t.Context(), fakeJob(t, pool, champion), fakeJob(t, pool, challenger))
		if err != nil || d.Verdict != kernels.Faster || len(d.Rounds) != 2 {
			t.Fatalf("%s: %+v, %v", challenger, d, err)
		}
		for _, r := range d.Rounds {
			if r.Pairs != want {
				t.Errorf("%s: %d pairs, expected %d: %+v", challenger, r.Pairs, want, r)
			}
		}
	}
	if !pool.Noise.At.IsZero() {
		t.Error("the noise was measured, though openings decided")
	}
}

// TestSlowDuel: twenty pairs are enough between sides whose calls are slow, or long, and twenty of the naive start
// against itself.
func TestSlowDuel(t *testing.T) {
	for _, entry := range []string{"glacial", "lengthy"} {
		pool := fakePool(t)
		naive, good := fakeJob(t, pool, entry), fakeJob(t, pool, entry+"_yet_faster")
		naive.Bar, good.Bar = nil, nil
		if _, err := pool.Evaluate(t.Context(), naive); err != nil {
			t.Fatal(err)
		}
		d, err := pool.Duel(t.Context(), naive, good)
		if err != nil || d.Verdict != kernels.Faster || len(d.Rounds) != 2 || d.Rounds[0].Pairs != 20 ||
			pool.Noise.At.IsZero() {
			t.Errorf("%s: %+v, %v", entry, d, err)
		}
	}
}

// TestLongFreshHalf: who is not told apart within some seconds is not told apart.
func TestLongFreshHalf(t *testing.T) {
	pool := fakePool(t)
	before := duel.FreshFor
	t.Cleanup(func() { duel.FreshFor = before })
	for limit, want := range map[time.Duration]int{0: stats.MinPairs, time.Hour: stats.MaxPairs} {
		duel.FreshFor = limit
		d, err := pool.Duel(t.Context(), fakeJob(t, pool, "good"), fakeJob(t, pool, "seen_a_little"))
		if err != nil || len(d.Rounds) != 2 {
			t.Fatalf("%+v, %v", d, err)
		}
		if got := d.Rounds[1].Pairs; d.Verdict != kernels.Ambiguous || got != want {
			t.Errorf("%v: %s after %d pairs, expected %d", limit, d.Verdict, got, want)
		}
	}
}
