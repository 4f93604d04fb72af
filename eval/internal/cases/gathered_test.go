package cases

import (
	"strings"
	"testing"

	"darwarp/eval/internal/device"
)

// TestGathered: where all lines come together in one output, as in a loss, each size with lines of many classes comes
// with ordinary ones, too: beside the largest of many classes nobody sees what is left out of the others. Where lines
// have outputs of their own it does not.
func TestGathered(t *testing.T) {
	for shape, alone := range map[string]bool{`["1"]`: true, `["rows"]`: false, `["cols"]`: false} {
		text := strings.Replace(halved, `["rows", "ceil_div(cols, 2)"]`, shape, 1)
		_, s := parseCases(t, text, Emulated())
		plain, mixed := map[string]bool{}, 0
		for i := range s.List {
			if c := &s.List[i]; c.Class == s.want.plain()[0] {
				plain[sizeName(s.want.Problem, c.Dims)] = true
			}
		}
		missed := 0
		for i := range s.List {
			if c := &s.List[i]; c.Class == device.Mixed && c.Workload == "" {
				if mixed++; !plain[sizeName(s.want.Problem, c.Dims)] {
					missed++
				}
			}
		}
		if mixed < 10 || alone && missed > 10 || !alone && missed < mixed/2 {
			t.Errorf("outputs of %s: %d of %d sizes without ordinary inputs", shape, missed, mixed)
		}
	}
}
