package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// blockOf is pairs of equal kernels with some noise, and clocks.
func blockOf(seed uint64, noise float64, mhz func(i int) float64) Block {
	rng := rand.New(rand.NewPCG(seed, 3))
	var b Block
	for i := range 20 {
		b.A = append(b.A, 100*math.Exp(noise*rng.NormFloat64()))
		b.B = append(b.B, 100*math.Exp(noise*rng.NormFloat64()))
		b.ClockA, b.ClockB = append(b.ClockA, mhz(i)), append(b.ClockB, mhz(i))
	}
	return b
}

func steady(mhz float64) func(int) float64 { return func(int) float64 { return mhz } }

func TestDisturbed(t *testing.T) {
	calm := blockOf(1, 0.01, steady(1980))
	visited, once := blockOf(2, 0.01, steady(1980)), blockOf(3, 0.01, steady(1980))
	for i := range 7 {
		visited.A[3*i%20] *= 3
	}
	once.B[4] *= 50
	falls := func(from int) func(int) float64 {
		return func(i int) float64 {
			if i >= from {
				return 0.6 * 1980
			}
			return 1980
		}
	}
	for _, c := range []struct {
		name   string
		calm   Calm
		before []Block
		b      Block
		want   string // how the reason begins
	}{
		{"calm", Calm{}, nil, calm, ""},
		{"nothing known of clocks", Calm{}, nil, Block{A: calm.A, B: calm.B}, ""},
		{"clocks of 0", Calm{}, nil, blockOf(1, 0.01, steady(0)), ""},
		{"no pairs", Calm{Spread: 0.01}, nil, Block{}, ""},
		{"a clock that is low for good", Calm{}, nil, blockOf(1, 0.01, steady(1200)), ""},
		{"it falls within the block", Calm{}, nil, blockOf(1, 0.01, falls(10)), "throttled: SM clock 1188 of 1980 MHz"},
		{"it falls for the last samples", Calm{}, nil, blockOf(1, 0.01, falls(17)), ""},
		{"it fell between two blocks", Calm{}, []Block{calm}, blockOf(1, 0.01, falls(0)), "throttled"},
		{"held down by the power limit", Calm{Capped: true}, []Block{calm}, blockOf(1, 0.01, falls(0)), ""},
		{"as a heavy kernel draws it down", Calm{}, []Block{calm}, blockOf(1, 0.01, steady(1600)), ""},
		{"a visitor", Calm{}, nil, visited, "stolen: 7 of 20"},
		{"a spike", Calm{}, nil, once, ""},
		{"noisy", Calm{Spread: 0.002}, nil, blockOf(4, 0.1, steady(1980)), "noisy"},
		{"as noisy as ever", Calm{Spread: 0.15}, nil, blockOf(4, 0.1, steady(1980)), ""},
		{"noise that nobody knows the measure of", Calm{}, nil, blockOf(4, 0.1, steady(1980)), ""},
	} {
		for _, b := range c.before {
			c.calm.Learn(b)
		}
		if got := c.calm.Disturbed(c.b); got != c.want && (c.want == "" || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: %q, expected %q", c.name, got, c.want)
		}
	}
}

// The ordinary behaviour of the simulated device is no disturbance: 1 % of noise and a spike in 33.
func TestOrdinaryLifeIsCalm(t *testing.T) {
	discarded := 0
	for seed := range uint64(500) {
		d := newDevice(seed)
		var b Block
		for range 20 {
			b.A, b.B = append(b.A, d.time(1e5)), append(b.B, d.time(1e5))
		}
		c := Calm{Spread: 0.019} // of a pair of normal samples with 1 %
		if c.Disturbed(b) != "" {
			discarded++
		}
	}
	if discarded > 2 {
		t.Errorf("%d of 500 blocks are discarded", discarded)
	}
	if s := (Block{A: []float64{1, 1, 1, 1}, B: slices.Repeat([]float64{2}, 4)}).Spread(); s != 0 {
		t.Errorf("equal ratios spread by %g", s)
	}
}
