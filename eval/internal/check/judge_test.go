package check

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
)

// plain is a truth whose scale is its magnitude, as for elementwise functions.
func plain(values ...float64) Truth {
	t := Truth{Value: values, Scale: make([]float32, len(values))}
	for i, v := range values {
		t.Scale[i] = float32(math.Abs(v))
	}
	return t
}

func repeat(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }

func TestJudgeSpecials(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name      string
		dtype     kernels.DType
		want, got float64
		pass      bool
	}{
		{"NaN for a number", kernels.FP32, 1, nan, false},
		{"Inf for a number", kernels.FP32, 1, inf, false},
		{"Inf for a number", kernels.BF16, 1e30, inf, false},
		{"number for NaN", kernels.FP32, nan, 0, false},
		{"NaN for NaN", kernels.FP16, nan, nan, true},
		{"Inf for Inf", kernels.FP16, inf, inf, true},
		{"-Inf for Inf", kernels.FP16, inf, -inf, false},
		{"NaN for Inf", kernels.FP16, inf, nan, true},
		{"number for Inf", kernels.FP16, inf, 65504, false},
		{"overflow", kernels.FP16, 1e6, inf, true},
		{"overflow of the wrong sign", kernels.FP16, 1e6, -inf, false},
		{"overflow saturated", kernels.FP16, 1e6, 65504, false},
		{"just below overflow, Inf", kernels.FP16, 65510, inf, true},
		{"just below overflow, number", kernels.FP16, 65510, 65504, true},
		{"far below overflow, Inf", kernels.FP16, 60000, inf, false},
		{"zero sign", kernels.FP32, 0, math.Copysign(0, -1), true},
		{"underflow flushed", kernels.FP32, 1e-39, 0, true},
		{"integer off by one", kernels.I32, 100, 101, false},
		{"integer", kernels.I32, -100, -100, true},
		{"integer for NaN", kernels.I32, nan, -7, true},
		{"integer for what none holds", kernels.I32, 1e10, -7, true},
		{"integer for Inf", kernels.I32, -inf, -7, true},
		{"integer off by one from the largest", kernels.I32, 1<<31 - 1, 1<<31 - 2, false},
	} {
		truth := plain(c.want, 2, 3)
		r := Judge(Encode(c.dtype, []float64{c.got, 2, 3}), c.dtype, truth, Model{K: 1})
		if r.Pass() != c.pass {
			t.Errorf("%s: %s for %g passes: %v, want %v (%+v)", c.name, c.dtype, c.want, r.Pass(), c.pass, r)
		}
		if finite := c.got-c.got == 0 && math.Abs(c.got) <= c.dtype.Max(); r.Finite != finite {
			t.Errorf("%s: finite %v, want %v", c.name, r.Finite, finite)
		}
		if _, err := json.Marshal([]float64{r.Worst, r.Frobenius, r.Ceiling}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestLeftWhereNaN: what an output was filled with is not right where the truth is NaN or Inf; NaNs that processors
// make are.
func TestLeftWhereNaN(t *testing.T) {
	for _, d := range []kernels.DType{kernels.FP16, kernels.BF16, kernels.FP32} {
		for _, want := range []float64{math.NaN(), math.Inf(-1)} {
			for _, exact := range []bool{false, true} {
				out := Encode(d, []float64{want, 2, 3})
				m := Model{K: 2, Acc: kernels.FP32, Exact: exact}
				judge := func() Report { return Judge(out, d, plain(want, 2, 3), m) }
				if r := judge(); !r.Pass() {
					t.Errorf("%s, exact %v: %g for %g: %s", d, exact, want, want, r.Explain("C", []int{3}))
				}
				for i := range d.Size() / 2 {
					binary.LittleEndian.PutUint16(out[2*i:], Wild(uint16(7919*i+12345)))
				}
				if r := judge(); r.Pass() || r.Bad != 1 || r.Poison != 1 || r.First != 0 {
					t.Errorf("%s, exact %v: left for %g: %s", d, exact, want, r.Explain("C", []int{3}))
				}
			}
		}
	}
}

// TestInfOfNoTerms: the logarithm of a sum of nothing is -Inf, and NaN is another answer; a sum of terms of which one
// is Inf may be either.
func TestInfOfNoTerms(t *testing.T) {
	for _, exact := range []bool{false, true} {
		for scale, pass := range map[float32]bool{0: false, 1: true, float32(math.Inf(1)): true} {
			truth := plain(math.Inf(-1), 2, 3)
			truth.Scale[0] = scale
			m := Model{K: 1, Exact: exact}
			r := Judge(Encode(kernels.FP32, []float64{math.NaN(), 2, 3}), kernels.FP32, truth, m)
			if r.Pass() != pass {
				t.Errorf("exact %v, scale %g: NaN for -Inf passes: %v", exact, scale, r.Pass())
			}
			if r = Judge(Encode(kernels.FP32, truth.Value), kernels.FP32, truth, m); !r.Pass() {
				t.Errorf("exact %v, scale %g: -Inf is wrong (%+v)", exact, scale, r)
			}
		}
	}
}

// TestOverflowOfEitherSign: where the tolerance of a sum that cancels reaches past the largest number on both sides, an
// Inf of either sign is as right as a number.
func TestOverflowOfEitherSign(t *testing.T) {
	for _, c := range []struct {
		scale, got float64
		pass       bool
	}{
		{1e13, math.Inf(1), true}, {1e13, math.Inf(-1), true}, {1e13, 1000, true}, {1e13, math.NaN(), false},
		{1e9, math.Inf(1), false}, {1e9, math.Inf(-1), true},
	} {
		truth := Truth{Value: []float64{-5e6, 2, 3}, Scale: []float32{float32(c.scale), 2, 3}}
		r := Judge(Encode(kernels.FP16, []float64{c.got, 2, 3}), kernels.FP16, truth, Model{K: 4096})
		if r.Pass() != c.pass {
			t.Errorf("scale %g, %g: %d wrong, %s", c.scale, c.got, r.Bad, r.Explain("y", []int{3}))
		}
	}
}

// TestSoftmaxZeros: outputs of the size of a long softmax lie below any fixed absolute tolerance, in
// fp16 even below the smallest normal number; zeros must fail all the same.
func TestSoftmaxZeros(t *testing.T) {
	for _, d := range floats {
		for _, n := range []int{256, 4096, 65536} {
			truth := plain(repeat(1/float64(n), 4096)...)
			m := Model{K: 1, ULPs: 4}
			if r := Judge(Encode(d, truth.Value), d, truth, m); !r.Pass() {
				t.Errorf("%s 1/%d: %s", d, n, r.Explain("y", []int{4096}))
			}
			if r := Judge(make([]byte, 4096*d.Size()), d, truth, m); r.Pass() {
				t.Errorf("%s 1/%d: zeros pass", d, n)
			}
		}
	}
}

// TestSubnormals: a right half-precision result made of subnormals passes, rounding and all.
func TestSubnormals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	truth := plain(repeat(0, 1000)...)
	for i := range truth.Value {
		truth.Value[i] = rng.NormFloat64() * 1e-6
		truth.Scale[i] = float32(math.Abs(truth.Value[i]))
	}
	if r := Judge(Encode(kernels.FP16, truth.Value), kernels.FP16, truth, Model{K: 1}); !r.Pass() {
		t.Error(r.Explain("y", []int{1000}))
	}
}

func TestScaledOutput(t *testing.T) {
	p := newProduct(rand.New(rand.NewPCG(7, 8)), inputClasses[0], kernels.FP32, 64, 64, 256)
	out := p.run(fused)
	for i := range out {
		out[i] *= 1.001
	}
	r := Judge(Encode(kernels.FP32, out), kernels.FP32, p.truth, Model{K: 256})
	if r.Pass() || r.Bad < r.Elements*8/10 {
		t.Errorf("x1.001: %d of %d elements flagged", r.Bad, r.Elements)
	}
}

// TestNarrowed: a float32 result that went through fp16 where the elements are within tolerance is
// found by its Frobenius error.
func TestNarrowed(t *testing.T) {
	p := newProduct(rand.New(rand.NewPCG(9, 10)), inputClasses[0], kernels.FP32, 32, 32, 16384)
	r := Judge(Encode(kernels.FP32, p.run(tf32)), kernels.FP32, p.truth, Model{K: 16384})
	if r.Bad > 0 || r.Pass() || !strings.Contains(r.Explain("C", []int{32, 32}), "Frobenius") {
		t.Errorf("bad %d, %s", r.Bad, r.Explain("C", []int{32, 32}))
	}
}

// TestExactSpecials: NaN and overflow are right where the rounded truth has them, and still not finite.
func TestExactSpecials(t *testing.T) {
	truth := plain(math.NaN(), 1e6, -3)
	for _, c := range []struct {
		got  []float64
		pass bool
	}{
		{[]float64{math.NaN(), math.Inf(1), -3}, true},
		{[]float64{math.NaN(), 65504, -3}, false},
		{[]float64{0, math.Inf(1), -3}, false},
	} {
		r := Judge(Encode(kernels.FP16, c.got), kernels.FP16, truth, Model{K: 1, Exact: true})
		if r.Pass() != c.pass || r.Finite {
			t.Errorf("%v: pass %v, finite %v", c.got, r.Pass(), r.Finite)
		}
	}
}

// TestSpans: what lies in different spans ends up in one report, in order.
func TestSpans(t *testing.T) {
	n := 3*Span + 77
	truth := plain(repeat(1, n)...)
	v := slices.Clone(truth.Value)
	for _, i := range []int{Span + 1, 2*Span + 5, n - 1} {
		v[i] = 1 + float64(i)/float64(n)
	}
	r := Judge(Encode(kernels.FP32, v), kernels.FP32, truth, Model{K: 1})
	if r.Bad != 3 || r.First != Span+1 || r.Index != n-1 || r.AllEqual || !r.Finite {
		t.Errorf("%+v", r)
	}
}

func FuzzJudge(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, uint8(0), 5, false, 1e3)
	f.Add([]byte{0xff, 0xff, 0x7b, 0x7b}, uint8(1), 1, true, math.Inf(1))
	f.Fuzz(func(t *testing.T, out []byte, kind uint8, n int, exact bool, scale float64) {
		d := []kernels.DType{kernels.FP16, kernels.BF16, kernels.FP32, kernels.I32}[kind%4]
		n = min(max(n, 0), 4096)
		rng := rand.New(rand.NewPCG(uint64(n), uint64(kind)))
		truth := Truth{Value: make([]float64, n), Scale: make([]float32, n)}
		for i := range n {
			truth.Value[i] = math.Float64frombits(rng.Uint64())
			truth.Scale[i] = float32(scale)
		}
		r := Judge(out, d, truth, Model{K: n - 1, Exact: exact, ULPs: scale})
		if _, err := json.Marshal([]float64{r.Worst, r.Frobenius, r.Ceiling}); err != nil {
			t.Error(err)
		}
		if len(out) != n*d.Size() && r.Pass() {
			t.Error("an output of the wrong size passes")
		}
		for _, shape := range [][]int{{n}, {n / 8, 8}, {0, 0}, nil} {
			if r.Explain("C", shape) == "" {
				t.Error("no explanation")
			}
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	const n = 2048
	for _, d := range floats {
		for _, exact := range []bool{false, true} {
			name := string(d)
			if exact {
				name += "-exact"
			}
			b.Run(name, func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 1))
				truth := Truth{Value: make([]float64, n*n), Scale: make([]float32, n*n)}
				for i := range truth.Value {
					truth.Value[i], truth.Scale[i] = rng.NormFloat64()*45, 1300
				}
				out := Encode(d, truth.Value)
				b.ReportAllocs()
				for b.Loop() {
					if r := Judge(out, d, truth, Model{K: 2048, Exact: exact}); !r.Pass() {
						b.Fatal(r.Explain("C", []int{n, n}))
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*n), "ns/element")
			})
		}
	}
}

// TestOnlyUnderflow: where each element is off by just what underflow may take of it nothing is left of the error as a
// whole, however the norms round.
func TestOnlyUnderflow(t *testing.T) {
	rounded := 0
	for n := 1; n < 60; n++ {
		for k := 1; k < 40; k++ {
			m := Model{K: k}
			tally := Tally{Ref2: 1e-100, Err2: float64(n) * math.Pow(float64(k)*kernels.FP32.SmallestNormal(), 2)}
			if math.Sqrt(tally.Err2) > math.Sqrt(float64(n))*float64(k)*kernels.FP32.SmallestNormal() {
				rounded++
			}
			if r := NewReport(n, kernels.FP32, m, []Tally{tally}); !r.Pass() || r.Frobenius != 0 {
				t.Fatalf("%d numbers off by %d underflows each: Frobenius %g of %g", n, k, r.Frobenius, r.Ceiling)
			}
			tally.Err2 *= 1.001
			if r := NewReport(n, kernels.FP32, m, []Tally{tally}); r.Pass() {
				t.Fatalf("%d numbers off by more than %d underflows each pass", n, k)
			}
		}
	}
	if rounded == 0 {
		t.Error("no norm is rounded up")
	}
}
