package device

import (
	"testing"

	"darwarp/kernels"
)

// TestCodesInRuns: numbers of int8 come in runs where all lines are of many classes, and nowhere else, for
// timed inputs stay as they are; indices do in all of these classes, and scales never.
func TestCodesInRuns(t *testing.T) {
	for _, c := range []struct {
		class string
		dtype kernels.DType
		how   kernels.Draw
		want  kernels.Draw
	}{
		{Mixed, kernels.I8, kernels.Evenly, kernels.Clustered},
		{Striped, kernels.I8, kernels.Evenly, kernels.Clustered},
		{Mixed, kernels.U8, kernels.Evenly, kernels.Evenly},
		{"normal", kernels.I8, kernels.Evenly, kernels.Evenly},
		{"exact", kernels.I8, kernels.Evenly, kernels.Evenly},
		{Rare, kernels.I8, kernels.Evenly, kernels.Evenly},
		{Lone, kernels.I8, kernels.Evenly, kernels.Evenly},
		{Mixed, kernels.I32, kernels.Evenly, kernels.Clustered},
		{Comb, kernels.I32, kernels.Evenly, kernels.Clustered},
		{Rare, kernels.I32, kernels.Evenly, kernels.Agreed},
		{Mixed, kernels.I32, kernels.Lengths, kernels.Lengths},
		{Mixed, kernels.I32, kernels.Permutation, kernels.NearlyInOrder},
		{Mixed, kernels.FP32, kernels.Evenly, kernels.Evenly},
	} {
		b := &kernels.Buffer{DType: c.dtype, Drawn: &kernels.Drawn{High: 127, How: c.how}}
		if got := (&Case{Class: c.class}).Drawn(b).How; got != c.want {
			t.Errorf("%s of class %s, %q: drawn %q, expected %q", c.dtype, c.class, c.how, got, c.want)
		}
	}
}

// TestAlsoIsNotTimed: inputs that are timed have no number beside their range; those of other cases have, also where
// lines are of many classes at the same sizes.
func TestAlsoIsNotTimed(t *testing.T) {
	b := kernels.Buffer{DType: kernels.I64, Drawn: &kernels.Drawn{High: 9, Share: 8, Also: -100}}
	for _, tt := range []struct {
		workload, class string
		share           int
	}{{"large", "normal", 0}, {"", "normal", 8}, {"large", Mixed, 8}, {"large", Rare, 8}, {"", Striped, 8}} {
		c := Case{Workload: tt.workload, Class: tt.class}
		if d := c.Drawn(&b); d.Share != tt.share || d.Also != -100 || b.Drawn.Share != 8 {
			t.Errorf("%q, %s: %+v", tt.workload, tt.class, d)
		}
	}
}
