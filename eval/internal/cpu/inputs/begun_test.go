package inputs

import (
	"math"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// TestFirstLines: what the list of cases takes the first line, the last one and the outlier of an input for is what is
// filled in.
func TestFirstLines(t *testing.T) {
	c := &device.Case{Class: device.Mixed, Terms: []device.Terms{{Axis: 1}}, Mix: [][]string{{"normal", "zeros", "large"},
		{"normal", "zeros", "lead"}}, Buffers: []kernels.Buffer{{DType: kernels.FP32, Shape: []int{9, 70}},
		{DType: kernels.FP32, Shape: []int{512}}}}
	kinds := map[device.Beginning]int{}
	for seed := range uint64(100) {
		for _, b := range c.Begun(seed) {
			x := filled(t, c, b.Tensor, seed)
			f, err := c.Fill(b.Tensor)
			if err != nil {
				t.Fatal(err)
			}
			if b.Last {
				x = x[(len(x)-1)/f.Len*f.Len:]
			}
			zeros := 0
			for _, v := range x[:64] {
				if v == 0 {
					zeros++
				}
			}
			kinds[b]++
			zero := 2 - b.Tensor // normal, large, zeros; normal, zeros, lead
			if got := zeros == 64; got != (b.Class == zero) || b.Tensor == 0 && b.Class == 1 && math.Abs(x[0]) < 32 {
				t.Fatalf("seed %d: %+v of %v", seed, b, x[:8])
			}
		}
	}
	if len(kinds) != 2*(3+4) {
		t.Errorf("first and last lines of %v", kinds)
	}
	c.Class = "outlier"
	for seed := range uint64(50) {
		f, err := c.Fill(0)
		if err != nil {
			t.Fatal(err)
		}
		x := filled(t, c, 0, seed)
		for line := range 9 {
			at, below, far := device.Outlier(f, seed, uint64(line))
			v, beside := x[line*70+at], x[line*70+(at+1)%70]
			if far && (math.Abs(v) < 32 || v < 0 != below) || !far && (v < beside+4 || v > beside+20) {
				t.Fatalf("seed %d, line %d: number %d is %g, beside it %g", seed, line, at, v, beside)
			}
		}
	}
}
