package inputs

import (
	"math"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// TestAlike: in the class alike lines are nearly those of the other input, some to the last bit, and in no other class.
func TestAlike(t *testing.T) {
	const rows, cols = 40, 50
	one := kernels.Buffer{DType: kernels.FP32, Shape: []int{rows, cols}}
	for class, want := range map[string]bool{kernels.Alike: true, "normal": false, "constant": false} {
		c := &device.Case{Class: class, Buffers: []kernels.Buffer{one, one}}
		x, y := filled(t, c, 0, 5), filled(t, c, 1, 5)
		near, equal := 0, 0
		for r := range rows {
			for s := range rows {
				most := 0.0
				for i := range cols {
					most = max(most, math.Abs(x[r*cols+i]-y[s*cols+i]))
				}
				if most < 0.1 {
					near++
				}
				if most == 0 {
					equal++
				}
			}
		}
		if got := near > rows*rows/4 && near < rows*rows && equal > rows && equal < rows*rows/4; got != want {
			t.Errorf("%s: of %d pairs of lines %d are alike, and %d equal", class, rows*rows, near, equal)
		}
	}
}
