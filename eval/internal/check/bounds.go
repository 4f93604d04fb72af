package check

import "darwarp/kernels"

// Bounds is the error model of one output type in numbers, for a comparison that is made elsewhere. An element passes
// where |got - ref| <= Rel |ref| + Sum S1 + Floor; see tolerance.accepts for numbers that are not finite.
type Bounds struct {
	Exact           bool // equal to the rounded truth
	Rel, Sum, Floor float64
	Overflow        float64 // least magnitude that rounds to Inf
}

// Bounds puts the numbers of an output type into the model.
func (m Model) Bounds(d kernels.DType) Bounds {
	t := m.tolerance(d)
	return Bounds{Exact: t.exact, Rel: t.rel, Sum: t.sum, Floor: t.floor, Overflow: t.overflow}
}
