package check

import (
	"math"
	"math/rand/v2"
	"testing"

	"darwarp/kernels"
)

// normalised is a layernorm of rows in fp32 without weights: teams of threads add up what they have of a row, and then
// their sums. in is what the kernel takes of a number.
func normalised(x []float64, cols, threads int, in func(float64) float64) []float64 {
	out := make([]float64, len(x))
	for row := 0; row < len(x); row += cols {
		sum := func(f func(float32) float32) (total float32) {
			for t := range threads {
				var part float32
				for c := t; c < cols; c += threads {
					part += f(float32(in(x[row+c])))
				}
				total += part
			}
			return total / float32(cols)
		}
		mean := sum(func(v float32) float32 { return v })
		variance := sum(func(v float32) float32 { return (v - mean) * (v - mean) })
		scale := 1 / float32(math.Sqrt(float64(variance)+1e-5))
		for c := range cols {
			out[row+c] = float64((float32(in(x[row+c])) - mean) * scale)
		}
	}
	return out
}

// layernormTruth is what kernels/layernorm/reference.cu makes where weights are 1 and biases 0.
func layernormTruth(x []float64, cols int) Truth {
	t := Truth{Value: make([]float64, len(x)), Scale: make([]float32, len(x))}
	for row := 0; row < len(x); row += cols {
		sum, magnitude, squares := 0.0, 0.0, 0.0
		for _, v := range x[row : row+cols] {
			sum, magnitude = sum+v, magnitude+math.Abs(v)
		}
		mean := sum / float64(cols)
		for _, v := range x[row : row+cols] {
			squares += (v - mean) * (v - mean)
		}
		scale := 1 / math.Sqrt(squares/float64(cols)+1e-5)
		for c := range cols {
			d := x[row+c] - mean
			t.Value[row+c] = d * scale
			t.Scale[row+c] = float32(scale * (2*math.Abs(d) + magnitude/float64(cols)))
		}
	}
	return t
}

// TestCoherent: the error of a long row's mean is in all of the row, and large beside what comes out of it where its
// numbers are all the same. An H200 refused 86 right kernels of layernorm at 27x47334, with such rows among others,
// before the bound on the whole output knew of it. Numbers that are rounded on the way are found all the same.
func TestCoherent(t *testing.T) {
	const rows, cols = 3, 47334
	exact := func(v float64) float64 { return v }
	rng := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		name            string
		offset          float64
		constant, found bool // the first row; numbers that are rounded
	}{{"normal", 0, false, true}, {"offset", 30, false, true}, {"far", 1000, false, true}, {"constant", 0, true, false}} {
		x := make([]float64, rows*cols)
		for i := range x {
			x[i] = Round(kernels.FP32, tt.offset+rng.NormFloat64())
			if tt.constant && i < cols {
				x[i] = Round(kernels.FP32, 0.3)
			}
		}
		truth := layernormTruth(x, cols)
		judge := func(out []float64, coherent bool) Report {
			return Judge(Encode(kernels.FP32, out), kernels.FP32, truth, Model{K: cols/32 + 8, Coherent: coherent})
		}
		right := normalised(x, cols, 8, exact)
		if r := judge(right, true); !r.Pass() {
			t.Errorf("%s: %s", tt.name, r.Explain("y", []int{rows, cols}))
		}
		if judge(right, false).Pass() == tt.constant {
			t.Errorf("%s: the bound on sums that scatter: %v", tt.name, !tt.constant)
		}
		for name, in := range map[string]func(float64) float64{
			"tf32": func(v float64) float64 { return round(v, 11, -126, math.MaxFloat32) },
			"bf16": func(v float64) float64 { return Round(kernels.BF16, v) },
		} {
			if tt.found && judge(normalised(x, cols, 32, in), true).Pass() {
				t.Errorf("%s: nobody sees numbers of %s", tt.name, name)
			}
		}
	}
}
