package gatetest_test

import (
	"slices"
	"testing"

	"darwarp/cmd/darwarp/internal/gatetest"
	"darwarp/kernels"
	"darwarp/kernels/source"
)

// TestSources: a kernel that is refused for its text is expected to be, and no honest one is: the others reach the
// part of the gate that their row is about.
func TestSources(t *testing.T) {
	for _, problem := range gatetest.Problems() {
		b := bundle(t, problem)
		list, err := gatetest.Filter{}.Cases(b, device(t, "cuda"))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			f, err := b.Family(c.Family)
			if err != nil {
				t.Fatal(err)
			}
			job, err := b.Job(f, c.Genes, device(t, "cuda"), b.Problem.DTypes[0])
			if err != nil {
				t.Fatal(err)
			}
			why := source.Check(job.Source)
			if want := slices.Contains(c.Want, kernels.CompileFailed); (why != "") && !want {
				t.Errorf("%s %s %s: %s", problem, c.Family, c.Name, why)
			}
		}
	}
}
