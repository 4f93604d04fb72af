package verdict

import (
	"math"
	"testing"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/runner"
	"darwarp/kernels"
)

func TestSamplesAtOnce(t *testing.T) {
	buffers := func(n int) []kernels.Buffer {
		return []kernels.Buffer{{DType: kernels.FP32, Shape: []int{n}}, {DType: kernels.FP32, Shape: []int{n}, Out: true}}
	}
	for _, c := range []struct {
		name  string
		n     int
		cache string
		want  int
	}{
		{"small", 1 << 10, "hot", 8},       // of both arenas
		{"beyond L2", 1 << 24, "hot", 16},  // 64 MiB, and one arena
		{"cold", 1 << 20, "cold", 16},      // one of 20 arenas
		{"half a slot", 1 << 28, "hot", 4}, // 1 GiB each
	} {
		set := &cases.Set{Atomics: true, List: []device.Case{{Workload: "w", Buffers: buffers(c.n)},
			{Workload: "w", Buffers: buffers(c.n)}}}
		for slot, want := range map[int]int{set.SlotBytes(): c.want, set.LeastSlotBytes(): min(c.want, 4)} {
			r := &rig.Rig{Cases: set, Runner: runner.New(runner.Setup{Prepare: device.Prepare{SlotBytes: slot}}, "")}
			r.Device.L2Bytes = 50 << 20
			j := &judgedRun{Evaluation: &Evaluation{Session: NewSession(r)},
				run: device.Run{Cases: []int{0, 1}, Cache: c.cache}}
			if got := j.samplesAtOnce(); got != want {
				t.Errorf("%s: %d samples in a slot of %d bytes, expected %d", c.name, got, slot, want)
			}
		}
	}
}

func TestDoesLess(t *testing.T) {
	for _, c := range []struct {
		row, single, launch float64
		want                bool
	}{
		{10e3, 12e3, 4e3, false},
		{10e3, 24.1e3, 4e3, true},
		{10e3, 24.1e3, 0, true},
		{10e3, 19e3, 0, false},
		{500, 4.9e3, 4e3, false}, // a tiny kernel
		{2e3, 0, 4e3, false},     // unknown
		{2e3, math.NaN(), 4e3, false},
	} {
		if got := device.DoesLess(c.row, c.single, c.launch); got != c.want {
			t.Errorf("%g in a row, %g alone: %v", c.row, c.single, got)
		}
	}
}
