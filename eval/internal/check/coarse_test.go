package check

import (
	"math"
	"math/rand/v2"
	"testing"

	"darwarp/kernels"
)

// TestByteOfEachCode: the table of e4m3 is that of the specification, each code is what its number rounds to, and
// numbers between neighbours go to the nearer one, or to the even code.
func TestByteOfEachCode(t *testing.T) {
	for code := range 0x7f { // without NaN
		exponent, mantissa := code>>3, float64(code&7)
		want := math.Ldexp(1+mantissa/8, exponent-7)
		if exponent == 0 {
			want = math.Ldexp(mantissa/8, -6)
		}
		for _, sign := range []float64{1, -1} {
			c := uint8(code)
			if sign < 0 {
				c |= 0x80
			}
			if got := ByteValue(kernels.E4M3, c); got != sign*want || Round(kernels.E4M3, sign*want) != sign*want {
				t.Fatalf("%#x is %g, and rounds to %g, expected %g", c, got, Round(kernels.E4M3, sign*want), sign*want)
			}
		}
		next := ByteValue(kernels.E4M3, uint8(min(code+1, 0x7e)))
		even, middle := want, (want+next)/2
		if code%2 == 1 {
			even = next
		}
		if Round(kernels.E4M3, middle) != even || Round(kernels.E4M3, math.Nextafter(middle, 0)) != want ||
			Round(kernels.E4M3, math.Nextafter(middle, 1e9)) != next && code < 0x7e {
			t.Errorf("numbers between %g and %g do not round to nearest", want, next)
		}
	}
	for v, want := range map[float64]float64{449: 448, 480: 448, 1e9: 448, -1e300: -448, math.Inf(-1): -448} {
		if got := Round(kernels.E4M3, v); got != want {
			t.Errorf("%g rounds to %g, expected %g", v, got, want)
		}
	}
	if Round(kernels.E4M3, math.NaN()) == 0 {
		t.Error("NaN is a number")
	}
}

// quantised is what a kernel makes of a number before it is stored.
var quantised = []struct {
	name  string
	right bool
	of    func(v float64) float64
}{
	{"to nearest", true, func(v float64) float64 { return v }},
	{"in fp32", true, func(v float64) float64 { return float64(float32(v)) }},
	{"by way of fp16", true, func(v float64) float64 { return Round(kernels.FP16, v) }},
	{"a little too large", true, func(v float64) float64 { return v * (1 + 0x1p-13) }},
	{"by way of bf16", false, func(v float64) float64 { return Round(kernels.BF16, v) }},
	{"toward zero", false, func(v float64) float64 { // to the next code below
		r := Round(kernels.E4M3, v)
		if math.Abs(r) > math.Abs(v) {
			r -= math.Copysign(2*halfQuantum(math.Abs(v)), v)
		}
		return r
	}},
	{"away from zero", false, func(v float64) float64 {
		r := Round(kernels.E4M3, v)
		if math.Abs(r) < math.Abs(v) {
			r += math.Copysign(2*halfQuantum(math.Abs(v)), v)
		}
		return r
	}},
	{"NaN where it is too large", false, func(v float64) float64 {
		if math.Abs(v) > 464 {
			return math.NaN()
		}
		return v
	}},
	{"zero where it is too large", false, func(v float64) float64 {
		if math.Abs(v) > 464 {
			return 0
		}
		return v
	}},
	{"saturated at 416", false, func(v float64) float64 { return max(-416, min(416, v)) }},
	{"subnormal numbers are zeros", false, func(v float64) float64 {
		if math.Abs(v) < 0x1p-6 {
			return 0
		}
		return v
	}},
	{"half a percent too large", false, func(v float64) float64 { return v * 1.005 }},
	{"the scale forgotten", false, func(v float64) float64 { return v / 0.37 }},
	{"the scale squared", false, func(v float64) float64 { return v * 0.37 }},
}

// TestQuantised: of numbers of all magnitudes that e4m3 has, and beyond, kernels that round them to nearest and
// saturate are right, and others are not.
func TestQuantised(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	truth := Truth{Value: make([]float64, 4096), Scale: make([]float32, 4096)}
	for i := range truth.Value {
		truth.Value[i] = rng.NormFloat64() * math.Exp2(float64(rng.IntN(20)-10))
		truth.Scale[i] = float32(math.Abs(truth.Value[i]) * 2)
	}
	for _, q := range quantised {
		out := make([]float64, len(truth.Value))
		for i, v := range truth.Value {
			out[i] = q.of(v)
		}
		m := Model{K: 64, Acc: kernels.FP32}
		r := Judge(Encode(kernels.E4M3, out), kernels.E4M3, truth, m)
		if r.Pass() != q.right {
			t.Errorf("%s: %s", q.name, r.Explain("C", []int{64, 64}))
		}
	}
}

// TestQuantisedSums: sums that lack 1/64 of their terms are refused, whatever their signs, and right ones are not,
// also where all outputs are nearly the same.
func TestQuantisedSums(t *testing.T) {
	for _, c := range append([]inputClass{equal}, inputClasses...) {
		if c.name == "cancel in pairs" || c.name == "cancel in halves" {
			continue // zeros
		}
		for _, k := range []int{64, 512, 4096} {
			p := newProduct(rand.New(rand.NewPCG(uint64(k), 2)), c, kernels.FP16, 16, 16, k)
			scale := 100 / rms(p.truth.Value)
			for i, v := range p.truth.Value {
				p.truth.Value[i], p.truth.Scale[i] = v*scale, float32(float64(p.truth.Scale[i])*scale)
			}
			judge := func(from int) bool {
				out := p.run(func(a, b []float32) float64 { return scale * float64(summed(a[from:], b[from:])) })
				return Judge(Encode(kernels.E4M3, out), kernels.E4M3, p.truth, Model{K: k, Acc: kernels.FP32}).Pass()
			}
			if !judge(0) {
				t.Errorf("%s, %d terms: refused", c.name, k)
			}
			if c.name != "one-hot" && c.name != "equal" && judge(k/64) { // equal ones may be of one code
				t.Errorf("%s, %d terms: passes without 1/64 of them", c.name, k)
			}
		}
	}
}

func rms(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum / float64(len(v)))
}

func summed(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// TestBlank: an output of which some elements are not written is wrong at these, and says so.
func TestBlank(t *testing.T) {
	truth := Truth{Value: make([]float64, 100), Scale: make([]float32, 100)}
	for i := range truth.Value {
		truth.Value[i], truth.Scale[i] = float64(i-50)*20, 1000
	}
	out := Store(kernels.E4M3, truth.Value)
	for code := range 0xff {
		if Unwritten([]byte{byte(code)}) {
			t.Errorf("%#x passes for unwritten", code)
		}
	}
	out[97], out[3] = Blank, Blank
	r := Judge(out, kernels.E4M3, truth, Model{K: 4, Acc: kernels.FP32})
	if r.Pass() || r.Bad != 2 || r.Poison != 2 || r.First != 3 {
		t.Error(r.Explain("C", []int{100}))
	}
}
