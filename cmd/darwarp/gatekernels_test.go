package main

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"darwarp/cmd/darwarp/internal/gatetest"
	"darwarp/eval"
	"darwarp/kernels"
	"darwarp/templates"
)

// TestGateKernelsCompile: NVRTC takes a kernel of each problem of the gate test, another one each time. On the cpu
// device g++ compiles them, which knows names that NVRTC does not, as INFINITY.
func TestGateKernelsCompile(t *testing.T) {
	compilers := eval.LocateCompilers(templates.Include(), "")
	if compilers.Name() != "NVRTC" {
		t.Skip("no NVRTC here")
	}
	defer compilers.Close()
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range gatetest.Problems() {
		if os.Getenv("DARWARP_SAMPLE") != "" && rand.IntN(4) > 0 {
			continue
		}
		b, err := gatetest.Bundle(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range someCases(t, b, dev) {
			if failure := compiled(t, compilers, b, c, dev); failure != "" {
				t.Errorf("%s %s %s: %s", name, c.Family, c.Name, failure)
			}
		}
	}
}

func compiled(t *testing.T, by *eval.Compilers, b *templates.Bundle, c gatetest.Case, dev kernels.Device) string {
	t.Helper()
	f, err := b.Family(c.Family)
	if err != nil {
		t.Fatal(err)
	}
	job, err := b.Job(f, c.Genes, dev, b.Problem.DTypes[0])
	if err != nil {
		t.Fatal(err)
	}
	failure, _, err := by.Compile(t.Context(), dev.Arch, job.Source)
	if err != nil {
		t.Fatal(err)
	}
	return failure
}

// someCases is a kernel of a problem that is to compile, by chance.
func someCases(t *testing.T, b *templates.Bundle, dev kernels.Device) []gatetest.Case {
	t.Helper()
	list, err := gatetest.Filter{Problems: []string{b.Problem.Name}}.Cases(b, dev)
	if err != nil {
		t.Fatal(err)
	}
	list = slices.DeleteFunc(list, func(c gatetest.Case) bool {
		return slices.Contains(c.Want, kernels.CompileFailed) || slices.Contains(c.Want, kernels.Invalid)
	})
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(1, len(list))]
}
