package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/kernels"
)

var floats = []kernels.DType{kernels.FP32, kernels.FP16, kernels.BF16}

// TestNoFalseRejections runs right kernels in every order over many shapes and input classes: not one
// of more than a million outputs may be rejected, nor any whole matrix by its Frobenius error.
func TestNoFalseRejections(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	shapes := [][3]int{{1, 1, 16384}, {8, 7, 4096}, {3, 5, 2048}, {17, 13, 1000}, {48, 48, 33}, {33, 65, 129}, {64, 65, 7},
		{65, 63, 1}, {9, 33, 512}}
	total, worst := 0, 0.0
	for _, c := range inputClasses {
		for _, in := range []kernels.DType{kernels.FP16, kernels.FP32} {
			for _, s := range shapes {
				p := newProduct(rng, c, in, s[0], s[1], s[2])
				for _, o := range orders {
					out := p.run(o.sum)
					for _, d := range floats {
						r := Judge(Encode(d, out), d, p.truth, Model{K: s[2], Acc: kernels.FP32})
						if !r.Pass() {
							t.Errorf("%s, %s inputs of %s, %v: %s", o.name, c.name, in, s, r.Explain(string(d), s[:2]))
						}
						total += r.Elements
						worst = max(worst, r.Worst)
					}
				}
			}
		}
	}
	if total < 1e6 {
		t.Errorf("only %d outputs judged", total)
	}
	t.Logf("%d outputs, worst error %.2f of its tolerance", total, worst)
}

// TestTowardZero: float32 sums that round toward zero after every term are right, in chains as long as people write.
func TestTowardZero(t *testing.T) {
	rng, worst, whole := rand.New(rand.NewPCG(15, 16)), 0.0, 0.0
	for _, c := range inputClasses {
		for _, s := range [][3]int{{33, 51, 300}, {16, 16, 1}, {16, 17, 8}, {16, 16, 64}, {12, 12, 1000}, {10, 10, 2048},
			{1, 1, 2048}} {
			p := newProduct(rng, c, kernels.FP32, s[0], s[1], s[2])
			r := Judge(Encode(kernels.FP32, p.run(towardZero)), kernels.FP32, p.truth, Model{K: s[2]})
			if !r.Pass() {
				t.Errorf("%s inputs, %v: %s", c.name, s, r.Explain("C", s[:2]))
			}
			worst, whole = max(worst, r.Worst), max(whole, r.Frobenius/r.Ceiling)
		}
	}
	t.Logf("worst error %.2f of its tolerance, of the whole %.2f", worst, whole)
}

// TestNeedlesTowardZero: dust between needles costs a sum that rounds toward zero a unit wherever its sign is the other
// one. Such a sum is right, and one that lacks a needle is not.
func TestNeedlesTowardZero(t *testing.T) {
	const needles = 64
	for _, k := range []int{300, 1000, 2048} {
		class := inputClass{"needles", func(r *rand.Rand, i int, second bool) float64 {
			if sign := 1 - 2*float64(r.IntN(2)); !second && i%(k/needles) == 0 && i/(k/needles) < needles {
				return sign * (0.5 + r.Float64())
			} else if !second {
				return sign * 0x1p-40 * (1 + r.Float64())
			}
			return r.NormFloat64()
		}}
		p := newProduct(rand.New(rand.NewPCG(15, uint64(k))), class, kernels.FP32, 33, 51, k)
		judge := func(out []float64, m Model) Report { return Judge(Encode(kernels.FP32, out), kernels.FP32, p.truth, m) }
		cut, model := p.run(towardZero), Model{K: needles, Chain: k}
		if r := judge(cut, model); !r.Pass() {
			t.Errorf("%d terms: %s", k, r.Explain("C", []int{33, 51}))
		}
		if judge(cut, Model{K: needles}).Pass() {
			t.Errorf("%d terms pass without the dust being counted", k)
		}
		lacking := p.run(func(a, b []float32) float64 { return sequential(a[1:], b[1:]) })
		if judge(lacking, model).Pass() {
			t.Errorf("%d terms: passes without its first needle", k)
		}
	}
}

// TestSingle: where one term of a sum counts, factors rounded to sixteen bits are refused however long the sum is, and
// sums in any order, toward zero, and of factors in three tf32 parts pass. Sums of many terms hide such factors.
func TestSingle(t *testing.T) {
	for _, k := range []int{64, 513, 4096} {
		class := inputClass{"single", func(r *rand.Rand, i int, second bool) float64 {
			switch v := 0.5 + r.Float64(); {
			case second:
				return r.NormFloat64()
			case i != k/3:
				return 0
			default:
				return v
			}
		}}
		p := newProduct(rand.New(rand.NewPCG(16, uint64(k))), class, kernels.FP32, 33, 51, k)
		sums := []dot{{"toward zero", towardZero}, {"tiles", parts(32)}, {"three parts", threeParts}, {"16 bits", narrow(15)}}
		for _, s := range sums {
			r := Judge(Encode(kernels.FP32, p.run(s.sum)), kernels.FP32, p.truth, Model{K: 2})
			if r.Pass() != (s.name != "16 bits") {
				t.Errorf("%d terms, %s: passes: %t", k, s.name, r.Pass())
			}
		}
	}
}

// threeParts is what tensor cores give for fp32: each factor is a large and a small tf32 part, whose small product is
// left out.
func threeParts(a, b []float32) (sum float64) {
	cut := func(v float32) float32 { return float32(round(float64(v), 11, -126, math.MaxFloat32)) }
	for i := range a {
		x, y := cut(a[i]), cut(b[i])
		sum += float64(x)*float64(y) + float64(x)*float64(cut(b[i]-y)) + float64(cut(a[i]-x))*float64(y)
	}
	return sum
}

// TestCaps: with no number of terms and no accumulator does an output pass that is zero, the mean, or lacks 1/64 or 5 %
// of the terms, whether these are of one sign or of both.
func TestCaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for _, k := range []float64{64, 4096, 16384, 1 << 20, 1 << 28} {
		for _, oneSign := range []bool{true, false} {
			truth, lack := lacking(rng, k, oneSign)
			for name, out := range lack {
				if name == "the mean" && oneSign {
					continue // long sums of one sign are all alike
				}
				for _, acc := range floats {
					for _, d := range floats[:2] {
						if d == kernels.FP16 && k*2 > d.Max() {
							continue
						}
						if r := Judge(Encode(d, out), d, truth, Model{K: int(k), Acc: acc}); r.Pass() {
							t.Errorf("K=%g, one sign %v, %s sums in %s: %s passes, Frobenius %.2g of %.2g",
								k, oneSign, d, acc, name, r.Frobenius, r.Ceiling)
						}
					}
				}
			}
		}
	}
}

// lacking are sums of k terms, of one sign or of both, and outputs that lack something.
func lacking(rng *rand.Rand, k float64, oneSign bool) (truth Truth, lack map[string][]float64) {
	const n = 1 << 10
	truth = Truth{Value: make([]float64, n), Scale: make([]float32, n)}
	lack = map[string][]float64{}
	for _, name := range []string{"zeros", "the mean", "1/64", "5 %"} {
		lack[name] = make([]float64, n)
	}
	mean := 0.0
	for i := range n {
		sum := math.Sqrt(k) * rng.NormFloat64()
		if oneSign {
			sum += k
		}
		truth.Value[i], truth.Scale[i] = sum, float32(math.Sqrt(2/math.Pi)*k)
		if oneSign {
			truth.Scale[i] = float32(sum)
		}
		for name, share := range map[string]float64{"1/64": 1. / 64, "5 %": 0.05} {
			left := math.Sqrt(share*k) * rng.NormFloat64()
			if oneSign {
				left += share * k
			}
			lack[name][i] = sum - left
		}
		mean += sum / n
	}
	for i := range n {
		lack["the mean"][i] = mean
	}
	return truth, lack
}

// TestFewElements: the Frobenius error of one element scatters, most of all where the terms happen to
// cancel and the matrix unit cuts its sums off.
func TestFewElements(t *testing.T) {
	for i := range 150 {
		p := newProduct(rand.New(rand.NewPCG(uint64(i), 13)), inputClasses[0], kernels.FP16, 1, 2, 8192)
		if r := Judge(Encode(kernels.FP32, p.run(truncated)), kernels.FP32, p.truth, Model{K: 8192}); !r.Pass() {
			t.Errorf("product %d: %s", i, r.Explain("C", []int{1, 2}))
		}
	}
}

// TestLateCancellation: the partial sums grow to hundreds of times the result, and so does the error
// relative to it, in a right kernel too.
func TestLateCancellation(t *testing.T) {
	const k = 4096
	late := inputClass{"late", func(r *rand.Rand, i int, second bool) float64 {
		if second {
			return 1 - 2*float64(i/(k/2))
		}
		return 1 + r.Float64()
	}}
	p := newProduct(rand.New(rand.NewPCG(14, 15)), late, kernels.FP32, 16, 16, k)
	for _, o := range orders {
		if r := Judge(Encode(kernels.FP32, p.run(o.sum)), kernels.FP32, p.truth, Model{K: k}); !r.Pass() {
			t.Errorf("%s: %s", o.name, r.Explain("C", []int{16, 16}))
		}
	}
}

// TestHalfAccumulators: a half-precision matrix unit is right where it is declared, plain and promoted,
// and wrong where float32 was promised.
func TestHalfAccumulators(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, c := range inputClasses[:2] { // the others overflow or are exact
		for _, k := range []int{16, 64, 256, 1024, 4096} {
			p := newProduct(rng, c, kernels.FP16, 16, 16, k)
			for _, promote := range []int{0, 32, 128} {
				out := p.run(halfUnit(promote))
				for _, d := range floats {
					declared := Judge(Encode(d, out), d, p.truth, Model{K: k, Acc: kernels.FP16})
					if !declared.Pass() {
						t.Errorf("%s K=%d promote=%d declared half: %s", c.name, k, promote, declared.Explain(string(d), []int{16, 16}))
					}
				}
				if c.name == "uniform" && k >= 1024 && promote > 0 {
					continue // as near as a float32 sum that rounds toward zero: normal inputs tell
				}
				promised := Judge(Encode(kernels.FP32, out), kernels.FP32, p.truth, Model{K: k, Acc: kernels.FP32})
				if promised.Pass() {
					t.Errorf("%s K=%d promote=%d passes as float32", c.name, k, promote)
				}
			}
		}
	}
}

// TestStagnation: half additions one after the other lose a quarter of a long uniform sum, which no
// declaration makes right.
func TestStagnation(t *testing.T) {
	p := newProduct(rand.New(rand.NewPCG(31, 32)), inputClasses[1], kernels.FP16, 16, 16, 8192)
	r := Judge(Encode(kernels.FP16, p.run(halfChain)), kernels.FP16, p.truth, Model{K: 8192, Acc: kernels.FP16})
	if r.Pass() {
		t.Errorf("passes with Frobenius error %.2g", r.Frobenius)
	}
}

func TestWrongProducts(t *testing.T) {
	sums := []dot{{"dropped term", dropped}, {"half chain", halfChain}, {"half unit", halfUnit(0)}, {"tf32 inputs", tf32}}
	for _, s := range sums {
		for _, c := range inputClasses[:2] {
			for _, k := range []int{64, 257, 1024, 4096} {
				if s.name == "tf32 inputs" && c.name == "uniform" && k >= 1024 {
					continue // rounding errors of the inputs average out in a long sum of one sign: normal inputs tell
				}
				t.Run(fmt.Sprintf("%s/%s/K=%d", s.name, c.name, k), func(t *testing.T) {
					p := newProduct(rand.New(rand.NewPCG(uint64(k), 42)), c, kernels.FP32, 16, 16, k)
					r := Judge(Encode(kernels.FP32, p.run(s.sum)), kernels.FP32, p.truth, Model{K: k, Acc: kernels.FP32})
					if r.Pass() {
						t.Errorf("accepted: worst %.2g, Frobenius %.2g", r.Worst, r.Frobenius)
					}
				})
			}
		}
	}
}

// TestTF32: where a problem lets operands be rounded to tf32 they may be, but not to bf16, and no term may be missing.
func TestTF32(t *testing.T) {
	for _, c := range inputClasses[:2] {
		for _, k := range []int{1, 64, 257, 1024, 4096} {
			p := newProduct(rand.New(rand.NewPCG(uint64(k), 43)), c, kernels.FP32, 16, 16, k)
			m := Model{K: k, Acc: kernels.FP32, Terms: kernels.TF32}
			for _, s := range []dot{{"tf32 inputs", tf32}, {"bf16 inputs", bf16Inputs}, {"dropped term", dropped}} {
				if s.name == "bf16 inputs" && c.name == "uniform" && k > 64 || s.name == "dropped term" && k > 64 {
					continue // as above; and one of so many is less than rounding
				}
				r := Judge(Encode(kernels.FP32, p.run(s.sum)), kernels.FP32, p.truth, m)
				if r.Pass() != (s.name == "tf32 inputs") {
					t.Errorf("%s, %s, K=%d: %v, worst %.2g, Frobenius %.2g of %.2g", s.name, c.name, k, r.Pass(), r.Worst,
						r.Frobenius, r.Ceiling)
				}
			}
		}
	}
}

// TestExactIntegers: the exact test finds one dropped term of a small-integer product in types too
// coarse for the tolerance to see it.
func TestExactIntegers(t *testing.T) {
	small := inputClass{"integers", func(r *rand.Rand, _ int, _ bool) float64 { return float64(r.IntN(3) + 1) }}
	for _, d := range []kernels.DType{kernels.FP32, kernels.FP16, kernels.BF16, kernels.I32} {
		p := newProduct(rand.New(rand.NewPCG(5, 6)), small, kernels.FP16, 16, 16, 40)
		m := Model{K: 40, Acc: kernels.FP32, Exact: true}
		for _, o := range slices.Concat(orders, []dot{{"tf32 is exact here", tf32}}) {
			if r := Judge(Encode(d, p.run(o.sum)), d, p.truth, m); !r.Pass() {
				t.Errorf("%s %s: %s", d, o.name, r.Explain("C", []int{16, 16}))
			}
		}
		if r := Judge(Encode(d, p.run(dropped)), d, p.truth, m); r.Pass() || r.Bad < r.Elements/2 {
			t.Errorf("%s: a dropped term gives %d of %d wrong", d, r.Bad, r.Elements)
		}
	}
}
