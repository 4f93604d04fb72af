// Package judgetest makes outputs that are right or wrong in many ways, to hold comparisons on a device against
// check.Judge.
package judgetest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"darwarp/eval/internal/check"
	"darwarp/kernels"
)

// Sample is an output beside its truth.
type Sample struct {
	Name  string
	DType kernels.DType
	Shape []int
	Out   []byte
	Truth check.Truth
	Model check.Model
}

// Want is what the processor says.
func (s *Sample) Want() check.Report { return check.Judge(s.Out, s.DType, s.Truth, s.Model) }

// Fault changes values of a right output; tol is the tolerance of each element.
type fault struct {
	name string
	do   func(rng *rand.Rand, s *Sample, values, tol []float64)
}

var faults = []fault{
	{"right", func(rng *rand.Rand, _ *Sample, v, tol []float64) { noise(rng, v, tol, 0.5) }},
	{"rounded truth", func(*rand.Rand, *Sample, []float64, []float64) {}},
	{"slightly wrong", func(rng *rand.Rand, _ *Sample, v, tol []float64) { noise(rng, v, tol, 1.1) }},
	{"at the edge", func(rng *rand.Rand, _ *Sample, v, tol []float64) {
		for i := range v {
			v[i] += tol[i] * float64(1-2*rng.IntN(2)) * (1 + (rng.Float64()-0.5)*1e-6)
		}
	}},
	{"one wrong", func(rng *rand.Rand, _ *Sample, v, tol []float64) { v[rng.IntN(len(v))] += 3 * tol[0] }},
	{"few NaN", func(rng *rand.Rand, _ *Sample, v, _ []float64) { some(rng, v, math.NaN()) }},
	{"few Inf", func(rng *rand.Rand, _ *Sample, v, _ []float64) { some(rng, v, math.Inf(1-2*rng.IntN(2))) }},
	{"saturated", func(_ *rand.Rand, s *Sample, v, _ []float64) {
		for i := range v {
			v[i] = max(-s.DType.Max(), min(s.DType.Max(), v[i]))
		}
	}},
	{"a constant", func(rng *rand.Rand, _ *Sample, v, _ []float64) { fill(v, v[rng.IntN(len(v))]) }},
	{"zeros", func(_ *rand.Rand, _ *Sample, v, _ []float64) { fill(v, 0) }},
	{"last part missing", func(rng *rand.Rand, _ *Sample, v, _ []float64) { fill(v[rng.IntN(len(v)):], 0) }},
	{"one column", func(rng *rand.Rand, s *Sample, v, tol []float64) { every(v, tol, rng.IntN(s.Shape[1]), s.Shape[1]) }},
	{"every other", func(rng *rand.Rand, _ *Sample, v, tol []float64) { every(v, tol, rng.IntN(2), 2+2*rng.IntN(4)) }},
	{"moved", func(_ *rand.Rand, _ *Sample, v, _ []float64) { copy(v, v[len(v)/2:]) }},
	{"all too large", func(rng *rand.Rand, _ *Sample, v, tol []float64) {
		for i := range v {
			v[i] += 0.9 * tol[i]
		}
	}},
}

func noise(rng *rand.Rand, v, tol []float64, share float64) {
	for i := range v {
		v[i] += (2*rng.Float64() - 1) * share * tol[i]
	}
}

func some(rng *rand.Rand, v []float64, x float64) {
	for range 1 + rng.IntN(3) {
		v[rng.IntN(len(v))] = x
	}
}

func fill(v []float64, x float64) {
	for i := range v {
		v[i] = x
	}
}

func every(v, tol []float64, from, step int) {
	for i := from; i < len(v); i += step {
		v[i] += 2.5 * tol[i]
	}
}

var dtypes = []kernels.DType{kernels.FP16, kernels.BF16, kernels.FP32, kernels.I32, kernels.E4M3}

// Random makes the i-th sample: all types and kinds of faults occur in turn.
func Random(rng *rand.Rand, i int) *Sample {
	d := dtypes[i%len(dtypes)]
	f := faults[i/len(dtypes)%len(faults)]
	s := &Sample{DType: d, Shape: shape(rng)}
	s.Model = model(rng, d)
	n := s.Shape[0] * s.Shape[1]
	s.truth(rng, n)
	values, tol := append([]float64(nil), s.Truth.Value...), make([]float64, n)
	b := s.Model.Bounds(d)
	for k, v := range values {
		scale := float64(s.Truth.Scale[k])
		tol[k] = b.Rel*math.Abs(v) + min(b.Sum*scale, max(math.Abs(v)/check.Left, b.Walk*scale)) + b.Terms*scale + b.Floor
		if d == kernels.E4M3 { // and its own rounding
			tol[k] += max(math.Abs(v)*d.Roundoff(), 0x1p-10)
		}
		if b.Exact {
			tol[k] = 1
		}
	}
	f.do(rng, s, values, tol)
	s.Out = check.Encode(d, values)
	s.Name = f.name
	if rng.IntN(8) == 0 {
		s.Name += ", unwritten from an element on"
		s.unwritten(rng)
	}
	return s
}

// shape is mostly small; some are longer than the tiles, and than the spans, of the comparison.
func shape(rng *rand.Rand) []int {
	most := []int{8, 60, 60, 200, 1024}[rng.IntN(5)]
	if rng.IntN(100) == 0 {
		return []int{1 + rng.IntN(300), check.Span / 100}
	}
	return []int{1 + rng.IntN(9), 1 + rng.IntN(most)}
}

func model(rng *rand.Rand, d kernels.DType) check.Model {
	m := check.Model{K: 1 + rng.IntN(1<<rng.IntN(14)), Acc: dtypes[rng.IntN(3)], Exact: rng.IntN(4) == 0}
	if rng.IntN(3) == 0 {
		m.ULPs = float64(rng.IntN(9))
	}
	if rng.IntN(6) == 0 && d != kernels.I32 {
		m.Terms = d
	}
	return m
}

// truth draws values of one magnitude, now and then with numbers that are none, that overflow, or that are zero.
func (s *Sample) truth(rng *rand.Rand, n int) {
	size := math.Exp2(float64(rng.IntN(30) - 20))
	whole := s.DType == kernels.I32 || s.Model.Exact && rng.IntN(2) == 0
	special := rng.IntN(6) == 0
	for range n {
		v := rng.NormFloat64() * size
		if whole {
			v = math.Round(rng.NormFloat64() * 8)
		}
		scale := math.Abs(v) * (1 + rng.Float64()*4)
		if special {
			v, scale = oddity(rng, s.DType, v, scale)
		}
		s.Truth.Value, s.Truth.Scale = append(s.Truth.Value, v), append(s.Truth.Scale, float32(scale))
	}
}

func oddity(rng *rand.Rand, d kernels.DType, v, scale float64) (float64, float64) {
	switch rng.IntN(40) {
	case 0:
		return math.NaN(), math.NaN()
	case 1:
		return math.Inf(1 - 2*rng.IntN(2)), math.Inf(1)
	case 8: // of no terms
		return math.Inf(1 - 2*rng.IntN(2)), 0
	case 2, 3: // close to what overflows
		v = d.Max() * (1 + (rng.Float64()-0.5)/200) * float64(1-2*rng.IntN(2))
		return v, math.Min(math.Abs(v), math.MaxFloat32)
	case 4:
		return math.Copysign(0, v), 0
	case 5:
		return d.SmallestNormal() * rng.Float64(), d.SmallestNormal()
	case 6:
		return v, math.Inf(1)
	case 7: // sums that cancel: the tolerance reaches past what overflows on both sides
		return v, math.Min(d.Max()*0x1p30, math.MaxFloat32)
	}
	return v, scale
}

// unwritten leaves what was there before in the output from some element on.
func (s *Sample) unwritten(rng *rand.Rand) {
	from := rng.IntN(len(s.Out)/s.DType.Size()) * s.DType.Size() * rng.IntN(2)
	if s.DType.Size() == 1 {
		for i := from; i < len(s.Out); i++ {
			s.Out[i] = check.Blank
		}
		return
	}
	for i := from; i < len(s.Out); i += 2 {
		binary.LittleEndian.PutUint16(s.Out[i:], check.Wild(uint16(rng.Uint32())))
	}
}

// Differ says how a report of a device differs from the processor's; empty: it does not. Sums may differ by the order
// of their terms. Frobenius is a difference of two of them: where outputs are mostly underflow these have nearly all
// digits in common. In an output of e4m3 whose truth was 200 times less than that, norms that agreed to 15 digits left
// a difference that agreed to 10.
func (s *Sample) Differ(got check.Report) string {
	want := s.Want()
	g, w := got.Explain("y", s.Shape), want.Explain("y", s.Shape)
	same := got.Pass() == want.Pass() && g == w && got.Bad == want.Bad && got.First == want.First &&
		got.Poison == want.Poison && got.Worst == want.Worst && got.Index == want.Index &&
		equal(got.Got, want.Got) && equal(got.Want, want.Want) && equal(got.Tol, want.Tol) &&
		got.AllEqual == want.AllEqual && got.Finite == want.Finite &&
		closeTo(got.Frobenius, want.Frobenius, want.Frobenius+want.Underflow) &&
		closeTo(got.Ceiling, want.Ceiling, want.Ceiling)
	if same {
		return ""
	}
	return fmt.Sprintf("%s of %s %v, %+v:\n got %s\nwant %s\n%+v\n%+v", s.Name, s.DType, s.Shape, s.Model, g, w, got, want)
}

func equal(a, b float64) bool { return a == b || a != a && b != b }

// closeTo reports whether two numbers differ by no more than sums do by their order, in a whole of that size.
func closeTo(a, b, whole float64) bool {
	return math.Abs(a-b) <= check.OrderOfSums*whole || equal(a, b)
}
