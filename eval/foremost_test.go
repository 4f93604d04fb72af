package eval

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"darwarp/eval/env"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

// TestForemostDuel: a duel and a trial for which candidates wait come to an end, and then these do, too. When it begins
// candidates have all slots and wait for the device: they get it, for the duel needs a slot. Where outputs are judged
// one by one either side needs a slot besides, and so does who is timed.
func TestForemostDuel(t *testing.T) {
	for _, edit := range []string{"", "atomics = true"} {
		pool := fakePoolOf(t, env.Locate(), kernelstest.Scale, edit)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		slow, good := fakeJob(t, pool, "slow"), fakeJob(t, pool, "good")
		good.Foremost = true
		release := occupied(t, pool)
		var all sync.WaitGroup
		for i := range 3 * pool.Runner.Prepare.Slots {
			job := fakeJob(t, pool, fmt.Sprint("good_", i))
			job.Likely = i%3 == 0
			all.Go(func() {
				if r, err := pool.Evaluate(ctx, job); err != nil || r.Outcome != kernels.OK {
					t.Errorf("%s: %v (%s), %v", job.ID.Short(), r.Outcome, r.Detail, err)
				}
			})
		}
		for freeSlot(t, pool) {
			time.Sleep(20 * time.Millisecond)
		}
		all.Go(func() {
			if d, err := pool.Duel(ctx, slow, good); err != nil || d.Verdict != kernels.Faster {
				t.Errorf("%q: %+v, %v", edit, d, err)
				return
			}
			if tr, err := pool.Trial(ctx, good, kernels.QuickTrial...); err != nil || tr.Fault() != nil {
				t.Errorf("%q: %+v, %v", edit, tr, err)
			}
		})
		time.Sleep(500 * time.Millisecond) // it waits for a slot
		release()
		all.Wait()
	}
}

// freeSlot reports whether a slot of the outputs is free.
func freeSlot(t *testing.T, pool *Pool) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	slot, err := pool.Runner.Slot(ctx, true)
	if err == nil {
		pool.Runner.Free(slot)
	}
	return err == nil
}
