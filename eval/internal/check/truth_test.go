package check

import (
	"math"
	"slices"
	"testing"

	"darwarp/kernels"
)

func TestUnfitScale(t *testing.T) {
	for _, s := range []float32{float32(math.Inf(1)), float32(math.NaN())} {
		truth := Truth{Value: []float64{1, 1}, Scale: []float32{1, s}}
		if truth.Validate(2) == nil {
			t.Errorf("scale %g is valid", s)
		}
		for _, got := range []float64{1.001, 1e30, math.Inf(1)} {
			if r := Judge(Encode(kernels.FP32, []float64{1, got}), kernels.FP32, truth, Model{K: 1}); r.Pass() {
				t.Errorf("scale %g lets %g pass", s, got)
			}
		}
	}
}

func TestTruth(t *testing.T) {
	a, b := []float64{1, 2, 3, 4, 5, 6}, []float64{1, 0, -1, 2, 3, 1}
	got := GEMM64(a, b, 2, 2, 3)
	if want := []float64{8, 7, 17, 16}; !slices.Equal(got.Value, want) {
		t.Errorf("value %v, want %v", got.Value, want)
	}
	if want := []float32{12, 7, 27, 16}; !slices.Equal(got.Scale, want) {
		t.Errorf("scale %v, want %v", got.Scale, want)
	}
	if err := got.Validate(4); err != nil {
		t.Error(err)
	}
	if got.Validate(5) == nil || (Truth{Value: []float64{2}, Scale: []float32{1}}).Validate(1) == nil {
		t.Error("an unfit truth is valid")
	}
	if err := got.Agrees(GEMM64(a, b, 2, 2, 3), 3); err != nil {
		t.Error(err)
	}
	for name, f := range map[string]func(*Truth){
		"value": func(t *Truth) { t.Value[2] += 1e-12 },
		"NaN":   func(t *Truth) { t.Value[1] = math.NaN() },
		"scale": func(t *Truth) { t.Scale[3] *= 1.01 },
	} {
		other := GEMM64(a, b, 2, 2, 3)
		f(&other)
		if other.Agrees(got, 3) == nil {
			t.Errorf("a different %s agrees", name)
		}
	}
}
