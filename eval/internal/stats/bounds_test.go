package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBounds: each one-sided bound misses the true ratio about once in 200.
func TestBounds(t *testing.T) {
	above, below, trials := 0, 0, 1000
	for i := range trials {
		rng := rand.New(rand.NewPCG(uint64(i), 17))
		d := NewDuel([]float64{1}, MinMargin, uint64(i))
		for range MinPairs {
			d.Add(0, math.Exp(0.01*rng.NormFloat64()), math.Exp(0.01*rng.NormFloat64()))
		}
		_, _, lo, hi := d.Verdict()
		if hi < 1 {
			below++
		}
		if lo > 1 {
			above++
		}
	}
	if above+below > 2*trials/50 || above+below == 0 {
		t.Errorf("%d above and %d below of %d: want about %d each", above, below, trials, trials/200)
	}
}

// TestResampledMedian compares counting with the definition on the same draws.
func TestResampledMedian(t *testing.T) {
	for n := 1; n < 40; n++ {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i * i)
		}
		a, b := rand.NewPCG(1, uint64(n)), rand.NewPCG(1, uint64(n))
		for range 50 {
			var draws []float64
			for len(draws) < n {
				u := b.Uint64()
				draws = append(draws, values[u>>32*uint64(n)>>32], values[u&math.MaxUint32*uint64(n)>>32])
			}
			want := Median(draws[:n])
			if got := resampledMedian(a, values, make([]uint16, n)); got != want {
				t.Fatalf("n=%d: %g, want %g of %v", n, got, want, draws[:n])
			}
		}
	}
}

func TestMargin(t *testing.T) {
	if Margin(0) != 0.005 || Margin(0.001) != 0.005 || Margin(0.01) != 0.02 {
		t.Error("the margin is not max(0.5 %, twice the noise)")
	}
	d := newDevice(1).duel(1, 1, 1)
	if n := d.Noise(); n < 0.0005 || n > 0.004 {
		t.Errorf("noise of a kernel against itself: %g", n)
	}
}

func BenchmarkVerdict(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	d := NewDuel([]float64{1}, MinMargin, 1)
	for range MaxPairs {
		d.Add(0, math.Exp(0.01*rng.NormFloat64()), math.Exp(0.01*rng.NormFloat64()))
	}
	for b.Loop() {
		d.judged = 0
		d.Verdict()
	}
}
