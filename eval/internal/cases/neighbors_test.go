package cases

import (
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// TestPairs: who would reign meets each two dims as short as they can be beside others that are not, as a plane of one
// number of many channels: the cpu device had accepted a norm of groups that takes another channel's weight there.
// There are few such sizes, all of which have tensors, and none where two dims are all.
func TestPairs(t *testing.T) {
	for name, want := range map[string]int{"gemm": 3, "gemm_batched": 6, "softmax": 0, "attention": mostPairs} {
		b, err := templates.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		d := &drawer{p: b.Problem, t: b.Problem.DTypes[0], rng: rand.New(rand.NewPCG(3, 4))}
		met := map[[2]string]bool{}
		list := d.pairs()
		for _, size := range list {
			var least []string
			for _, dim := range b.Problem.DimNames {
				r := b.Problem.Range(dim)
				switch {
				case len(r.Values) > 0 && slices.Contains(r.Values, size[dim]):
				case len(r.Values) > 0, size[dim] > r.Most, size[dim]%r.Step != 0:
					t.Errorf("%s: %s is %d, which it cannot be", name, dim, size[dim])
				case size[dim] == r.Step:
					least = append(least, dim)
				}
			}
			if _, ok := d.work(size); !ok || len(least) < 2 {
				t.Errorf("%s: %v", name, size)
				continue
			}
			met[[2]string{least[0], least[1]}] = true
		}
		if len(list) > mostPairs || len(met) < min(want, 3) || want == 0 && len(list) > 0 {
			t.Errorf("%s: %v, expected %d pairs", name, list, want)
		}
	}
}

// TestPairsOnTrial: they are trial cases.
func TestPairsOnTrial(t *testing.T) {
	b, err := templates.Builtin("gemm")
	if err != nil {
		t.Fatal(err)
	}
	loads, err := b.Problem.FindWorkload("2048")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Wanted{Problem: b.Problem, DType: kernels.FP16, Workloads: loads, Effort: OnGPU(1 << 37),
		RNG: rand.New(rand.NewPCG(1, 5))})
	if err != nil {
		t.Fatal(err)
	}
	least := func(dim string) int { return b.Problem.Range(dim).Step }
	found := slices.ContainsFunc(s.Trials["2048"], func(i int) bool {
		at := s.List[i].Dims
		return at["m"] == least("m") && at["n"] == least("n") && at["k"] > least("k")
	})
	if !found {
		t.Error("no trial case has the least m and n and a longer k")
	}
}
