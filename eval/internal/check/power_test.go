package check

import (
	"math/rand/v2"
	"testing"

	"darwarp/kernels"
)

// TestPasses: what is as near as rounding does not count as passing, what is farther and within the tolerance does.
func TestPasses(t *testing.T) {
	truth := plain(repeat(1, 100)...)
	for i := range truth.Scale {
		truth.Scale[i] = 1e4
	}
	trial := Trial{DType: kernels.FP32, Model: Model{K: 1 << 16}, Truth: truth, Shape: []int{100}}
	for _, c := range []struct {
		factor float64
		want   bool
	}{{1, false}, {1 + 0x1p-24, false}, {1.5, true}, {3e4, false}} {
		wrong := repeat(c.factor, 100)
		if got := trial.Passes(wrong); got != c.want {
			t.Errorf("x%g: %v", c.factor, got)
		}
	}
}

// TestLimited: normal numbers suit a half accumulator up to some ten thousand terms, and float32 always.
func TestLimited(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		k    int
		acc  kernels.DType
		want bool
	}{{1024, kernels.FP16, false}, {16384, kernels.FP16, true}, {256, kernels.BF16, true}, {16384, kernels.FP32, false}} {
		p := newProduct(rng, inputClasses[0], kernels.FP16, 32, 32, c.k)
		trial := Trial{DType: kernels.FP16, Model: Model{K: c.k, Acc: c.acc}, Truth: p.truth, Shape: []int{32, 32}}
		if got := trial.Limited(); got != c.want {
			t.Errorf("%d terms in %s: %v", c.k, c.acc, got)
		}
	}
}
