package eval

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"darwarp/kernels"
)

// TestWaitingCandidates: candidates that wait have sent their requests ahead; each has its own verdict, also when the
// worker that has the requests dies under another, or hangs.
func TestWaitingCandidates(t *testing.T) {
	defer soon(2*time.Second, 20*time.Minute)()
	pool := fakePool(t)
	want := map[string]kernels.Outcome{"wrong": kernels.Wrong, "segv": kernels.Crashed, "hang": kernels.TimedOut,
		"fast": kernels.OK, "gives_nan": kernels.Wrong, "sticky": kernels.Crashed, "race": kernels.Flaky,
		"mutates": kernels.Suspect, "refused": kernels.Invalid}
	for i := range 12 {
		want[fmt.Sprintf("good_%d", i)] = kernels.OK
	}
	var all sync.WaitGroup
	for entry, outcome := range want {
		job := fakeJob(t, pool, entry)
		if entry != "hang" { // its deadline is near, and that of all others far off
			job.Bar = kernels.NewBar(map[string]float64{"4096": 60e9})
		}
		all.Go(func() {
			r, err := pool.Evaluate(t.Context(), job)
			if err != nil || r.Outcome != outcome {
				t.Errorf("%s: %v (%s), %v: expected %v", entry, r.Outcome, r.Detail, err, outcome)
			}
		})
	}
	all.Wait()
}
