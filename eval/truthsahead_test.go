package eval

import (
	"context"
	"testing"
	"time"

	"darwarp/kernels"
)

// TestTruthAheadWaits: no truth is made while somebody has the GPU.
func TestTruthAheadWaits(t *testing.T) {
	pool := judgedPool(t, "")
	release := occupied(t, pool)
	ctx, cancel := context.WithCancel(t.Context())
	made := make(chan bool, 1)
	go func() { made <- pool.Runner.TruthAhead(ctx, 0) }()
	select {
	case <-made:
		t.Fatal("a truth was made beside somebody who has the GPU")
	case <-time.After(100 * time.Millisecond):
	}
	cancel()
	if <-made {
		t.Error("a truth was made after the end")
	}
	go func() { made <- pool.Runner.TruthAhead(t.Context(), 0) }()
	release()
	if !<-made {
		t.Error("no truth was made while the GPU was free")
	}
}

// TestTruthAheadOfADeadJudge: a judge that is lost ends the errand, and the next candidate finds another judge.
func TestTruthAheadOfADeadJudge(t *testing.T) {
	pool := judgedPool(t, "")
	behave(t, "dies of truth")
	if pool.Runner.TruthAhead(t.Context(), 0) {
		t.Error("a truth was made by a dead judge")
	}
	behave(t, "")
	for range 3 {
		r, err := pool.Evaluate(t.Context(), fakeJob(t, pool, "good"))
		if err == nil && r.Outcome == kernels.OK {
			return
		}
	}
	t.Error("no verdict after a judge was lost")
}
