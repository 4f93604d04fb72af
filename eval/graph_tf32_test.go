package eval_test

import (
	"strings"
	"testing"

	"darwarp/eval"
	"darwarp/kernels"
	"darwarp/templates"
)

// TestRoundedGate sends a point of the family that rounds operands to tf32 beforehand through the gate, and sources
// that leave them to be cut off: both, or those of one side. Cutting off is up to 2^-10 of an operand, twice as much as
// rounding, which shows in sums of which few terms count.
func TestRoundedGate(t *testing.T) {
	b := graphBundle(t, "../templates/graph/testdata/matmul_tf32.json")
	f, err := b.Family("hopper")
	if err != nil {
		t.Fatal(err)
	}
	points := []gated{gatedPoint(t, b, f, f.Defaults(), false)}
	const rounds = "rounded4(v[i].x, v[i].y, v[i].z, v[i].w)"
	for _, cut := range []string{"v[i]", "ALONG ? v[i] : " + rounds, "ALONG ? " + rounds + " : v[i]"} {
		points = append(points, changed(t, b, f, rounds, cut))
	}
	eval.Sometimes(t)
	gatePoints(t, b, b.Problem.SmallWorkloads()[:1], points)
}

// changed is the naive start of a family with a text replaced, which is to be wrong.
func changed(t *testing.T, b *templates.Bundle, f *kernels.Family, old, text string) gated {
	t.Helper()
	p := gatedPoint(t, b, f, f.Defaults(), false)
	source := strings.Replace(p.job.Source, old, text, 1)
	if source == p.job.Source {
		t.Fatalf("the source has no %s", old)
	}
	p.job.Source, p.wrong = source, true
	p.job.ID = kernels.NewID(source, p.job.Plan.Spec, text)
	return p
}
