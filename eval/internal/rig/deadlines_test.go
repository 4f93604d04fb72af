package rig

import (
	"testing"
	"time"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// TestDeadlines: a kernel that never ends holds a GPU for no longer than what it does may take; of what nobody knows
// that is patience.
func TestDeadlines(t *testing.T) {
	p := &Rig{Cfg: Config{Workloads: []kernels.Workload{{Name: "w"}}}}
	p.Cases = &cases.Set{List: make([]device.Case, 1)}
	p.Cases.List[0].Buffers = []kernels.Buffer{{Name: "x", DType: kernels.FP32, Shape: []int{64}}}
	for _, tt := range []struct {
		ns           float64 // a call
		fresh, pairs int
		kind         string
		time, duel   time.Duration // at most
		least        time.Duration // both
	}{
		{20e3, 0, 20, "cuda", 21 * time.Second, 25 * time.Second, 20 * time.Second},
		{20e3, 8, 20, "cuda", 21 * time.Second, 21 * time.Second, 20 * time.Second},
		{95e6, 0, 3, "cuda", 80 * time.Second, 30 * time.Second, 20 * time.Second},
		{95e6, 2, 20, "cuda", 80 * time.Second, Patience, 70 * time.Second},
		{20e3, 0, 20, "cpu", Patience, Patience, Patience},
		{0, 0, 3, "cuda", Patience, Patience, Patience},
	} {
		p.Device.Kind = tt.kind
		run := device.Run{Workload: "w", Cases: []int{0}, Estimate: tt.ns, Fresh: tt.fresh}
		timing := p.TimeDeadline([]device.Run{run})
		duel := p.PairsDeadline(&device.Duel{Run: run, Pairs: tt.pairs}, tt.ns)
		if timing > tt.time || duel > tt.duel || min(timing, duel) < tt.least {
			t.Errorf("%+v: %v for timing, %v for pairs", tt, timing, duel)
		}
	}
}
