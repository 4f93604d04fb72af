package kernels_test

import (
	"testing"

	"darwarp/kernels"
)

// TestMatrixPeak: matrix units multiply inputs of eight bits that are numbers, not codes, twice as fast, and fp32 that
// may be rounded to tf32 half as fast. No problem has the rate of strict fp32 for inputs that matrix units take.
func TestMatrixPeak(t *testing.T) {
	for _, c := range []struct {
		role     string
		input, t kernels.DType // of one input, and of the problem
		operands kernels.DType
		measured kernels.DType
		times    float64
	}{
		{"in", kernels.E4M3, kernels.FP16, "", kernels.FP16, 2},
		{"in", kernels.E5M2, kernels.BF16, "", kernels.BF16, 2},
		{"in", kernels.I8, kernels.FP16, "", kernels.FP16, 2},
		{"in", kernels.I8, kernels.FP32, "", kernels.FP16, 2},
		{"in", kernels.U8, kernels.FP16, "", kernels.FP16, 1},
		{"in", kernels.E8M0, kernels.BF16, "", kernels.BF16, 1},
		{"in", kernels.FP16, kernels.BF16, "", kernels.BF16, 1},
		{"in", kernels.BF16, kernels.FP32, "", kernels.FP16, 1},
		{"in", "", kernels.FP16, "", kernels.FP16, 1},
		{"in", "", kernels.FP32, "", kernels.FP32, 1},
		{"in", "", kernels.FP32, kernels.TF32, kernels.FP16, 0.5},
		{"out", kernels.I8, kernels.FP32, "", kernels.FP32, 1},
	} {
		p := kernels.Problem{Tensors: []kernels.Tensor{{Role: "in"}, {Role: c.role, DType: c.input}},
			Check: kernels.Check{Operands: c.operands}}
		if measured, times := p.MatrixPeak(c.t); measured != c.measured || times != c.times {
			t.Errorf("%s %s in %s, %q: %g of %s, expected %g of %s", c.role, c.input, c.t, c.operands, times, measured,
				c.times, c.measured)
		}
	}
}
