package graph

import "slices"

// openRoots reports whether the root of a sum of squares is used with nothing that keeps it from 0, and whether a
// variance is, or its root. fp32 loses such squares of small numbers, and the mean of equal ones is rounded, so that
// their distances from it are not 0: of that a root makes much.
func (p *program) openRoots() (squares, spread bool) {
	look := func(v *value) {
		v = unscaled(v)
		sum := v
		if isRoot(v) {
			sum = unscaled(v.args[0])
			squares = squares || isVariance(sum) || squared(sum) && !kept(sum.stat.arg.args[0])
		}
		spread = spread || isVariance(sum)
	}
	for _, o := range p.outputs {
		look(o.value)
	}
	for _, v := range p.reachable() {
		if v.kind == isOp && !kept(v) && !isRoot(v) && unscaled(v) == v {
			for _, a := range v.args {
				look(a)
			}
		}
	}
	return squares, spread
}

func isRoot(v *value) bool { return v.kind == isOp && v.op.Name == "sqrt" }

// isVariance reports whether a value is a variance.
func isVariance(v *value) bool { return v.kind == isStat && v.stat.kind == momentsOf && v.part == 1 }

// unscaled is what a value is a multiple of, by numbers that are the same for all rows.
func unscaled(v *value) *value {
	for v.kind == isOp && (v.op.Name == "mul" || v.op.Name == "div") &&
		!slices.ContainsFunc(reached(v.args[1]), func(of *value) bool { return of.kind == isLoad || of.kind == isStat }) {
		v = v.args[0]
	}
	return v
}

// kept reports whether a value is the sum of another one and a number, or not less than one: it is seldom near 0.
func kept(v *value) bool {
	if v.kind != isOp || len(v.args) < 2 {
		return false
	}
	above := func(a *value) bool { return a.kind == isNumber && a.number > 0 }
	switch v.op.Name {
	case "maximum", "add":
		return above(v.args[0]) || above(v.args[1])
	case "clamp":
		return above(v.args[1])
	}
	return false
}

// squared reports whether a value is a sum of squares.
func squared(v *value) bool {
	return v.kind == isStat && v.stat.kind == sumOf && v.stat.arg.kind == isOp && v.stat.arg.op.Name == "mul" &&
		v.stat.arg.args[0] == v.stat.arg.args[1]
}

// byLength reports whether a number is divided by the root of a sum of squares, with nothing that keeps it from 0.
func byLength(v *value) bool {
	return v.kind == isOp && v.op.Name == "div" && v.args[1].kind == isOp && v.args[1].op.Name == "sqrt" &&
		squared(v.args[1].args[0])
}

// bounds are the operators of which many numbers give the same one, which is not 0.
var bounds = []string{"clamp", "tanh", "sigmoid", "erf"}

// saturated reports whether distances are added up of numbers that may all lie at a bound.
func saturated(s *stat) bool {
	return centred(s) && slices.ContainsFunc(reached(s.arg),
		func(v *value) bool { return v.kind == isOp && slices.Contains(bounds, v.op.Name) })
}

// centred reports whether distances from a sum are added up.
func centred(s *stat) bool {
	return s.kind == momentsOf || s.kind == sumOf && slices.ContainsFunc(reached(s.arg),
		func(v *value) bool { return v.kind == isStat && v.stat.kind == sumOf })
}

// finished reports whether more is worked out of products than what a last rounding is about, as a product plus a bias.
func (p *program) finished() bool {
	rounding := 0
	for _, v := range p.reachable() {
		if v.kind == isOp && !v.op.Same {
			rounding++
		}
	}
	return p.product != nil && (rounding > 1 || !p.exact())
}
