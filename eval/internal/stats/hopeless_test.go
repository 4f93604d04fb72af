package stats

import (
	"math/rand/v2"
	"testing"

	"darwarp/kernels"
)

// TestHopeless: which few pairs end a duel about a promotion, and how.
func TestHopeless(t *testing.T) {
	for _, c := range []struct {
		name   string
		ratios [][]float64 // by workload
		want   bool
		loss   kernels.Verdict
	}{
		{"none", [][]float64{{}}, false, ""},
		{"two lost", [][]float64{{1.2, 1.3}}, false, ""},
		{"three lost", [][]float64{{1.2, 1.3, 1.4}}, true, kernels.Slower},
		{"three equal", [][]float64{{1, 1, 1}}, true, kernels.Same},
		{"three lost, by little", [][]float64{{1.001, 1.2, 1.003}}, true, kernels.Ambiguous},
		{"one of three won", [][]float64{{0.9999, 1.3, 1.4}}, false, ""},
		{"one of nine won", [][]float64{{0.99, 1, 1, 1, 1, 1, 1, 1, 1}}, false, ""},
		{"one of ten won", [][]float64{{0.9, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, true, kernels.Ambiguous},
		{"ten won by less than the margin", [][]float64{{.996, .996, .996, .996, .996, .996, .996, .996, .996, .996}}, true,
			kernels.Same},
		{"two of ten won", [][]float64{{0.9, 0.994, 1, 1, 1, 1, 1, 1, 1, 1}}, false, ""},
		{"one workload won", [][]float64{{1.1, 1.1, 1.1}, {0.7, 0.8, 0.7}}, false, ""},
		{"one workload won, by less", [][]float64{{1.2, 1.2, 1.2}, {0.9, 0.9, 0.9}}, true, kernels.Slower},
		{"one workload has fewer pairs", [][]float64{{1.2, 1.2, 1.2}, {1.2, 1.2}}, false, ""},
	} {
		weights := make([]float64, len(c.ratios))
		for i := range weights {
			weights[i] = 1
		}
		d := NewDuel(weights, MinMargin, 1)
		for w, list := range c.ratios {
			for _, r := range list {
				d.Add(w, 1000, 1000*r)
			}
		}
		if got := d.Hopeless(); got != c.want {
			t.Errorf("%s: %v, expected %v", c.name, got, c.want)
		} else if got && d.Loss() != c.loss {
			t.Errorf("%s: %s, expected %s", c.name, d.Loss(), c.loss)
		}
	}
}

// TestHopelessIsRare: hardly any challenger that is faster is taken for hopeless, and most that are not.
func TestHopelessIsRare(t *testing.T) {
	for _, c := range []struct {
		name     string
		ratio    float64
		pairs    int
		set      func(*device)
		min, max float64 // share of hopeless ones
	}{
		{"gain of 3 %, three pairs", 0.97, fewPairs, nil, 0, 0.002},
		{"gain of 1.5 %, three pairs", 0.985, fewPairs, nil, 0, 0.01},
		{"gain of 1.5 %, ten pairs", 0.985, tenPairs, nil, 0, 0.002},
		{"gain of 2 %, ten pairs, heavy tails", 0.98, tenPairs, func(d *device) { d.noise = heavy }, 0, 0.002},
		{"at the margin, ten pairs", 1 - MinMargin, tenPairs, nil, 0, 0.025},
		{"equal, hardly any noise", 1, tenPairs, quiet, 0.95, 1},
		{"gain of 0.2 %, hardly any noise", 0.998, tenPairs, quiet, 0.5, 1},
		{"gain of 0.7 %, hardly any noise", 0.993, tenPairs, quiet, 0, 0.01},
		{"loss of 1.5 %, three pairs", 1.015, fewPairs, nil, 0.5, 1},
	} {
		const trials = 2000
		hopeless := 0
		for i := range trials {
			d := newDevice(uint64(i))
			if c.set != nil {
				c.set(d)
			}
			if d.some(c.ratio, c.pairs).Hopeless() {
				hopeless++
			}
		}
		if share := float64(hopeless) / trials; share < c.min || share > c.max {
			t.Errorf("%s: %.4f hopeless, expected %g to %g", c.name, share, c.min, c.max)
		}
	}
}

// quiet makes the noise that of a GPU with steady clocks.
func quiet(d *device) {
	d.noise = func(r *rand.Rand) float64 { return 0.001 * r.NormFloat64() }
}

// some are the first pairs of a duel.
func (d *device) some(ratio float64, pairs int) *Duel {
	duel := NewDuel([]float64{1}, MinMargin, 1)
	for i := range pairs {
		var t [2]float64
		order := []int{0, 1}
		if !ChampionFirst(i) {
			order = []int{1, 0}
		}
		for _, side := range order {
			t[side] = d.time([]float64{1e5, 1e5 * ratio}[side])
		}
		duel.Add(0, t[0], t[1])
	}
	return duel
}
