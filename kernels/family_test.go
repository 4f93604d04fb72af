package kernels

import (
	"strings"
	"testing"
)

func TestCheckNamesEveryBrokenConstraint(t *testing.T) {
	f := mustFamily(t, familyTOML)
	err := f.Check(Genome{"mma": String("wmma"), "tile": Int(16), "warps": Int(8)}, Device{MaxThreads: 128}, FP16)
	want := "illegal: a block has at most that many threads (threads <= device.max_threads)\nillegal: warps tile the " +
		"block (mma == 'fma' || tile % (4 * warps) == 0)"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestFamilyRuns(t *testing.T) {
	for _, c := range []struct {
		arch string
		cc   int
		want bool
	}{{"sm_80", 80, true}, {"sm_80", 90, true}, {"sm_80", 75, false}, {"sm_90a", 90, true}, {"sm_90a", 100, false},
		{"sm_100a", 100, true}} {
		f := mustFamily(t, strings.Replace(familyTOML, "sm_80", c.arch, 1))
		if got := f.Runs(Device{CC: c.cc}); got != c.want {
			t.Errorf("%s on %d: %v", c.arch, c.cc, got)
		}
	}
}

func TestAccumulator(t *testing.T) {
	f := mustFamily(t, familyTOML)
	if got := f.Accumulator(Genome{"acc": String("fp16")}); got != FP16 {
		t.Errorf("got %s", got)
	}
	if got := f.Accumulator(Genome{}); got != FP32 {
		t.Errorf("default: %s", got)
	}
}
