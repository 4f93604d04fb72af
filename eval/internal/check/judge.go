package check

import (
	"bytes"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"darwarp/kernels"
)

// Report says how an output compares with the truth.
type Report struct {
	Furthest
	Elements  int
	Bad       int     // elements outside their tolerance
	Missing   int     // elements that the output is too short for; negative: too long
	First     int     // first wrong element, -1 if none
	Frobenius float64 // relative Frobenius error, underflow left out, at most MaxRatio
	Ceiling   float64 // what Frobenius may be at most
	Underflow float64 // what was left out of Frobenius, at most MaxRatio
	Limited   bool    // a right kernel may be off by more than is allowed: the inputs do not suit the accumulator
	Poison    int     // wrong elements that were never written
	AllEqual  bool    // more than one element and all have the same bits
	Finite    bool    // no NaN and no Inf in the output

	model Model
	dtype kernels.DType
	wrong []uint64 // bit per element; nil when Bad is 0
}

// Furthest is the element whose error is greatest beside its tolerance.
type Furthest struct {
	Worst          float64 // its error over its tolerance, at most MaxRatio
	Index          int     // the first with that ratio
	Got, Want, Tol float64
}

// Pass reports whether every element and the whole are within the model.
func (r Report) Pass() bool {
	return r.Elements > 0 && r.Missing == 0 && r.Bad == 0 && r.Frobenius <= r.Ceiling
}

// Span is how many elements one Tally is about, but for the last. It is fixed, so that sums do not depend on
// the number of processors, and a multiple of 64, so that no two spans share a word of the bitmap.
const Span = 1 << 15

// Spans is the number of tallies of an output of n elements.
func Spans(n int) int { return (n + Span - 1) / Span }

// Tally is what one span adds to the report, wherever it was compared.
type Tally struct {
	Furthest
	Bad, Poison        int
	First              int // first wrong element, where Bad is not 0
	Err2, Ref2, Scale2 float64
	Odd                bool // NaN or Inf in the output
	Differs            bool // not all elements have the bits of the output's first
}

// NewReport makes the report on an output of n elements from the tallies of its spans, in order.
func NewReport(n int, d kernels.DType, m Model, tallies []Tally) Report {
	g := NewGathering(n, d, m)
	for i := range tallies {
		g.Add(&tallies[i])
	}
	return g.Report()
}

// Gathering makes a report of tallies that nobody keeps: an output of 2^27 elements has 4,096.
type Gathering struct {
	report             Report
	err2, ref2, scale2 float64
}

// NewGathering is one without a tally.
func NewGathering(n int, d kernels.DType, m Model) *Gathering {
	g := &Gathering{report: Report{Elements: n, First: -1, model: m, dtype: d, Finite: true, AllEqual: n > 1}}
	g.report.Worst = -1
	return g
}

// Add takes the tally of the next span.
func (g *Gathering) Add(t *Tally) {
	r := &g.report
	r.Bad += t.Bad
	r.Poison += t.Poison
	r.Finite = r.Finite && !t.Odd
	r.AllEqual = r.AllEqual && !t.Differs
	if t.Bad > 0 && r.First < 0 {
		r.First = t.First
	}
	if t.Worst > r.Worst {
		r.Furthest = t.Furthest
	}
	g.err2, g.ref2, g.scale2 = g.err2+t.Err2, g.ref2+t.Ref2, g.scale2+t.Scale2
}

// Report is that on the whole output, once the tallies of all spans were added.
func (g *Gathering) Report() Report {
	r, d, m := g.report, g.report.dtype, g.report.model
	r.Worst = max(r.Worst, 0)
	ref, lost := math.Sqrt(g.ref2), math.Sqrt(float64(r.Elements))*(grain(d)+m.flushed())
	r.Underflow = finiteRatio(lost / ref)
	err := math.Sqrt(g.err2) - lost
	if !(err <= lost*OrderOfSums) { // where all errors are as large as what is left out
		r.Frobenius = finiteRatio(err / ref)
	}
	r.Ceiling, r.Limited = m.ceiling(d, r.Elements, ref, math.Sqrt(g.scale2))
	return r
}

// OrderOfSums is the part of a norm that depends on the order in which squares are added, at most. If no more than that
// of an error is left beyond underflow nothing is, whoever added them.
const OrderOfSums = 1e-11

// Locate tells a report which elements are wrong, a bit for each, so that it can say what pattern they form.
func (r *Report) Locate(wrong []uint64) { r.wrong = wrong }

// Judge compares an output with its truth. The truth must be valid (see Truth.Validate); the output
// may be anything.
func Judge(out []byte, d kernels.DType, truth Truth, m Model) Report {
	n, size := len(truth.Value), d.Size()
	if len(out) != n*size {
		r := Report{Elements: n, First: -1, model: m, dtype: d, Finite: true}
		r.Missing, r.Bad, r.Worst, r.Frobenius = n-len(out)/size, n, MaxRatio, MaxRatio
		if r.Missing == 0 { // a fraction of an element
			r.Missing = -1
		}
		return r
	}
	j := judge{out: out, truth: truth, tol: m.tolerance(d), wrong: make([]uint64, (n+63)/64)}
	tallies := j.all()
	if n > 1 && !bytes.Equal(out[size:], out[:len(out)-size]) {
		tallies[0].Differs = true
	}
	r := NewReport(n, d, m, tallies)
	if r.Bad > 0 {
		r.Locate(j.wrong)
	}
	return r
}

type judge struct {
	out   []byte
	truth Truth
	tol   tolerance
	wrong []uint64
}

func (j *judge) all() []Tally {
	n := len(j.truth.Value)
	tallies := make([]Tally, Spans(n))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(len(tallies), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for {
				s := int(next.Add(1)) - 1
				if s >= len(tallies) {
					return
				}
				tallies[s] = j.span(s*Span, min(n, (s+1)*Span))
			}
		})
	}
	wg.Wait()
	return tallies
}

func (j *judge) span(lo, hi int) Tally {
	t := Tally{Furthest: Furthest{Worst: -1}}
	var buf [512]float64
	size := j.tol.dtype.Size()
	for i := lo; i < hi; i += len(buf) {
		got := buf[:min(len(buf), hi-i)]
		Decode(j.tol.dtype, j.out[i*size:], got)
		switch {
		case j.tol.exact:
			j.exact(&t, i, got)
		case coarse(j.tol.dtype):
			j.near8(&t, i, got)
		default:
			j.near(&t, i, got)
		}
	}
	return t
}

// near judges a chunk within tolerances. The common case, finite and close enough, stays in the loop,
// and the loop stays in registers.
func (j *judge) near(t *Tally, base int, got []float64) {
	refs, scales := j.truth.Value[base:base+len(got)], j.truth.Scale[base:base+len(got)]
	of := j.tol
	var err2, ref2, scale2 float64
	worst, at := t.Worst, -1
	for i, y := range got {
		ref, s := refs[i], float64(scales[i])
		tol, err := of.of(ref, s), math.Abs(y-ref)
		if !(err <= tol) || !(tol <= math.MaxFloat64) {
			j.odd(t, base+i, y, ref, tol)
			continue
		}
		err2 += err * err
		ref2 += ref * ref
		scale2 += s * s
		if ratio := err / tol; ratio > worst {
			worst, at = ratio, i
		}
	}
	t.Err2, t.Ref2, t.Scale2 = t.Err2+err2, t.Ref2+ref2, t.Scale2+scale2
	if at >= 0 {
		ref := refs[at]
		t.note(worst, base+at, got[at], ref, of.of(ref, float64(scales[at])))
	}
}

// note keeps the element with the greatest ratio so far, of equal ones the first.
func (t *Tally) note(ratio float64, i int, got, want, tol float64) {
	if ratio > t.Worst || ratio == t.Worst && i < t.Index {
		t.Worst, t.Index, t.Got, t.Want, t.Tol = ratio, i, got, want, tol
	}
}

// maxInt is beyond what an int32 holds by no more than one.
const maxInt = 1 << 31

// exact judges a chunk bit for bit, but for the sign of zero and the payload of NaN. Where an int cannot hold the
// truth, because it is NaN or too large, any is right.
func (j *judge) exact(t *Tally, base int, got []float64) {
	for i, y := range got {
		want := j.truth.Value[base+i]
		if j.tol.dtype == kernels.I32 && !(math.Abs(want) <= maxInt) { // no int is nearer than another
			want = y
		}
		if y != want { // else it is the rounded truth already, as most small integers are
			want = Round(j.tol.dtype, want)
		}
		if y != want || y-y != 0 {
			j.odd(t, base+i, y, want, 0)
			continue
		}
		s := float64(j.truth.Scale[base+i])
		t.Ref2 += want * want
		t.Scale2 += s * s
		t.note(0, base+i, y, want, 0)
	}
}

// odd judges the rare element that is wrong, NaN or Inf. A NaN that still is what the output was filled with is not
// right where the truth is NaN or Inf either: a kernel that does not store such results would leave what was there.
func (j *judge) odd(t *Tally, i int, got, want, tol float64) {
	t.Odd = t.Odd || got-got != 0
	scale, size := float64(j.truth.Scale[i]), j.tol.dtype.Size()
	unwritten := Unwritten(j.out[i*size : (i+1)*size])
	if j.tol.accepts(got, want, scale, tol) && !(unwritten && size > 1) { // Blank may be a result
		return
	}
	if t.Bad == 0 {
		t.First = i
	}
	t.Bad++
	j.wrong[i/64] |= 1 << (i % 64)
	if unwritten {
		t.Poison++
	}
	err := math.Abs(got - want)
	t.Err2 += err * err
	if want-want == 0 {
		t.Ref2 += want * want
		t.Scale2 += scale * scale
	}
	t.note(finiteRatio(err/tol), i, got, want, tol)
}
