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

// Cutting sums off instead of rounding them always errs to the same side, so the error grows with K and not with
// sqrt(K). A chain of float32 additions that all round toward zero errs by up to u*K*S1 (0.62 of that in the
// simulation, where few terms are most of the sum) and as a whole by 0.42*u*K; a matrix unit that cuts off after every
// unit terms by a part in unit of that. No kernel adds millions of numbers in one chain: chain and unitChain are the
// most terms that are taken for one.
const (
	chain     = 2048
	unit      = 16
	unitChain = 1 << 16
)

// Left is the share of terms whose absence must be seen: one in so many. No tolerance allows for more than what leaving
// them out changes, a share of the sum where terms are of one sign, sqrt(1/Left) of a random walk of them where
// they are not: for that is how far such a kernel is off. An element may be off by the larger of the two, the
// whole by half of both.
const Left = 64

// MaxRatio is what a ratio that is infinite or NaN is reported as: JSON has neither.
const MaxRatio = 1e30

// Length is how many terms the sums of a case have.
type Length struct {
	K     int `json:"k"`               // those that count
	Chain int `json:"chain,omitempty"` // with those too small to be seen in the sum, where there are any
}

// Model says how much rounding a right kernel may show.
type Model struct {
	K     int           // terms summed per output element, at least 1
	Chain int           // with those too small to count: a sum that is cut off loses a unit to each of the other sign
	Acc   kernels.DType // type of the accumulator; empty means fp32
	ULPs  float64       // extra units of rounding of the output type, for transcendental functions
	Terms kernels.DType // type that every term is rounded to before it is added; empty: terms are exact. TF32: its factors
	Exact bool          // the bits must be those of the rounded truth: small-integer inputs

	// Coherent: an error of one sum is in many elements alike, so that those of the whole do not scatter.
	Coherent bool

	// Scattered: on these inputs the terms of the longest sums have either sign, so that their errors do scatter, and only
	// those of the few sums that are made of them do not.
	Scattered bool
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

// fewest is the error in u that any sum of several terms may have: each may be made of parts, as a float32 is of three
// numbers that tensor cores take. Three products of two parts each leave up to 48 u of a term out where parts are cut
// off and not rounded, and one term may be most of the sum.
const fewest = 64

// Hopper's adder of eight-bit products (kernels.FP22) aligns 32 of them and the sum to the largest and cuts off. Terms
// of one sign all err to one side, by a part of a unit that grows with the sum: simulated, 256 uniform terms err by 17
// u S1, 256 equal ones by up to 47, 512 uniform ones by 50 and 8192 by 1136, which is an eighth of the sum. So the
// chains that are allowed end at alignedChain terms: longer sums go to float32 in parts, as in DeepGEMM and CUTLASS
// after every 128.
const (
	alignedChain = 256
	alignedUnit  = 4  // an element may be off by so much less than u a term
	alignedLeast = 16 // but by so many u
)

// alignedError is what a chain of such sums may err by, in u.
func (m Model) alignedError() float64 { return max(min(m.k(), alignedChain)/alignedUnit, alignedLeast) }

// sumError is the error of a sum, of S1, before it is capped.
func (m Model) sumError() float64 {
	if m.Acc == kernels.FP22 {
		return m.alignedError() * m.accRoundoff()
	}
	e := C * math.Sqrt(m.k())
	if !m.half() {
		e = max(e, m.cutError())
		if m.k() > 1 {
			e = max(e, fewest)
		}
	}
	return e * m.accRoundoff()
}

// cutError is what a chain that rounds toward zero may err by, in u.
func (m Model) cutError() float64 {
	n := max(m.k(), float64(m.Chain))
	return max(min(n, chain), min(n, unitChain)/unit)
}

// walk is what leaving out 1/Left of the terms changes where their signs are random, of S1.
func (m Model) walk() float64 { return 1 / math.Sqrt(Left*m.k()) }

// tolerance is the model with the numbers of one output type put in.
type tolerance struct {
	dtype    kernels.DType
	exact    bool
	rel      float64 // of |ref|
	sum      float64 // of S1
	walk     float64 // of S1: sum counts for no more than this, or 1/Left of |ref| where that is more
	terms    float64 // of S1: what rounding terms first adds at most, as one term may make up most of a sum
	floor    float64
	overflow float64 // least magnitude that rounds to Inf
}

func (m Model) tolerance(d kernels.DType) tolerance {
	u := computed(d).Roundoff()
	t := tolerance{dtype: d, exact: m.Exact || d == kernels.I32, overflow: math.Inf(1)}
	if d != kernels.I32 {
		t.overflow = d.Max() / (2 - 2*u) * (2 - u) // halfway from Max to the next power of two
	}
	if !t.exact {
		t.rel = (2 + m.ULPs) * u
		t.sum, t.walk, t.terms = m.sumError(), m.walk(), m.rounded(d)
		t.floor = least(d) + m.flushed()
	}
	return t
}

// rounded is the unit roundoff of the terms of an output. Those of an output of another type than theirs, such as
// logarithms of sums in fp32 beside weighted sums in fp16, are added as they are.
func (m Model) rounded(d kernels.DType) float64 {
	switch {
	case m.Terms == kernels.TF32 && d == kernels.FP32:
		return 2 * m.Terms.Roundoff() // a term has two factors
	case m.Terms == kernels.TF32, d != m.Terms && !coarse(d):
		return 0
	}
	return m.Terms.Roundoff()
}

// roundedWhole is what rounding the terms adds to the relative Frobenius error. Factors rounded to tf32 give 3e-4, and
// rounded to bf16 2.4e-3, which must be seen: so they have no more than an element.
func (m Model) roundedWhole(d kernels.DType) float64 {
	if m.Terms == kernels.TF32 {
		return m.rounded(d)
	}
	return 2 * m.rounded(d)
}

// flushed is what a sum loses where every partial sum of it is flushed to zero as soon as it is no normal float32:
// additions by atomics on float32 are (PTX ISA, "red").
func (m Model) flushed() float64 { return (m.k() - 1) * kernels.FP32.SmallestNormal() }

// of is the tolerance of an element. Every product and sum is rounded, on machines too that could add without rounding
// the product first, and on GPUs.
func (t *tolerance) of(ref, scale float64) float64 {
	r := math.Abs(ref)
	if scale-scale != 0 { // of a value that is finite all the same: the least that a scale can be
		scale = r
	}
	sum := float64(t.sum * scale)
	if t.sum > t.walk { // as with narrow accumulators and very long sums
		sum = min(sum, max(r/Left, float64(t.walk*scale)))
	}
	return float64(float64(float64(t.rel*r)+sum)+float64(t.terms*scale)) + t.floor
}

// accepts judges an element that is not simply within a finite tolerance. NaN in the truth must be met by NaN, and Inf
// by the same Inf, or by NaN, which sums make of it that are compensated or split into parts; but not where there are
// no terms, and the scale is 0, as of the logarithm of a sum of none. An Inf is right where a number of its sign that
// rounds past the largest finite one is within the tolerance, which may be so wide that the truth has the other sign; a
// number saturated at that largest one is wrong.
func (t tolerance) accepts(got, ref, scale, tol float64) bool {
	if ref-ref != 0 {
		return sameClass(got, ref) || math.IsInf(ref, 0) && got != got && scale != 0
	}
	return math.IsInf(got, 0) && tol <= math.MaxFloat64 &&
		math.Copysign(1, got)*ref+tol >= t.overflow
}

// frobenius is the ceiling of the relative Frobenius error by output type. Rounding a right result
// alone gives 2e-4 (fp16) and 1.7e-3 (bf16); float32 sums of 4096 terms give 2e-7 to 9e-7. Inputs
// rounded to tf32 (3e-4) and a bf16 result in an fp16 output are well above. e4m3 gives 0.026, and where all outputs
// are alike up to its unit roundoff: there the elements tell what is wrong, and not the whole.
var frobenius = map[kernels.DType]float64{kernels.FP32: 5e-6, kernels.FP16: 1e-3, kernels.BF16: 5e-3,
	kernels.E4M3: 0x1p-4}

// halfFrobenius is the ceiling of half-precision accumulators over sqrt(K)*u. Simulated matrix units that round after
// every 16 terms reach 0.11, after every 4 terms 0.22.
const halfFrobenius = 0.75

// ceiling is the greatest relative Frobenius error that a right kernel may show on n elements whose
// truth and scales have the given Frobenius norms. limited says that a right kernel may err by more than the cap:
// such inputs do not suit the accumulator.
func (m Model) ceiling(d kernels.DType, n int, ref, scale float64) (c float64, limited bool) {
	root := math.Sqrt(m.k())
	growth := max(root, m.cutError())
	switch {
	case m.half():
		growth = halfFrobenius * root
	case m.Acc == kernels.FP22:
		growth = m.alignedError() * 3 / 4
	}
	rounding, sums := max(frobenius[d], m.ULPs*computed(d).Roundoff(), m.roundedWhole(d)), growth*m.accRoundoff()
	few := 1 + 4/math.Sqrt(float64(n)) // few elements scatter: four standard deviations
	rounding, sums = rounding*few, sums*few
	// The figures hold where the sum is as large as a random walk of its terms. Below that, terms
	// cancel and the error no longer shrinks with the sum; well below, only S1 bounds it.
	walk := scale / root
	if ref < walk {
		rounding *= walk / ref
	}
	if ref < walk/2 {
		rounding += m.rounded(d) * scale / ref
	}
	sums = m.cancelled(sums, ref, walk)
	most := math.Hypot(ref/Left, m.walk()*scale) / (2 * ref)
	return finiteRatio(max(rounding, min(sums, most))), sums > most
}

// scatters is how many times as large as the whole a random walk of all terms may be for its errors to be taken for
// scattered: what comes out of a norm has its own size, and a scale that counts each step to it.
const scatters = 4

// cancelled is what sums may err by where terms cancel, or the errors are coherent, if it is sums where they do not.
func (m Model) cancelled(sums, ref, walk float64) float64 {
	if m.Scattered && walk < scatters*ref {
		return sums + fewest*m.accRoundoff()*max(walk/ref, 1) // of what is made of the sums: numbers of their size
	}
	if ref < walk {
		sums *= walk / ref
	}
	if ref < walk/2 || m.Coherent {
		sums += m.sumError() * walk * math.Sqrt(m.k()) / ref
	}
	return sums
}

// grain is the absolute error per element that the Frobenius test leaves out: underflow. float32
// results may be flushed to zero; half precision has subnormals in hardware.
func grain(d kernels.DType) float64 {
	switch d {
	case kernels.FP16:
		return 0x1p-24
	case kernels.E4M3:
		return halfQuantum(0)
	}
	return d.SmallestNormal()
}

func finiteRatio(r float64) float64 {
	if !(r <= MaxRatio) {
		return MaxRatio
	}
	return r
}
