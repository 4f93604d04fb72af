package cpu

import (
	"bytes"
	"testing"

	"darwarp/eval/internal/cpu/inputs"
	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
)

// sameDraws holds whole numbers against the device code that their generator, inputs.Drawn, is a port of.
func sameDraws(t *testing.T, p *program) {
	for _, c := range []struct {
		t kernels.DType
		d kernels.Drawn
	}{
		{kernels.I64, kernels.Drawn{High: 99, Share: 8, Also: -100}},
		{kernels.I32, kernels.Drawn{High: 70000, Share: 2, Also: 255, How: kernels.Clustered}},
		{kernels.I32, kernels.Drawn{Low: 1, High: 1}}, {kernels.I32, kernels.Drawn{Low: -1 << 31, High: 1<<31 - 1}},
		{kernels.I32, kernels.Drawn{Low: 1, High: 300, How: kernels.Lengths}},
		{kernels.I64, kernels.Drawn{Low: -70, High: 5, How: kernels.Lengths}},
		{kernels.I64, kernels.Drawn{High: 999}}, {kernels.I64, kernels.Drawn{How: kernels.Permutation}},
		{kernels.I32, kernels.Drawn{How: kernels.Permutation}}, {kernels.Mask, kernels.Drawn{High: 1}},
		{kernels.I32, kernels.Drawn{High: 70000, How: kernels.Offsets}},
		{kernels.I32, kernels.Drawn{How: kernels.NearlyInOrder}}, {kernels.I64, kernels.Drawn{How: kernels.NearlyInOrder}},
		{kernels.I64, kernels.Drawn{Low: 9, High: 12345, How: kernels.Offsets}},
		{kernels.I32, kernels.Drawn{High: 70000, How: kernels.Skewed}},
		{kernels.I64, kernels.Drawn{Low: 9, High: 12345, How: kernels.Skewed}},
		{kernels.I32, kernels.Drawn{Low: -1, High: 70000, How: kernels.Clustered}},
		{kernels.I64, kernels.Drawn{Low: 5, High: 6, How: kernels.Clustered}},
		{kernels.Mask, kernels.Drawn{High: 1, How: kernels.Clustered}},
		{kernels.I32, kernels.Drawn{Low: -1, High: 70000, How: kernels.Agreed}},
		{kernels.I64, kernels.Drawn{Low: 5, High: 6, How: kernels.Agreed}},
		{kernels.I32, kernels.Drawn{Low: -1 << 27, High: 1 << 20, How: kernels.Unbounded}},
		{kernels.I32, kernels.Drawn{Low: -1 << 8, High: 2, How: kernels.Unbounded}},
		{kernels.U8, kernels.Drawn{High: 255, How: kernels.Clustered}},
		{kernels.I8, kernels.Drawn{Low: -128, High: 127, How: kernels.Clustered}},
		{kernels.U8, kernels.Drawn{High: 255}}, {kernels.I8, kernels.Drawn{Low: -128, High: 127}},
	} {
		for _, n := range []int{1, 2, 3, 16, 17, 1000} {
			theirs, ours := memory(t, c.t.Size()*n), make([]byte, c.t.Size()*n)
			how := map[kernels.Draw]uint64{kernels.Lengths: 1, kernels.Permutation: 2,
				kernels.Offsets: 3, kernels.Skewed: 4, kernels.Clustered: 5,
				kernels.NearlyInOrder: 6, kernels.Agreed: 7, kernels.Unbounded: 8}[c.d.How]
			p.call(t, "dw_draw", theirs, uint64(n), uint64(gpu.DTypeCodes[c.t]), 3, 12345, uint64(int64(c.d.Low)),
				uint64(int64(c.d.High)), how, uint64(c.d.Share), uint64(int64(c.d.Also)))
			inputs.Drawn(ours, c.t, &c.d, 3, 12345)
			if !bytes.Equal(ours, theirs[:len(ours)]) {
				t.Errorf("%d %s of %+v: %v here, %v there", n, c.t, c.d, ours, theirs)
			}
		}
	}
}
