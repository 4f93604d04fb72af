package check

import (
	"fmt"
	"math"
	"slices"

	"darwarp/kernels"
)

// Truth is what one output should be, an entry per element in row-major order.
type Truth struct {
	Value []float64 // the double-precision result on the same quantised inputs
	Scale []float32 // S1: the sum of the magnitudes of the terms that were added up
}

// Reference computes the truth of a problem's outputs from its decoded inputs, plainly and on the
// host. It is only for small sizes: it checks the problem's own reference kernel.
type Reference func(inputs [][]float64, dims kernels.Dims) ([]Truth, error)

// Validate reports what makes t unusable for an output of elems elements. A scale that is not
// finite would let anything pass where the value is finite.
func (t Truth) Validate(elems int) error {
	if len(t.Value) != elems || len(t.Scale) != elems {
		return fmt.Errorf("truth has %d values and %d scales: expected %d", len(t.Value), len(t.Scale), elems)
	}
	for i, v := range t.Value {
		s := float64(t.Scale[i])
		if v-v == 0 && !(s >= 0 && s <= math.MaxFloat32) {
			return fmt.Errorf("truth[%d] = %g has scale %g: expected a finite number", i, v, s)
		}
		// The scale is a float32 sum: allow it a part in a thousand.
		if v-v == 0 && math.Abs(v) > s*1.001+math.SmallestNonzeroFloat32 {
			return fmt.Errorf("truth[%d] = %g is larger than its scale %g: expected the sum of magnitudes", i, v, s)
		}
	}
	return nil
}

// Alike reports whether all values are the same.
func (t Truth) Alike() bool {
	return !slices.ContainsFunc(t.Value, func(v float64) bool { return v != t.Value[0] })
}

// Agrees reports the first element at which two truths of sums of k terms differ by more than
// double precision (values) or single precision (scales) explains.
func (t Truth) Agrees(want Truth, k int) error {
	if len(t.Value) != len(want.Value) || len(t.Scale) != len(want.Scale) {
		return fmt.Errorf("truth of %d elements: expected %d", len(t.Value), len(want.Value))
	}
	terms := float64(k + 2) // the worst-case bound of a sum in any order, plus a conversion each side
	for i, w := range want.Value {
		s := float64(want.Scale[i])
		if d := math.Abs(t.Value[i] - w); !(d <= 2*terms*0x1p-53*s) && !sameClass(t.Value[i], w) {
			return fmt.Errorf("value[%d] = %g: expected %g", i, t.Value[i], w)
		}
		if d := math.Abs(float64(t.Scale[i]) - s); !(d <= terms*0x1p-23*s) {
			return fmt.Errorf("scale[%d] = %g: expected %g", i, t.Scale[i], s)
		}
	}
	return nil
}

// sameClass reports whether want is NaN or Inf and got is the same.
func sameClass(got, want float64) bool {
	return want != want && got != got || math.IsInf(want, 0) && got == want
}

// GEMM64 is the truth of C = A*B for row-major A (m by k) and B (k by n).
func GEMM64(a, b []float64, m, n, k int) Truth {
	t := Truth{Value: make([]float64, m*n), Scale: make([]float32, m*n)}
	scale := make([]float64, n)
	for i := range m {
		clear(scale)
		row := t.Value[i*n : (i+1)*n]
		for l := range k {
			x, bs := a[i*k+l], b[l*n:(l+1)*n]
			for j, y := range bs {
				p := x * y
				row[j] += p
				scale[j] += math.Abs(p)
			}
		}
		for j, s := range scale {
			t.Scale[i*n+j] = float32(s)
		}
	}
	return t
}
