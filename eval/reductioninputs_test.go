package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/templates"
)

// shortRows is scored where rows are short, but longer than what is drawn as a handful.
var shortRows = kernels.Dims{"rows": 64, "cols": 257}

// TestReductionInputs: the points whose threads add the most numbers one after the other are right on every class and
// at all sizes that a session draws for short rows, up to the longest ones.
func TestReductionInputs(t *testing.T) {
	pool, b := openOn(t, "reduction", kernels.FP32, shortRows, func(w wanted) (*caseSet, error) {
		s, err := newCases(w)
		if err != nil {
			return nil, err
		}
		return s.withClasses([]kernels.Dims{{"rows": 20, "cols": int(emulated.long)}, {"rows": 3, "cols": 50257}},
			slices.Concat(w.ordinary(true), w.hard(), []string{device.Mixed}))
	})
	for _, genes := range []string{"threads=64", "threads=64 vector=4 sums=one", "threads=64 split=spread blocks_per_sm=1"} {
		job := pointOf(t, pool, b, genes)
		if r := judgeOn(t, pool, &job, everyCase(pool)); r.Outcome != kernels.Unknown {
			t.Errorf("%s is %v: %s", genes, r.Outcome, r.Detail)
		}
	}
}

// TestReductionReach: at every size that a GPU session draws for short rows the longest chain of a point of the family
// is within the tolerance where its error is the greatest, with rows of equal numbers.
func TestReductionReach(t *testing.T) {
	b, err := templates.Builtin("reduction")
	if err != nil {
		t.Fatal(err)
	}
	p, threads := b.Problem, leastThreads(t, b)
	e := effort{shape: math.Inf(1), drawn: 1e10, long: 1 << 16, memory: 1 << 30}
	loads := []kernels.Workload{{Name: "short", Dims: shortRows, Weight: 1}}
	longest := 0
	for seed := range uint64(10) {
		s, err := newCases(wanted{p, kernels.FP32, loads, e, nil, rand.New(rand.NewPCG(seed, 1))})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.cases {
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
