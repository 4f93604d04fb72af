package check

import (
	"math"

	"darwarp/kernels"
)

// Difference is how far two outputs are apart.
type Difference struct {
	Equal   int     // elements with the same value
	Outside int     // elements apart by more than the tolerance of one of them
	Worst   float64 // the greatest difference over its tolerance, at most MaxRatio
}

// Between compares two outputs of one computation, each of which may differ from the truth by the model's
// tolerance. What they may differ from each other is taken to be no more than that. Both must have as many
// elements as the truth. NaN equals NaN.
func Between(a, b []byte, d kernels.DType, truth Truth, m Model) Difference {
	n := len(truth.Value)
	x, y := make([]float64, n), make([]float64, n)
	Decode(d, a, x)
	Decode(d, b, y)
	t := m.tolerance(d)
	var out Difference
	for i := range n {
		if x[i] == y[i] || x[i] != x[i] && y[i] != y[i] {
			out.Equal++
			continue
		}
		tol := t.of(truth.Value[i], float64(truth.Scale[i]))
		if coarse(d) { // they may be neighbours, on either side of the truth
			_, one := t.stored(truth.Value[i], truth.Value[i], float64(truth.Scale[i]))
			tol = 2 * one
		}
		ratio := finiteRatio(math.Abs(x[i]-y[i]) / tol)
		if ratio > 1 {
			out.Outside++
		}
		out.Worst = max(out.Worst, ratio)
	}
	return out
}
