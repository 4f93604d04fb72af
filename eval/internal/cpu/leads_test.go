package cpu

import (
	"slices"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/cpu/inputs"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// TestSameLeadsAsTheGPU does so for lines that begin with zeros among others: a quarter of them have a single number.
func TestSameLeadsAsTheGPU(t *testing.T) {
	p := harness(t)
	const rows, cols, n, seed = 128, 70, 128 * 70, 77
	one := kernels.Buffer{DType: kernels.FP32, Shape: []int{rows, cols}}
	c := &device.Case{Class: device.Mixed, Mix: [][]string{{"zeros", "lead"}, {"normal", "lead"}},
		Buffers: []kernels.Buffer{one, one}}
	for tensor := range 2 {
		f, err := c.Fill(tensor)
		if err != nil {
			t.Fatal(err)
		}
		theirs := memory(t, n*4)
		p.call(t, "dw_fill", theirs, n, 2, uint64(f.Classes), uint64(tensor), seed, uint64(f.Inner), uint64(f.Len),
			0, 0, 0, 0, 0, 0)
		ours, got, want, sparse := make([]byte, 4*n), make([]float64, n), make([]float64, n), 0
		if err := inputs.Floats(ours, kernels.FP32, f, seed); err != nil {
			t.Fatal(err)
		}
		check.Decode(kernels.FP32, ours, got)
		check.Decode(kernels.FP32, theirs, want)
		near(t, "lead", got, want, kernels.FP32)
		for line := range slices.Chunk(got, cols) {
			zeros := 0
			for _, v := range line {
				if v == 0 {
					zeros++
				}
			}
			if zeros == cols-1 {
				sparse++
			}
		}
		if sparse < 4 || sparse > rows/4 {
			t.Errorf("input %d: %d of %d lines have a single number", tensor, sparse, rows)
		}
	}
}
