package graph

import (
	"math"
	"slices"
)

// farClasses are the input classes of numbers far from 0, with some of each. alike: a line's are nearly the same.
var farClasses = []struct {
	name    string
	numbers []float64
	alike   bool
}{
	{"wide", []float64{-31, -8, 8, 31}, false},
	{"ordered", []float64{-14, 14}, false},
	{"shift", []float64{-131, -60, -20, 20, 60, 131}, true},
	{"offset", []float64{252, 260}, true},
	{"large", []float64{-1000, -300, -104, -40, 40, 104, 300, 1000}, false},
	{"outlier", []float64{-1000, -300, -104, -40, 40, 104, 300, 1000}, false},
	{"huge", []float64{-6e7, -1e5, -1000, -104, 104, 1000, 1e5, 6e7}, false},
}

// hardFar are those of them that come without being asked for.
var hardFar = []string{"ordered", "shift", "outlier", "huge"}

// spilled are the classes of whose numbers fp32 makes inf or NaN on the way where fp64 makes an output that fp32 could
// hold, as log(softmax(x)) of what exp makes 0, and log(1 + exp(x)) of what it makes inf. torch does so as well.
func (p *program) spilled() (classes []string) {
	if p.product != nil { // its sums are as large in any class
		return nil
	}
	for _, class := range farClasses {
		if slices.ContainsFunc(class.numbers, func(x float64) bool { return p.spills(x, class.alike) }) {
			classes = append(classes, class.name)
		}
	}
	return classes
}

// spills reports whether a number does, in all inputs or in one of them.
func (p *program) spills(x float64, alike bool) bool {
	for only := -1; only < len(p.loads); only++ {
		wide := &trying{p: p, x: x, only: only, alike: alike, round: func(v float64) float64 { return v }}
		narrow := &trying{p: p, x: x, only: only, alike: alike, round: func(v float64) float64 { return float64(float32(v)) }}
		for _, o := range p.outputs {
			if o.ints() {
				continue
			}
			if y, got := wide.value(o.value), narrow.value(o.value); math.Abs(y) <= math.MaxFloat32 && got-got != 0 {
				return true
			}
		}
	}
	return false
}

// trying works out values of a place where inputs are x, or only one of them, and the others 1. The other places of its
// row have 0 there, or the same where lines are alike.
type trying struct {
	p     *program
	x     float64
	only  int // index of a load; -1: all
	alike bool
	round func(float64) float64
}

func (t *trying) value(v *value) float64 {
	switch v.kind {
	case isNumber:
		return v.number
	case isLoad:
		if t.only < 0 || t.p.loads[t.only] == v {
			return t.x
		}
		return 1
	case isCount, isLength:
		return 16
	case isStat, isTotal:
		return t.round(t.stat(v))
	case isAcc:
		if t.p.scan != nil {
			return t.value(t.p.scan.arg)
		}
		return t.x
	case isOp:
		args := make([]float64, len(v.args))
		for i, a := range v.args {
			args[i] = t.value(a)
		}
		return t.round(values[v.op.Name](args))
	}
	return 1
}

// stat is what a row with one more number comes to.
func (t *trying) stat(v *value) float64 {
	s, here := v.stat, t.value(v.stat.arg)
	there := here
	if !t.alike {
		other := *t
		other.x = 0
		there = other.value(s.arg)
	}
	most := max(here, there)
	switch {
	case s.kind.exponentials() && v.part == 1:
		return t.round(math.Exp(here-most)) + t.round(math.Exp(there-most))
	case s.kind.exponentials(), s.kind == greatest:
		return most
	case s.kind == least:
		return min(here, there)
	case s.kind == momentsOf && v.part == 1:
		return (here - there) * (here - there) / 4
	case s.kind == momentsOf:
		return (here + there) / 2
	case s.kind == productOf:
		return here * there
	}
	return here + there
}
