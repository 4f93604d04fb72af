package cases

import (
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/templates"
)

// TestTrialsOfLongTruths: at sizes whose truth takes seconds a trial asks for few of them, and for every class all the
// same: line by line, in stripes, and each alone with sums as long.
func TestTrialsOfLongTruths(t *testing.T) {
	for _, c := range []struct {
		problem string
		dims    kernels.Dims
		whole   bool // each class alone is run there
	}{
		{"attention", kernels.Dims{"b": 4, "h": 16, "s": 4096, "d": 128, "causal": 0}, false},
		{"attention", kernels.Dims{"b": 2, "h": 8, "s": 512, "d": 64, "causal": 0}, true},
		{"gemm", kernels.Dims{"m": 8192, "n": 8192, "k": 8192}, false},
		{"gemm", kernels.Dims{"m": 2048, "n": 2048, "k": 2048}, true},
	} {
		b, err := templates.Builtin(c.problem)
		if err != nil {
			t.Fatal(err)
		}
		p := b.Problem
		want := Wanted{Problem: p, DType: kernels.FP16, Effort: OnGPU(1 << 37), RNG: rand.New(rand.NewPCG(1, 2)),
			Workloads: []kernels.Workload{{Name: "w", Dims: c.dims}}}
		s, err := New(want)
		if err != nil {
			t.Fatal(err)
		}
		whole, _, _ := p.Work(c.dims, kernels.FP16)
		took, classes := 0.0, map[string]bool{}
		for _, i := range append(slices.Clone(s.Trials["w"]), s.Banks["w"]...) {
			at := &s.List[i]
			work, _, err := p.Work(at.Dims, kernels.FP16)
			if err != nil || !at.Trial && at.Workload == "" {
				t.Errorf("%s: %v", at.Name, err)
			}
			took += work / whole
			classes[at.Class] = true
			for _, dim := range p.DimNames {
				least := c.dims[dim] - max(16, p.Range(dim).Step) // a neighbour has so many fewer
				if at.Class == device.Mixed || at.Class == device.Lone || at.Class == device.Comb {
					least = 1 // a step fewer, or any size
				}
				if p.Sums(dim) && at.Dims[dim] < least {
					t.Errorf("%s has shorter sums", at.Name)
				}
			}
		}
		if most := float64(bankSize + 7); !c.whole && took > most || c.whole == classes[device.Striped] {
			t.Errorf("%s at %v: %.1f truths of the workload, %d classes", p.Name, c.dims, took, len(classes))
		}
		for _, class := range append(append(want.Ordinary(true), want.Hard()...), device.Mixed, device.Rare) {
			if !classes[class] {
				t.Errorf("%s at %v: no case of class %s", p.Name, c.dims, class)
			}
		}
	}
}
