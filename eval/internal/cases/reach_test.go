package cases

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/templates"
)

// TestReductionReach: at every size that a GPU session draws for short rows the longest chain of a point of the family
// is within the tolerance where its error is the greatest, with rows of equal numbers.
func TestReductionReach(t *testing.T) {
	b, err := templates.Builtin("reduction")
	if err != nil {
		t.Fatal(err)
	}
	p, threads := b.Problem, leastThreads(t, b)
	loads := []kernels.Workload{{Name: "short", Dims: kernels.Dims{"rows": 64, "cols": 257}, Weight: 1}}
	longest := 0
	for seed := range uint64(10) {
		s, err := New(Wanted{Problem: p, DType: kernels.FP32, Workloads: loads, Effort: OnGPU(1 << 32),
			RNG: rand.New(rand.NewPCG(seed, 1))})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.List {
			longest = max(longest, c.Dims["cols"])
			if r := chain(t, p, &c, threads, 1+float32(seed)/7); !r.Pass() {
				t.Errorf("%s, %d threads: %s", c.Name, threads, r.Explain("y", []int{1}))
			}
		}
	}
	if longest < 1<<15 {
		t.Errorf("no row longer than %d", longest)
	}
}

// leastThreads is how many threads a block of the family has at least.
func leastThreads(t *testing.T, b *templates.Bundle) int {
	t.Helper()
	for _, g := range b.Families[0].Genes {
		if g.Name == "threads" {
			n, err := strconv.Atoi(fmt.Sprint(g.Values[0]))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("the family has no gene threads")
	return 0
}

// chain judges the sum of a row of equal numbers, by one block whose threads add their numbers one after the other.
func chain(t *testing.T, p *kernels.Problem, c *device.Case, threads int, v float32) check.Report {
	t.Helper()
	k, err := p.Reduction(c.Dims, kernels.FP32)
	if err != nil {
		t.Fatal(err)
	}
	cols := c.Dims["cols"] / threads * threads // then all threads have the same sum, and adding these is exact
	sum := float32(0)
	for range cols / threads {
		sum += v
	}
	truth := float64(cols) * float64(v)
	return check.Judge(check.Encode(kernels.FP32, []float64{float64(sum) * float64(threads)}), kernels.FP32,
		check.Truth{Value: []float64{truth}, Scale: []float32{float32(truth)}}, check.Model{K: k, ULPs: p.Check.ULPs})
}
