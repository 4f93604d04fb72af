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
	p := newProduct(rand.New(rand.NewPCG(9, 10)), inputClasses[0], kernels.FP32, 64, 64, 16384)
	r := Judge(Encode(kernels.FP32, p.run(tf32)), kernels.FP32, p.truth, Model{K: 16384})
	if r.Bad > 0 || r.Pass() || !strings.Contains(r.Explain("C", []int{64, 64}), "Frobenius") {
		t.Errorf("bad %d, %s", r.Bad, r.Explain("C", []int{64, 64}))
	}
}

func TestUnfitScale(t *testing.T) {
	for _, s := range []float32{float32(math.Inf(1)), float32(math.NaN())} {
		truth := Truth{Value: []float64{1, 1}, Scale: []float32{1, s}}
		if truth.Validate(2) == nil {
			t.Errorf("scale %g is valid", s)
		}
		for _, got := range []float64{1.001, 1e30, math.Inf(1)} {
			if r := Judge(Encode(kernels.FP32, []float64{1, got}), kernels.FP32, truth, Model{K: 1}); r.Pass() {
				t.Errorf("scale %g lets %g pass", s, got)
			}
		}
	}
}

func TestTruth(t *testing.T) {
	a, b := []float64{1, 2, 3, 4, 5, 6}, []float64{1, 0, -1, 2, 3, 1}
	got := GEMM64(a, b, 2, 2, 3)
	if want := []float64{8, 7, 17, 16}; !slices.Equal(got.Value, want) {
		t.Errorf("value %v, want %v", got.Value, want)
	}
	if want := []float32{12, 7, 27, 16}; !slices.Equal(got.Scale, want) {
		t.Errorf("scale %v, want %v", got.Scale, want)
	}
	if err := got.Validate(4); err != nil {
		t.Error(err)
	}
	if got.Validate(5) == nil || (Truth{Value: []float64{2}, Scale: []float32{1}}).Validate(1) == nil {
		t.Error("an unfit truth is valid")
	}
	if err := got.Agrees(GEMM64(a, b, 2, 2, 3), 3); err != nil {
		t.Error(err)
	}
	for name, f := range map[string]func(*Truth){
		"value": func(t *Truth) { t.Value[2] += 1e-12 },
		"NaN":   func(t *Truth) { t.Value[1] = math.NaN() },
		"scale": func(t *Truth) { t.Scale[3] *= 1.01 },
	} {
		other := GEMM64(a, b, 2, 2, 3)
		f(&other)
		if other.Agrees(got, 3) == nil {
			t.Errorf("a different %s agrees", name)
		}
	}
}

func TestExplain(t *testing.T) {
	ref := plain(repeat(2, 24*32)...)
	right := func() []float64 { return slices.Clone(ref.Value) }
	each := func(f func(row, col int) bool) []byte {
		v := right()
		for i := range v {
			if f(i/32, i%32) {
				v[i] = 2.5
			}
		}
		return Encode(kernels.FP32, v)
	}
	nan := right()
	nan[40] = math.NaN()
	unwritten := make([]byte, 768*4)
	for i := range 2 * 768 {
		binary.LittleEndian.PutUint16(unwritten[2*i:], Wild(uint16(i*40503)))
	}
	tail := Encode(kernels.FP32, right())
	copy(tail[4*700:], unwritten)
	for _, c := range []struct {
		name string
		out  []byte
		want string
	}{
		{"right", Encode(kernels.FP32, right()), "C: 768 elements right"},
		{"one", each(func(r, c int) bool { return r == 3 && c == 5 }),
			"C[3,5] = 2.5, expected 2 +- 7.2e-07 (K=1; 1 of 768 elements wrong, first [3,5])"},
		{"last column", each(func(_, c int) bool { return c == 31 }),
			"24 of 768 elements wrong, first [0,31]; only the last column)"},
		{"last row", each(func(r, _ int) bool { return r == 23 }), "; only the last row)"},
		{"row", each(func(r, _ int) bool { return r == 7 }), "; only row 7)"},
		{"corner tile", each(func(r, c int) bool { return r >= 16 && c >= 24 }),
			"; only rows from 16 on; only columns from 24 on)"},
		{"first tile", each(func(r, c int) bool { return r < 16 && c < 16 }), "; only rows 0 to 15; only columns 0 to 15)"},
		{"every eighth", each(func(_, c int) bool { return c%8 == 3 }), "; only every 8. column from 3 on)"},
		{"everywhere", each(func(r, c int) bool { return (r+c)%3 > 0 }), "first [0,1])"},
		{"zeros", make([]byte, 768*4), "; every element of the output is 0)"},
		{"unwritten", unwritten, "C: output was not written"},
		{"unwritten tail", tail, "; 68 never written; only rows from 21 on)"},
		{"NaN", Encode(kernels.FP32, nan),
			"C[1,8] = NaN, expected 2 +- 7.2e-07 (K=1; 1 of 768 elements wrong, first [1,8]; NaN or Inf in the output)"},
		{"short", make([]byte, 767*4+1), "C: the output is short by 1 of 768 elements"},
		{"long", make([]byte, 768*4+1), "C: the output does not end"},
	} {
		got := Judge(c.out, kernels.FP32, ref, Model{K: 1}).Explain("C", []int{24, 32})
		if !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q in it", c.name, got, c.want)
		}
	}
}

func TestExplainExact(t *testing.T) {
	r := Judge(Encode(kernels.FP16, []float64{1, 2, 4}), kernels.FP16, plain(1, 2, 3), Model{K: 9, Exact: true})
	want := "C[2] = 4, expected 3 exactly (K=9; 1 of 3 elements wrong, first [2])"
	if got := r.Explain("C", []int{3}); got != want {
		t.Errorf("%q, want %q", got, want)
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

func TestSelfTest(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	for _, d := range floats {
		p := newProduct(rng, inputClasses[0], d, 48, 40, 200)
		stale := newProduct(rng, inputClasses[0], d, 48, 40, 200)
		trial := Trial{DType: d, Model: Model{K: 200, Acc: kernels.FP32}, Truth: p.truth, Shape: []int{48, 40},
			Mutations: []Mutation{
				{"a stale output", func() []float64 { return stale.truth.Value }},
				{"a dropped term", func() []float64 { return p.run(dropped) }},
				{"nothing to drop", func() []float64 { return nil }},
			}}
		if faults := SelfTest(trial); len(faults) > 0 {
			t.Errorf("%s: %s", d, strings.Join(faults, "; "))
		}
		trial.Mutations = []Mutation{{"the truth", func() []float64 { return p.truth.Value }}}
		if faults := SelfTest(trial); len(faults) != 1 || !strings.Contains(faults[0], "accepts the truth") {
			t.Errorf("%s: an undetectable mutation gives %q", d, faults)
		}
	}
	// Truth that is the same everywhere cannot tell a constant from a result.
	same := Trial{DType: kernels.FP32, Model: Model{K: 1}, Truth: plain(repeat(1, 64)...), Shape: []int{8, 8}}
	if faults := SelfTest(same); len(faults) != 3 {
		t.Errorf("a degenerate task gives %q", faults)
	}
	bad := plain(1, 2)
	bad.Scale[0] = float32(math.NaN())
	if faults := SelfTest(Trial{DType: kernels.FP32, Truth: bad, Shape: []int{2}}); len(faults) != 1 {
		t.Errorf("an unfit truth gives %q", faults)
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
