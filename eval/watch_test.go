package eval

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"darwarp/kernels"
)

// Whoever asks can see how far it is: that the device has begun with a candidate, the pairs of a duel, the part of a
// trial with its runs.
func TestPoolTellsHowFarItIs(t *testing.T) {
	few(t)
	pool := fakePool(t)
	good, slow := fakeJob(t, pool, "good"), fakeJob(t, pool, "slow")
	for _, tt := range []struct {
		ask  func(ctx context.Context) error
		step string // told last
	}{
		{func(ctx context.Context) error { _, err := pool.Evaluate(ctx, good); return err }, ""},
		{func(ctx context.Context) error { _, err := pool.Duel(ctx, slow, good); return err }, "fresh, "},
		{func(ctx context.Context) error { _, err := pool.Duel(ctx, good, slow); return err }, "steady, "},
		{func(ctx context.Context) error { _, err := pool.Trial(ctx, good, kernels.TrialDisturbed); return err },
			"disturbed, "},
		{func(ctx context.Context) error { _, err := pool.Trial(ctx, good, kernels.TrialSanitized); return err },
			"sanitized"},
	} {
		var w kernels.Watch
		if err := tt.ask(w.With(t.Context())); err != nil {
			t.Fatal(err)
		}
		if !w.Begun() && tt.step != "sanitized" || !strings.HasPrefix(w.Step(), tt.step) || tt.step == "" && w.Step() != "" {
			t.Errorf("expected %q: %v, %q", tt.step, w.Begun(), w.Step())
		}
	}
}

// What nobody waits for any more when its turn comes does not take the device's worker along.
func TestWithdrawnBeforeItsTurn(t *testing.T) {
	pool := fakePool(t)
	if _, err := pool.Evaluate(t.Context(), fakeJob(t, pool, "slow")); err != nil {
		t.Fatal(err)
	}
	_, workers := pool.Load()
	var w kernels.Watch
	ctx, cancel := context.WithCancel(w.With(t.Context()))
	release := occupied(t, pool)
	done := make(chan error)
	go func() {
		_, err := pool.Evaluate(ctx, fakeJob(t, pool, "good"))
		done <- err
	}()
	for m := pool.Machine(ctx); m.Compile.Busy > 0 || m.Queue != 1; m = pool.Machine(ctx) {
		time.Sleep(time.Millisecond)
	}
	cancel()
	release()
	if err := <-done; !errors.Is(err, context.Canceled) || w.Begun() {
		t.Errorf("%v, begun: %v", err, w.Begun())
	}
	if _, err := pool.Evaluate(t.Context(), fakeJob(t, pool, "fast")); err != nil {
		t.Error(err)
	}
	if _, now := pool.Load(); now != workers {
		t.Error("the worker ended")
	}
}
