package eval

import (
	"errors"
	"testing"

	"darwarp/kernels"
)

// TestPace: a champion and the naive start are timed in a few pairs, and nobody waits for the gate.
func TestPace(t *testing.T) {
	pool := fakePool(t)
	naive, good, odd := fakeJob(t, pool, "slow"), fakeJob(t, pool, "good"), fakeJob(t, pool, "crashes_in_duel")
	for _, job := range []*kernels.Job{naive, good, odd} {
		job.Bar = nil
		if _, err := pool.Ready(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
	var held []int
	for range pool.Runner.Prepare.Slots {
		held = append(held, mustSlot(t, pool))
	}
	d, err := pool.Pace(t.Context(), naive, good)
	if err != nil || !(d.Ratio > 0 && d.Ratio < 0.9) || d.Provenance == "" || len(d.Rounds) != len(pool.Cfg.Workloads) {
		t.Fatalf("%+v, %v", d, err)
	}
	for i, r := range d.Rounds {
		if r.Pairs < 3 || r.Pairs > 10 || r.Workload != pool.Cfg.Workloads[i].Name || r.Ratio != d.Ratio {
			t.Errorf("%+v", r)
		}
	}
	if _, err := pool.Pace(t.Context(), naive, odd); !errors.Is(err, kernels.ErrLost) {
		t.Errorf("a side that faults: %v, want what is lost", err)
	}
	for _, slot := range held {
		pool.Runner.Free(slot)
	}
}
