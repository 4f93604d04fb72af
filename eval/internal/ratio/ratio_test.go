package ratio

import (
	"strings"
	"testing"

	"darwarp/kernels"
)

// TestTooFar: times that cannot be those of devices of one model are told as people read times.
func TestTooFar(t *testing.T) {
	timed := func(ns float64) []kernels.Timing {
		return []kernels.Timing{{Workload: "w", Median: ns, Lo: ns, Hi: ns}}
	}
	for _, tt := range []struct {
		first, other float64
		want         string
	}{
		{12.6e6, 2_859_000, "w: 12.6 ms on the first, 2.859 ms on this one"},
		{2.5e9, 940.26, "w: 2.5 s on the first, 940.3 ns on this one"},
		{1e3, 99_990, "w: 1 us on the first, 99.99 us on this one"},
	} {
		if _, err := Compare(nil, timed(tt.first), timed(tt.other)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, expected %q", err, tt.want)
		}
	}
	if _, err := Compare(nil, timed(1e6), timed(0.9e6)); err != nil {
		t.Error(err)
	}
}
