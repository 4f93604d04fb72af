package eval

import (
	"testing"

	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// TestHostOfProcessors has two real devices behind one evaluator: emulated ones, which take cases and compilers from
// one another as GPUs do, and have truths of their own.
func TestHostOfProcessors(t *testing.T) {
	one := cpuPool(t, false)
	h, err := OpenHost(t.Context(), one.Cfg, []int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	if first := h.places.all[0].pool; h.places.all[1].pool.Cases != first.Cases {
		t.Error("the cases were made twice")
	}
	for _, at := range h.places.all { // each by itself
		for body, want := range map[string]kernels.Outcome{rightBody: kernels.OK,
			"if (i < n) y[i] = 3 * x[i];": kernels.Wrong} {
			e := &verdict.Evaluation{Session: at.pool.Session, Job: cpuJob(t, at.pool, body), Again: true}
			if r, err := at.pool.evaluate(t.Context(), e); err != nil || r.Outcome != want {
				t.Errorf("%s on %s: %+v, %v", body, at.name(), r, err)
			}
		}
	}
	r, err := h.Evaluate(t.Context(), cpuJob(t, h.front, "if (i < n) y[i] = 4 * x[i] * 0.5f;"))
	if err != nil || r.Outcome != kernels.OK { // TestHost has the times: those of a busy machine compare by luck
		t.Errorf("%+v, %v", r, err)
	}
}
