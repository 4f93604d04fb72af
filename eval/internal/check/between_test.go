package check

import (
	"encoding/binary"
	"math"
	"testing"

	"darwarp/kernels"
)

func TestBetween(t *testing.T) {
	bits := func(v ...float32) []byte {
		var b []byte
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		return b
	}
	nan := float32(math.NaN())
	truth := Truth{Value: []float64{1, 1}, Scale: []float32{1, 1}}
	model := Model{K: 1} // the tolerance is 2u of the value, 4u of the scale and little more
	for _, c := range []struct {
		name    string
		a, b    []byte
		exact   bool
		want    Difference
		atLeast float64 // of Worst
	}{
		{"same", bits(1, nan), bits(1, nan), false, Difference{Equal: 2}, 0},
		{"near", bits(1, 1), bits(1, 1+0x1p-23), false, Difference{Equal: 1, Worst: 1. / 3}, 0},
		{"apart", bits(1, 1), bits(1, 1+0x1p-20), false, Difference{Equal: 1, Outside: 1}, 2},
		{"both sides", bits(1-0x1p-22, 1), bits(1+0x1p-22, 1), false, Difference{Equal: 1, Outside: 1}, 1.3},
		{"a NaN", bits(1, 1), bits(1, nan), false, Difference{Equal: 1, Outside: 1}, MaxRatio},
		{"exact", bits(1, 1), bits(1, 1+0x1p-23), true, Difference{Equal: 1, Outside: 1}, MaxRatio},
	} {
		model.Exact = c.exact
		got := Between(c.a, c.b, kernels.FP32, truth, model)
		if got.Equal != c.want.Equal || got.Outside != c.want.Outside || got.Worst < c.atLeast ||
			c.want.Worst > 0 && math.Abs(got.Worst-c.want.Worst) > 1e-6 {
			t.Errorf("%s: %+v, expected %+v with at least %g", c.name, got, c.want, c.atLeast)
		}
	}
}

// TestBetweenBytes: two outputs of e4m3 may be neighbours, and no further apart.
func TestBetweenBytes(t *testing.T) {
	truth := Truth{Value: []float64{17, 17, 17}, Scale: []float32{17, 17, 17}}
	a, b := []float64{16, 16, 18}, []float64{16, 18, 22}
	got := Between(Encode(kernels.E4M3, a), Encode(kernels.E4M3, b), kernels.E4M3, truth, Model{K: 4})
	if got.Equal != 1 || got.Outside != 1 {
		t.Errorf("%+v", got)
	}
}
