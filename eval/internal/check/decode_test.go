package check

import (
	"math"
	"testing"

	"darwarp/kernels"
)

// TestDecode64: two sequences of 3 and 1 keys in pages of 2, two query heads to the only one of the cache, two tokens.
// The values are those of one key each, so that an output tells whose weights are in it.
func TestDecode64(t *testing.T) {
	d := kernels.Dims{"b": 2, "h": 1, "g": 2, "t": 2, "s": 4, "d": 1, "page": 2}
	queries := []float64{0, 1, 2, 0, 1, 1, 1, 1}
	keys := []float64{9, 9, 30, 9, 1, 2, 3, 9} // pages 3, 2 are the first sequence's, 1, 0 the second's
	values := []float64{9, 9, 7, 9, 100, 50, 10, 9}
	table := []float64{2, 3, 1, 0}
	mean := func(q float64, n int) float64 { // of the first sequence's first n keys
		sum, total := 0.0, 0.0
		for i := range n {
			w := math.Exp(q * keys[4+i])
			sum, total = sum+w*values[4+i], total+w
		}
		return sum / total
	}
	want := []float64{mean(0, 2), mean(1, 3), mean(2, 2), mean(0, 3), 0, 7, 0, 7}
	got, _ := Decode64(kernels.BF16, d, [][]float64{queries, keys, values, {3, 1}, table})
	for i, w := range want {
		if math.Abs(got.Value[i]-w) > 1e-12 || (got.Scale[i] == 0) != (w == 0) {
			t.Errorf("output %d is %g, of scale %g: expected %g", i, got.Value[i], got.Scale[i], w)
		}
	}
	d["window"], d["cap"] = 1, 5
	one := []float64{50, 10, 50, 10, 0, 7, 0, 7} // the last key that a token sees
	last, _ := Decode64(kernels.BF16, d, [][]float64{queries, keys, values, {3, 1}, table})
	for i, g := range last.Value {
		if g != one[i] {
			t.Errorf("with a window of one key, output %d is %g: expected %g", i, g, one[i])
		}
	}
}

// TestDecodeFP8: two heads of the cache with scales of their own, one token, keys and values of 1 and 2.
func TestDecodeFP8(t *testing.T) {
	for _, page := range []int{0, 2} {
		d := kernels.Dims{"b": 1, "h": 2, "g": 1, "t": 1, "s": 2, "d": 1, "page": page}
		cache := []float64{1, 2, 1, 2}
		got := DecodeFP8(kernels.BF16, d, [][]float64{{1, 1}, cache, cache, {1, 3}, {2, 4}, {2}, {0}})
		for head, scale := range []float64{1, 3} { // of keys
			a, b := math.Exp(scale), math.Exp(2*scale)
			o, lse := []float64{2, 4}[head]*(a+2*b)/(a+b), math.Log(a+b)
			if math.Abs(got[0].Value[head]-o) > 1e-12 || math.Abs(got[1].Value[head]-lse) > 1e-12 {
				t.Errorf("pages of %d, head %d: %g and %g, expected %g and %g", page, head, got[0].Value[head],
					got[1].Value[head], o, lse)
			}
		}
	}
	none := DecodeFP8(kernels.BF16, kernels.Dims{"b": 1, "h": 1, "g": 1, "t": 2, "s": 1, "d": 1},
		[][]float64{{1, 1}, {1}, {1}, {1}, {1}, {1}, {0}})
	if sum := none[1]; !math.IsInf(sum.Value[0], -1) || sum.Scale[0] != 0 || sum.Value[1] != 1 {
		t.Errorf("logarithms of no key and of one: %v", sum)
	}
}
