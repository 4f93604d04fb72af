package inputs

import (
	"slices"
	"testing"

	"darwarp/kernels"
)

func TestInputsDependOnSeedAndTensor(t *testing.T) {
	fill := func(tensor int, seed uint64) []float64 { return values(t, kernels.FP32, "normal", tensor, 80, seed) }
	if !slices.Equal(fill(0, 1), fill(0, 1)) {
		t.Error("the same seed gave other inputs")
	}
	if slices.Equal(fill(0, 1), fill(1, 1)) || slices.Equal(fill(0, 1), fill(0, 2)) {
		t.Error("another tensor or seed gave the same inputs")
	}
}

// TestMix: the published first output of splitmix64 seeded with 0 pins the generator. Its state advances by the
// golden-ratio constant, which key+i does not, so that only the first word is comparable.
func TestMix(t *testing.T) {
	if got := mix(0); got != 0xe220a8397b1dcdaf {
		t.Errorf("splitmix64(0) = %#x", got)
	}
}
