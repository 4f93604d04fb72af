package eval

import (
	"context"
	"strings"
	"testing"
	"time"

	"darwarp/eval/env"
	"darwarp/eval/internal/trial"
	"darwarp/kernels"
)

// racyBody is right in most orders of the threads: a lane reads what its neighbour in another warp may not have written
// yet.
const racyBody = `__shared__ float s[256];
s[threadIdx.x] = i < n ? 2 * x[i] : 0;
if (threadIdx.x >= 32) __syncthreads(); else __syncthreads();
float v = s[threadIdx.x ^ 32];
s[threadIdx.x] = v;
__syncthreads();
if (i < n) y[i] = s[threadIdx.x ^ 32];`

// A candidate is emulated on the real cpu device beside the one that is searched. What it does wrong there is its own;
// what the emulation cannot do is nobody's.
func TestTrialEmulated(t *testing.T) {
	pool := cpuPool(t, false)
	usual := trial.Usual
	trial.Usual.EmulatedOrders, trial.Usual.Emulators = 3, 2
	t.Cleanup(func() { trial.Usual = usual })
	// For the candidate: that the emulators were slow to open is not held against it.
	trial.Usual.EmulatedFor = time.Nanosecond
	got, err := pool.Trial(context.Background(), cpuJob(t, pool, rightBody+" // again"), kernels.TrialEmulated)
	if d := got.Part(kernels.TrialEmulated); err != nil || d.Verdict != kernels.Impossible ||
		!strings.HasPrefix(d.Detail, "0 of 3 orders") {
		t.Errorf("no time: %v, %+v", err, d)
	}
	trial.Usual.EmulatedFor = time.Hour
	for _, c := range []struct {
		name, body string
		want       kernels.Doubted
		outcome    kernels.Outcome
		explain    string
	}{
		{"right", rightBody, kernels.Passed, 0, "3 orders"},
		{"race", racyBody, kernels.Failed, kernels.Crashed, "race"},
		{"uninitialised", "__shared__ float s[256]; if (threadIdx.x % 2) s[threadIdx.x] = 1; __syncthreads(); float v = " +
			"s[threadIdx.x]; if (i < n) y[i] = 2 * x[i] + (v == 1e30f);", kernels.Failed, kernels.Crashed, "uninitialised"},
		{"wrong", "if (i < n) y[i] = n < 4096 ? 2.5f * x[i] : 2 * x[i];", kernels.Failed, kernels.Wrong, "expected"},
		{"raw PTX", "asm volatile(\"nop;\");\n" + rightBody, kernels.Impossible, 0, "inline PTX"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := pool.Trial(context.Background(), cpuJob(t, pool, c.body), kernels.TrialEmulated)
			d := got.Part(kernels.TrialEmulated)
			if err != nil || d.Verdict != c.want || d.Outcome != c.outcome || !strings.Contains(d.Detail, c.explain) {
				t.Errorf("%v, %+v", err, d)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := pool.Trial(ctx, cpuJob(t, pool, rightBody), kernels.TrialEmulated); err == nil {
		t.Error("a trial went on after its context")
	}
}

func TestTrialWithoutACompiler(t *testing.T) {
	pool := fakePool(t)
	pool.Cfg.Where = &env.Location{}
	got, err := pool.Trial(context.Background(), fakeJob(t, pool, "good"), kernels.TrialEmulated)
	if d := got.Part(kernels.TrialEmulated); err != nil || d.Verdict != kernels.Impossible ||
		!strings.Contains(d.Detail, "cpu device") {
		t.Errorf("%v, %+v", err, d)
	}
}
