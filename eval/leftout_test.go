package eval_test

import (
	"testing"

	"darwarp/eval"
)

// TestLeftOutGate: the targets of an imported loss hold the class whose rows do not count, though none of the classes
// has its number: kernels that count these rows are wrong.
func TestLeftOutGate(t *testing.T) {
	b := graphBundle(t, "../templates/graph/testdata/imported_cross_entropy.json")
	f := b.Families[0]
	points := []gated{gatedPoint(t, b, f, f.Defaults(), false)}
	for _, cheat := range []string{"1.f", "op_ne(row.l1, -99.f)"} {
		points = append(points, changed(t, b, f, "op_ne(row.l1, (-100.f))", cheat))
	}
	eval.Sometimes(t)
	gatePoints(t, b, b.Problem.SmallWorkloads()[:1], points)
}
