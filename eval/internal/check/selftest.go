package check

import (
	"fmt"
	"math"

	"darwarp/kernels"
)

// Mutation makes a wrong output that the gate must reject. Make returns nil where it does not apply.
type Mutation struct {
	Name    string
	Make    func() []float64
	AnySize bool // as Tried has it
}

// Trial is one check of a problem: the truth at one shape and input class. SelfTest asks whether the
// check can tell right from wrong there.
type Trial struct {
	DType     kernels.DType
	Model     Model
	Truth     Truth
	Shape     []int      // of the output, row-major
	Mutations []Mutation // what only the inputs can give: a dropped term, a stale output, a copied input
	Compare   Comparison // whose fitness is asked for; nil: Judge's
}

// Comparison is Judge, here or on a device.
type Comparison func(out []byte, d kernels.DType, truth Truth, m Model) Report

// Tried is an output that is known to be wrong, as the check took it.
type Tried struct {
	Name string `json:"name"`
	// Accepted says by how much it was taken for right, in words; empty: it was refused
	Accepted string `json:"accepted,omitempty"`
	// AnySize says that it is enough to tell it at one size: what is wrong is wrong at each, or is right at this one but
	// for rounding
	AnySize bool `json:"any_size,omitempty"`
}

// SelfTest judges the rounded truth, which must pass, and outputs that are known to be wrong, which should fail: tried
// are those that there are. An error says that right ones fail, or that the truth is none.
func SelfTest(t Trial) (tried []Tried, err error) {
	// Integers have to be right: what their scales are counts for nothing.
	if err := t.Truth.Validate(len(t.Truth.Value)); err != nil && t.DType != kernels.I32 {
		return nil, err
	}
	judge := func(v []float64) Report { return t.compare()(Store(t.DType, v), t.DType, t.Truth, t.Model) }
	if r := judge(t.Truth.Value); !r.Pass() {
		return nil, fmt.Errorf("the check rejects the rounded reference: %s", r.Explain("output", t.Shape))
	}
	for _, m := range append(t.builtin(), t.Mutations...) {
		wrong := m.Make()
		if wrong == nil {
			continue
		}
		got := Tried{Name: m.Name, AnySize: m.AnySize}
		if r := judge(wrong); r.Pass() {
			got.AnySize = got.AnySize || r.Frobenius <= computed(t.DType).Roundoff() // a norm of groups of one has equal rows
			got.Accepted = fmt.Sprintf("worst error %.2g of its tolerance, Frobenius %.2g of at most %.2g",
				r.Worst, r.Frobenius, r.Ceiling)
		}
		tried = append(tried, got)
	}
	return tried, nil
}

func (t Trial) builtin() []Mutation {
	fill := func(v float64) func() []float64 {
		return func() []float64 { return t.mutate(func(int, float64) float64 { return v }) }
	}
	return []Mutation{
		{Name: "zeros", Make: fill(0)},
		{Name: "ones", Make: fill(1)},
		{Name: "a constant", Make: fill(t.mean())},
		{Name: "shuffled rows", Make: t.shuffled},
		{Name: "a dropped last tile", Make: t.withoutLastTile},
		{Name: "output x 1.1", Make: func() []float64 { return t.scaled(1.1) }, AnySize: true},
		{Name: fmt.Sprintf("output x %g", t.factor()), Make: t.slightlyScaled, AnySize: true},
	}
}

func (t Trial) mutate(f func(i int, v float64) float64) []float64 {
	out := make([]float64, len(t.Truth.Value))
	for i, v := range t.Truth.Value {
		out[i] = f(i, v)
	}
	return out
}

func (t Trial) mean() float64 {
	sum, n := 0.0, 0
	for _, v := range t.Truth.Value {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			sum += v
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// cols is the length of the last axis.
func (t Trial) cols() int {
	if len(t.Shape) == 0 {
		return 1
	}
	return max(t.Shape[len(t.Shape)-1], 1)
}

// shuffled moves every row down by one, or the elements of an only row.
func (t Trial) shuffled() []float64 {
	n, step := len(t.Truth.Value), t.cols()
	if step >= n {
		step = 1
	}
	if n < 2 {
		return nil
	}
	return t.mutate(func(i int, _ float64) float64 { return t.Truth.Value[(i+step)%n] })
}

// lost is the magnitude below which outputs of the type may be zeros.
func lost(d kernels.DType) float64 {
	if coarse(d) {
		return halfQuantum(0)
	}
	return d.SmallestNormal()
}

// nearlyFlushed is how many times what may be lost outputs may be whose tolerance is mostly that one.
const nearlyFlushed = 16

// withoutLastTile leaves zeros in the last 16 by 16 elements, as a grid one block short does. Where all of these are
// so small that they may be flushed to zero, or nearly so, or below the rounding of the greatest output, as most of a
// softmax of far apart numbers, the difference cannot be told.
func (t Trial) withoutLastTile() []float64 {
	cols := t.cols()
	rows := len(t.Truth.Value) / cols
	most, greatest := 0.0, 0.0
	out := t.mutate(func(i int, v float64) float64 {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			greatest = max(greatest, math.Abs(v))
		}
		if i/cols >= rows-16 && i%cols >= cols-16 {
			most = max(most, math.Abs(v))
			return 0
		}
		return v
	})
	if most <= max(nearlyFlushed*lost(t.DType), computed(t.DType).Roundoff()*greatest) {
		return nil
	}
	return out
}

// factor is a thousandth too large, which only float32 can resolve. Where factors of terms may be rounded to tf32,
// whole outputs may be off by nearly as much, 2^-10: there it is three thousandths.
func (t Trial) factor() float64 {
	if t.Model.Terms == kernels.TF32 {
		return 1.003
	}
	return 1.001
}

// slightlyScaled is too large by that. Where it passes, it is no fault if outputs hang on their sums so that rounding
// these may change them by half a thousandth, as a softmax of long products.
func (t Trial) slightlyScaled() []float64 {
	out := t.scaled(t.factor())
	if out != nil && t.sensitive() && t.judge(Store(t.DType, out), t.Model) {
		return nil
	}
	return out
}

// sensitive reports whether an error that sums may have changes all outputs by half a thousandth.
func (t Trial) sensitive() bool {
	var value, scale float64
	for i, v := range t.Truth.Value {
		if s := float64(t.Truth.Scale[i]); v-v == 0 && s-s == 0 {
			value, scale = value+v*v, scale+s*s
		}
	}
	return t.Model.Coherent && t.Model.sumError()*math.Sqrt(scale) > 0.0005*math.Sqrt(value)
}

// scaled is too large by a factor. At bf16 it is below the rounding, and the exact test on integers has to catch it.
func (t Trial) scaled(factor float64) []float64 {
	if t.DType != kernels.FP32 || t.Model.Acc == kernels.FP16 || t.Model.Acc == kernels.BF16 {
		return nil
	}
	return t.mutate(func(_ int, v float64) float64 { return v * factor })
}
