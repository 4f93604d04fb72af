package measure

import (
	"testing"

	"darwarp/kernels"
)

// TestComparePairs: what has no interval is not told to be slower, and a recording that is read again is not told to be
// as fast as it was.
func TestComparePairs(t *testing.T) {
	at := func(lo, median, hi float64) kernels.Timing {
		return kernels.Timing{Workload: "w", Cache: "hot", Lo: lo, Median: median, Hi: hi}
	}
	for _, x := range []struct {
		name     string
		old, now kernels.Timing
		replayed bool
		want     string
		holds    bool
	}{
		{"the same", at(99, 100, 101), at(98, 100, 102), false, "same", true},
		{"within the drift", at(99, 100, 101), at(102, 103, 104), false, "same", true},
		{"slower", at(99, 100, 101), at(119, 120, 121), false, "slower", false},
		{"faster", at(99, 100, 101), at(79, 80, 81), false, "faster", true},
		{"one sample then", at(100, 100, 100), at(199, 200, 201), false, oneSample, true},
		{"one sample now", at(99, 100, 101), at(200, 200, 200), false, oneSample, true},
		{"a recording", at(99, 100, 101), at(99, 100, 101), true, asRecorded, true},
		{"another recording", at(99, 100, 101), at(99, 101, 101), true, notAsRecorded, false},
	} {
		got := comparePairs([]kernels.Timing{x.old}, []kernels.Timing{x.now}, x.replayed)
		if len(got) != 1 || got[0].Verdict != x.want {
			t.Errorf("%s: %+v, want %s", x.name, got, x.want)
		}
		v := Verified{Outcome: kernels.OK, Times: got}
		if v.Holds(VerifyOptions{}) != x.holds {
			t.Errorf("%s: holds %t", x.name, !x.holds)
		}
	}
	cold := []kernels.Timing{{Workload: "w", Cache: "cold"}}
	if got := comparePairs([]kernels.Timing{at(1, 2, 3)}, cold, false); got != nil {
		t.Errorf("hot compared with cold: %+v", got)
	}
}
