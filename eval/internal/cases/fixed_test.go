package cases

import (
	"io/fs"
	"maps"
	"math/rand/v2"
	"testing"

	"darwarp/kernels"
)

// attentionFor is the real problem, for all head sizes or one.
func attentionFor(t *testing.T, fixed kernels.Fixed) *kernels.Problem {
	t.Helper()
	text, err := fs.ReadFile(kernels.Problems, "attention/problem.toml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := kernels.ParseProblem("problem.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Fix(fixed); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFixedCases: a run of one head size judges nothing at others, which its candidates have no kernel for, and what it
// claims with at least as many cases as a run of all head sizes does.
func TestFixedCases(t *testing.T) {
	for seed := range uint64(20) {
		for _, d := range []int{64, 128} {
			dims := kernels.Dims{"b": 8, "h": 16, "s": 512, "d": d, "causal": 0}
			load := kernels.Workload{Name: "x", Dims: dims, Weight: 1}
			count := map[bool]map[string]int{true: {}, false: {}}
			for one, fixed := range map[bool]kernels.Fixed{false: nil, true: {"d": {d}}} {
				s, err := New(Wanted{Problem: attentionFor(t, fixed), DType: kernels.FP16, Workloads: []kernels.Workload{load},
					Effort: OnGPU(80 << 30), RNG: rand.New(rand.NewPCG(seed, 1))})
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range s.List {
					if one && c.Dims["d"] != d {
						t.Errorf("seed %d: a case at %v", seed, c.Dims)
					}
					if one && c.Trial && c.Workload == "" && maps.Equal(c.Dims, load.Dims) {
						t.Errorf("seed %d: the size near the workload is the workload", seed)
					}
					if c.Dims["d"] == d && !c.Trial {
						count[one]["all"]++
						count[one][c.Class]++
					}
				}
			}
			for class, n := range count[false] {
				if count[true][class] < n {
					t.Errorf("seed %d, d = %d: %d cases of %s, %d before", seed, d, count[true][class], class, n)
				}
			}
		}
	}
}
