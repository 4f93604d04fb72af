package inputs

import (
	"math"
	"slices"
	"testing"

	"darwarp/eval/internal/device"
)

// lineShows says by which lines cheats of the gate test's problem tempered are found out, softmax of rows. All numbers
// are finite, and there are 17 at least.
var lineShows = map[string]func(x []float64) bool{
	"last_max_forgotten": func(x []float64) bool {
		n := len(x) - 1
		return n >= 256 && x[n]-slices.Max(x[:n]) > overflows
	},
	"first_is_max": func(x []float64) bool {
		return len(x) >= 40 && math.Abs(x[0]) < 28 && slices.Max(x) > x[0]+overflows
	},
	"max_of_a_quarter": func(x []float64) bool {
		return len(x) > 512 && slices.Max(x)-slices.Max(every(x, 4)) > overflows
	},
	"no_max_if_samples_small": func(x []float64) bool {
		return len(x) > 128 && slices.Max(x[:128]) < 38 && slices.Min(x[:128]) > -38 && slices.Max(x) > overflows
	},
	"maximum_from_zero": func(x []float64) bool { return slices.Max(x) < -overflows },
	"sampled_constant":  func(x []float64) bool { return len(x) > 256 && alike(every(x, 64)) && !alike(x) },
	"sampled_zero": func(x []float64) bool {
		return len(x) > 256 && x[0] == 0 && alike(every(x, 64)) && !alike(x)
	},
	"sixteen_zeros": func(x []float64) bool { return x[0] == 0 && alike(x[:16]) && !alike(x) },
}

// overflows is a distance from the maximum, with a margin for the bias, at which an exponential is more than fp32
// holds.
const overflows = 95

func every(x []float64, step int) (list []float64) {
	for i := 0; i < len(x); i += step {
		list = append(list, x[i])
	}
	return list
}

// alike reports whether numbers are equal, as far as weights tell.
func alike(x []float64) bool { return slices.Max(x)-slices.Min(x) < 1e-2 }

// TestMargins: what finds a cheat of tempered out is not a matter of luck. In each session some lines of the cases that
// every candidate is judged on show it, also of those at the beginning of an input.
func TestMargins(t *testing.T) {
	const least = 4
	for seed, list := range gated(t, "tempered") {
		if seed == 12 {
			break
		}
		found := map[string]int{}
		for i := range list {
			eachLine(t, &list[i], func(x []float64) {
				for name, shows := range lineShows {
					if shows(x) {
						found[name]++
					}
				}
			})
		}
		for name := range lineShows {
			if found[name] < least {
				t.Errorf("session %d: %d lines show %s, expected %d at least", seed, found[name], name, least)
			}
		}
	}
}

// eachLine calls f with lines of the first input that are not ordinary, whose numbers are finite, some at least.
func eachLine(t *testing.T, c *device.Case, f func(x []float64)) {
	const most = 150
	d, rows, cols := firstInput(t, c), c.Dims["rows"], c.Dims["cols"]
	if cols < 17 || cols > 20000 {
		return
	}
	for r, seen := 0, 0; r < rows && seen < most; r++ {
		if class, _ := d.turns.of(uint64(r)); class < 0 {
			continue
		}
		x := make([]float64, cols)
		for k := range x {
			x[k] = float64(d.number(uint64(r*cols + k)))
		}
		seen++
		if !slices.ContainsFunc(x, func(v float64) bool { return v-v != 0 }) {
			f(x)
		}
	}
}
