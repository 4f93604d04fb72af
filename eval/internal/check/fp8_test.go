package check

import (
	"math"
	"math/rand/v2"
	"testing"

	"darwarp/kernels"
)

// fp8Unit is a matrix unit of Hopper on eight-bit operands: 32 products and the sum so far are aligned to the largest
// of them and cut off 13 bits below its leading one. After so many terms its sum is added to one in float32; 0: never.
func fp8Unit(promote int) func(a, b []float32) float64 {
	return func(a, b []float32) float64 {
		total, s := float32(0), 0.0
		for lo := 0; lo < len(a); lo += 32 {
			hi := min(lo+32, len(a))
			s = addAligned(s, a[lo:hi], b[lo:hi])
			if promote > 0 && (lo+32)%promote == 0 {
				total, s = total+float32(s), 0
			}
		}
		return float64(total + float32(s))
	}
}

func addAligned(s float64, a, b []float32) float64 {
	largest := math.Abs(s)
	for i := range a {
		largest = max(largest, math.Abs(float64(a[i])*float64(b[i])))
	}
	if largest == 0 {
		return 0
	}
	unit := math.Ldexp(1, math.Ilogb(largest)-13)
	sum := math.Trunc(s/unit) * unit
	for i := range a {
		sum += math.Trunc(float64(a[i])*float64(b[i])/unit) * unit
	}
	if unit = math.Ldexp(1, math.Ilogb(sum)-13); sum != 0 {
		sum = math.Trunc(sum/unit) * unit
	}
	return sum
}

// ofE4M3 is a class rounded to e4m3.
func ofE4M3(c inputClass) inputClass {
	return inputClass{c.name, func(r *rand.Rand, k int, second bool) float64 {
		return round(c.fill(r, k, second), 3, -6, 448)
	}}
}

// TestHopperSums: products of e4m3 in Hopper's adder are right where they are promoted in time, whatever their number
// and signs, and refused where a long sum of one sign is not; so is one that lacks 1/64 of its terms.
func TestHopperSums(t *testing.T) {
	judge := func(p product, out []float64, d kernels.DType) Report {
		return Judge(Encode(d, out), d, p.truth, Model{K: p.k, Acc: kernels.FP22})
	}
	for _, c := range append([]inputClass{equal}, inputClasses...) {
		if c.name == "cancel in pairs" {
			continue // in e4m3 the sums are zeros
		}
		for _, k := range []int{1, 31, 32, 64, 200, 512, 1024, 8192} {
			p := newProduct(rand.New(rand.NewPCG(uint64(k), 2)), ofE4M3(c), kernels.FP32, 16, 16, k)
			for _, d := range []kernels.DType{kernels.FP16, kernels.BF16} {
				if d == kernels.FP16 && c.name == "equal" && k > 1024 {
					continue // overflows
				}
				for _, promote := range []int{128, 256} {
					if r := judge(p, p.run(fp8Unit(promote)), d); !r.Pass() || r.Limited && c.name != "cancel in halves" {
						t.Errorf("%s, %d terms, promoted after %d: %s, limited %v", c.name, k, promote,
							r.Explain("C", []int{16, 16}), r.Limited)
					}
				}
				lacking := func(a, b []float32) float64 { return fp8Unit(128)(a[k/64:], b[k/64:]) }
				if k >= 64 && c.name != "cancel in halves" && c.name != "one-hot" && judge(p, p.run(lacking), d).Pass() {
					t.Errorf("%s, %d terms: passes without 1/64 of them", c.name, k)
				}
			}
		}
	}
	p := newProduct(rand.New(rand.NewPCG(3, 4)), ofE4M3(inputClasses[1]), kernels.FP32, 16, 16, 8192)
	for promote, want := range map[int]bool{128: true, 256: true, 1024: false, 0: false} {
		if r := judge(p, p.run(fp8Unit(promote)), kernels.FP16); r.Pass() != want {
			t.Errorf("uniform, promoted after %d: passes %v", promote, r.Pass())
		}
	}
}

// equal has one number in every term, of which as many bits are cut off as can be.
var equal = inputClass{"equal", func(_ *rand.Rand, _ int, second bool) float64 {
	if second {
		return 1.875
	}
	return 1.625
}}
