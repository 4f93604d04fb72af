package runner

import (
	"context"
	"time"

	"darwarp/eval/internal/judge"
)

// lookEvery is how often who has no hurry looks whether the device is free.
const lookEvery = 5 * time.Millisecond

// TruthAhead waits until nobody wants the GPU, and has one truth made. It is false when the errand is over: a judge
// that is lost has others to tell of it.
func (r *Runner) TruthAhead(ctx context.Context, i int) bool {
	wait := time.NewTicker(lookEvery)
	defer wait.Stop()
	for !r.mu.TryLock() {
		select {
		case <-wait.C:
		case <-ctx.Done():
			return false
		}
	}
	defer r.mu.Unlock()
	seen := r.visit(ctx, "truth ahead")
	defer seen.end()
	j := &r.Judge
	j.mu.Lock()
	defer j.mu.Unlock()
	if ctx.Err() != nil || j.worker == nil || !j.worker.Alive() {
		return false
	}
	req := judge.Request{Truth: &judge.Truth{Cases: []int{i}}}
	return j.worker.Call(ctx, req, nil, TruthDeadline, nil) == nil
}
