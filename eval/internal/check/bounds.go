package check

import "darwarp/kernels"

// Bounds is the error model of one output type in numbers, for a comparison that is made elsewhere. An element passes
// where |got - ref| <= ((Rel |ref| + min(Sum S1, max(|ref|/Left, Walk S1))) + Terms S1) + Floor, in that order, with
// |ref| for an S1 that is not finite; see tolerance.accepts for values that are not.
type Bounds struct {
	Exact           bool // equal to the rounded truth
	Rel, Sum, Floor float64
	Walk, Terms     float64
	Overflow        float64 // least magnitude that rounds to Inf
}

// Bounds puts the numbers of an output type into the model.
func (m Model) Bounds(d kernels.DType) Bounds {
	t := m.tolerance(d)
	return Bounds{Exact: t.exact, Rel: t.rel, Sum: t.sum, Floor: t.floor, Walk: t.walk, Terms: t.terms,
		Overflow: t.overflow}
}
