package check

import (
	"math"

	"darwarp/kernels"
)

// C is the factor of sqrt(K)*u_acc*S1 in the tolerance. Simulated dot products err by at most 1.06
// of it (float32, one after the other, uniform inputs; 0.29 for normal ones, 0.31 in tiles of 32), so
// 4 leaves a margin of about four. How a matrix unit rounds inside an instruction is not published:
// the value is to be confirmed against a vendor library on each new architecture.
const C = 4

// truncation is how many terms a matrix unit adds before it cuts the sum off to float32. Cutting
// always errs to the same side, so the error grows with K/truncation and not with sqrt(K): in the
// simulation 0.35 of u*K/16*S1 for uniform inputs, and a Frobenius error of 0.45*u*K/16 for all. It
// leads from K = 4096 on, where C*sqrt(K) = K/16.
const truncation = 16

// MaxRatio is what a ratio that is infinite or NaN is reported as: JSON has neither.
const MaxRatio = 1e30

// Model says how much rounding a right kernel may show.
type Model struct {
	K     int           // terms summed per output element, at least 1
	Acc   kernels.DType // type of the accumulator; empty means fp32
	ULPs  float64       // extra units of rounding of the output type, for transcendental functions
	Terms kernels.DType // type that every term is rounded to before it is added; empty: terms are exact
	Exact bool          // the bits must be those of the rounded truth: small-integer inputs
}

func (m Model) k() float64 { return float64(max(m.K, 1)) }

// half reports whether the accumulator is narrower than float32.
func (m Model) half() bool { return m.Acc == kernels.FP16 || m.Acc == kernels.BF16 }

// accRoundoff is u_acc. With a half-precision accumulator the bound speaks of sums that are kept
// accurate: rounded once per matrix instruction (16 terms), or promoted to float32 every few
// instructions. A plain chain of half additions stops growing once a term is below half a unit in the
// last place of the sum (26 % too small after 4096 uniform terms), and that is outside the bound.
func (m Model) accRoundoff() float64 {
	if m.Acc == "" {
		return kernels.FP32.Roundoff()
	}
	return m.Acc.Roundoff()
}

// sumError is the error of a sum, of S1. Terms that are rounded first add at most their roundoff: the
// bound of the worst case, since one term often makes up most of a sum of weights.
func (m Model) sumError() float64 {
	e := C * math.Sqrt(m.k())
	if !m.half() {
		e = max(e, m.k()/truncation)
	}
	return e*m.accRoundoff() + m.Terms.Roundoff()
}

// tolerance is the model with the numbers of one output type put in.
type tolerance struct {
	dtype    kernels.DType
	exact    bool
	rel      float64 // of |ref|
	sum      float64 // of S1
	floor    float64
	overflow float64 // least magnitude that rounds to Inf
}

func (m Model) tolerance(d kernels.DType) tolerance {
	u := d.Roundoff()
	t := tolerance{dtype: d, exact: m.Exact || d == kernels.I32, overflow: math.Inf(1)}
	if d != kernels.I32 {
		t.overflow = d.Max() / (2 - 2*u) * (2 - u) // halfway from Max to the next power of two
	}
	if !t.exact {
		t.rel = (2 + m.ULPs) * u
		t.sum = m.sumError()
		t.floor = d.SmallestNormal()
	}
	return t
}

// accepts judges an element that is not simply within a finite tolerance. NaN and Inf in the truth
// must be met by the same. An Inf is right where the truth, less its tolerance, rounds past the
// largest finite number; a number saturated at that largest one is wrong.
func (t tolerance) accepts(got, ref, tol float64) bool {
	if ref-ref != 0 {
		return sameClass(got, ref)
	}
	return math.IsInf(got, 0) && tol <= math.MaxFloat64 &&
		math.Abs(ref)+tol >= t.overflow && math.Signbit(got) == math.Signbit(ref)
}

// frobenius is the ceiling of the relative Frobenius error by output type. Rounding a right result
// alone gives 2e-4 (fp16) and 1.7e-3 (bf16); float32 sums of 4096 terms give 2e-7 to 9e-7. Inputs
// rounded to tf32 (3e-4) and a bf16 result in an fp16 output are well above.
var frobenius = map[kernels.DType]float64{kernels.FP32: 5e-6, kernels.FP16: 1e-3, kernels.BF16: 5e-3}

// halfFrobenius is the ceiling of half-precision accumulators over sqrt(K)*u: the worst simulated
// case is 7e-2 at K = 4096 (uniform inputs; 9e-3 for normal ones), and 7e-2/(64*2^-11) is 2.24.
const halfFrobenius = 2.24

// ceiling is the greatest relative Frobenius error that a right kernel may show on n elements whose
// truth and scales have the given Frobenius norms.
func (m Model) ceiling(d kernels.DType, n int, ref, scale float64) float64 {
	root := math.Sqrt(m.k())
	growth := max(root, m.k()/truncation) // of u: four and two times what the simulation shows
	if m.half() {
		growth = halfFrobenius * root
	}
	c := max(frobenius[d], growth*m.accRoundoff(), (2+m.ULPs)*d.Roundoff(), 2*m.Terms.Roundoff())
	c *= 1 + 4/math.Sqrt(float64(n)) // few elements scatter: four standard deviations
	// The figures hold where the sum is as large as a random walk of its terms. Below that, terms
	// cancel and the error no longer shrinks with the sum; well below, only S1 bounds it.
	walk := scale / root
	if ref < walk {
		c *= walk / ref
	}
	if ref < walk/2 {
		c += m.sumError() * scale / ref
	}
	return finiteRatio(c)
}

// grain is the absolute error per element that the Frobenius test leaves out: underflow. float32
// results may be flushed to zero; half precision has subnormals in hardware.
func grain(d kernels.DType) float64 {
	if d == kernels.FP16 {
		return 0x1p-24
	}
	return d.SmallestNormal()
}

func finiteRatio(r float64) float64 {
	if !(r <= MaxRatio) {
		return MaxRatio
	}
	return r
}
