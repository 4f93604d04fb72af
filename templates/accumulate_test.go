package templates

import (
	"slices"
	"testing"

	"darwarp/kernels"
)

// TestCancelIsNotForFP32: a sum whose output is fp32 has to be seen wrong when it is 1.001 times the right one. Where
// its terms cancel, the rounding errors of fp32 are worth more than that, and the session of a GPU would be refused.
func TestCancelIsNotForFP32(t *testing.T) {
	found := 0
	for _, name := range Builtins() {
		b, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		p := b.Problem
		for _, x := range p.Tensors {
			if x.Role != "out" || x.DType != kernels.FP32 || p.Epilogue == nil {
				continue
			}
			if found++; slices.Contains(p.Check.Inputs, "cancel") {
				t.Errorf("%s: %s is fp32, and inputs has cancel", name, x.Name)
			}
		}
	}
	if found == 0 {
		t.Error("no problem has such an output")
	}
}
