package kernels_test

import (
	"testing"

	"darwarp/kernels"
)

// TestMatrixRate: what matrix units multiply twice as fast are inputs of eight bits that are numbers, not codes.
func TestMatrixRate(t *testing.T) {
	for _, c := range []struct {
		role string
		t    kernels.DType
		want float64
	}{
		{"in", kernels.E4M3, 2}, {"in", kernels.E5M2, 2}, {"in", kernels.I8, 2},
		{"in", kernels.U8, 1}, {"in", kernels.E8M0, 1}, {"in", kernels.FP16, 1}, {"in", "", 1}, {"out", kernels.I8, 1},
	} {
		p := kernels.Problem{Tensors: []kernels.Tensor{{Role: "in"}, {Role: c.role, DType: c.t}}}
		if got := p.MatrixRate(); got != c.want {
			t.Errorf("%s %s: %g, expected %g", c.role, c.t, got, c.want)
		}
	}
}
