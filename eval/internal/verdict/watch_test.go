package verdict

import (
	"slices"
	"testing"
	"time"

	"darwarp/eval/internal/stats"
)

// TestWatch: samples are asked for few at a time until the screen is over, and until what is far from the bar is known
// to be, or the rule has had enough; those that came with the last are counted.
func TestWatch(t *testing.T) {
	limits := stats.Limits{Min: 4, Max: 6, Noise: 1e-9, GPU: time.Hour, Wall: time.Hour}
	for _, tt := range []struct {
		name    string
		bar     float64
		samples [][]float64 // by request
		next    []int       // how many of 20 are asked for after each; 0: none, it is done
		slow    bool
	}{
		{"no bar", 0, [][]float64{{50, 60, 55}, {50, 60, 55}}, []int{20, 0}, false},
		{"far away", 10, [][]float64{{41}}, []int{0}, true},
		{"far away at first alone", 10, [][]float64{{39}, {41}, {14}}, []int{3, 3, 20}, false},
		{"slow", 10, [][]float64{{16, 17, 18}}, []int{0}, true},
		{"slow but for one", 10, [][]float64{{16, 17, 14}, {16, 18, 17}}, []int{20, 0}, false},
		{"slow later", 10, [][]float64{{11, 12, 10}, {40, 41}}, []int{20, 20}, false},
		{"slow, one by one", 10, [][]float64{{16}, {17}, {18}}, []int{3, 3, 0}, true},
		{"settled", 0, [][]float64{{10, 10, 10}, {10, 10, 10, 10}}, []int{20, 0}, false},
	} {
		var none *watch
		if n := none.atOnce(20); n != FirstSamples || none.atOnce(1) != 1 {
			t.Errorf("%d at first", n)
		}
		w := newWatch(tt.bar, stats.NewStop(limits, 1))
		for i, samples := range tt.samples {
			w.see(samples)
			next := w.atOnce(20)
			if w.done {
				next = 0
			}
			if next != tt.next[i] {
				t.Errorf("%s: %d more after request %d, expected %d", tt.name, next, i, tt.next[i])
			}
		}
		if all := slices.Concat(tt.samples...); !slices.Equal(w.stop.Samples(), all) || w.screen.Slow() != tt.slow {
			t.Errorf("%s: %v, slow %v", tt.name, w.stop.Samples(), w.screen.Slow())
		}
	}
}
