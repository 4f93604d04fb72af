package cases

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/templates"
)

// TestRangedInputsAreNeverHard: cases of an input that is drawn from a range would be ordinary ones again; all of its
// buffers say what the range is, and a size has no scales where the problem's expressions refuse it.
func TestRangedInputsAreNeverHard(t *testing.T) {
	for _, c := range []struct {
		problem string
		hard    []int // inputs that are hard in some case
		ranges  string
		refused string
	}{
		{"gemm_fp8", []int{0, 1}, "[[] [] [0.25 2] [0.25 2] []]", "m=4,n=4,k=64,scale_m=1,scale_n=1,scale_k=8"},
		{"gemm_w4a16", []int{0}, "[[] [0 255] [0.0625 1] [0 15] []]", "m=4,n=4,k=256,group=96"},
		{"gemm_mxfp4", []int{0}, "[[] [0 255] [0.015625 4] []]", "m=4,n=4,k=192"},
	} {
		b, err := templates.Builtin(c.problem)
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(Wanted{Problem: b.Problem, DType: b.Problem.DTypes[0], Workloads: b.Problem.SmallWorkloads(),
			Effort: OnGPU(1 << 36), RNG: device.SecretNumbers()})
		if err != nil {
			t.Fatal(err)
		}
		hard := map[int]bool{}
		for i := range s.List {
			hard[s.List[i].Hard] = true
			var ranges [][]float64
			for _, buffer := range s.List[i].Buffers {
				var ends []float64
				if d := buffer.Drawn; d != nil {
					ends = []float64{d.Low, d.High}
				}
				ranges = append(ranges, ends)
			}
			if got := fmt.Sprint(ranges); got != c.ranges {
				t.Fatalf("%s %s: ranges %s, expected %s", c.problem, s.List[i].Name, got, c.ranges)
			}
		}
		if got := slices.Sorted(maps.Keys(hard)); !slices.Equal(got, c.hard) {
			t.Errorf("%s: inputs %v are hard, expected %v", c.problem, got, c.hard)
		}
		w, err := b.Problem.FindWorkload(c.refused)
		if err == nil {
			err = b.Problem.Fits(w, b.Problem.DTypes[0])
		}
		if err == nil {
			t.Errorf("%s has a size %s", c.problem, c.refused)
		}
	}
}

// TestMadeInputsAreNeverHard: no case is about an input that follows from others, and each says how these are made at
// its own size.
func TestMadeInputsAreNeverHard(t *testing.T) {
	b, err := templates.Builtin("attention_backward")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Wanted{Problem: b.Problem, DType: b.Problem.DTypes[0], Workloads: b.Problem.SmallWorkloads(),
		Effort: OnGPU(1 << 36), RNG: device.SecretNumbers()})
	if err != nil {
		t.Fatal(err)
	}
	hard := map[int]bool{}
	for i := range s.List {
		c := &s.List[i]
		hard[c.Hard] = true
		if c.Maker == nil || c.Maker.Entry != "forward" || len(c.Maker.Args) != len(b.Problem.DimNames) {
			t.Fatalf("%s: made by %+v", c.Name, c.Maker)
		}
		for j, dim := range b.Problem.DimNames {
			if got := c.Maker.Args[j].Int; got != c.Dims[dim] {
				t.Errorf("%s: made with %s = %d", c.Name, dim, got)
			}
		}
	}
	if got := slices.Sorted(maps.Keys(hard)); !slices.Equal(got, []int{0, 1, 2, 3}) { // Q, K, V and dO
		t.Errorf("inputs %v are hard in some case", got)
	}
}
