package portfolio

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/kernels"
)

func threeShapes() []kernels.Workload {
	return []kernels.Workload{{Name: "a", Weight: 1}, {Name: "b", Weight: 1}, {Name: "c", Weight: 2}}
}

func TestChoosePortfolio(t *testing.T) {
	log := func(ratios ...float64) (out []float64) {
		for _, r := range ratios {
			out = append(out, math.Log(r))
		}
		return out
	}
	logs := [][]float64{
		log(0.50, 0.50, 0.50), // the best single one
		log(0.20, 0.90, 0.90),
		log(0.90, 0.20, 0.90),
		log(0.90, 0.90, 0.45),
		log(0.50, 0.50, 0.4999), // hardly better than the first
	}
	for _, c := range []struct {
		name string
		k    int
		o    kernels.Objective
		want []int
	}{
		{"one", 1, "geomean", []int{4}},
		{"two", 2, "geomean", []int{1, 4}},
		{"three", 3, "geomean", []int{1, 2, 3}},
		{"more than there are", 9, "geomean", []int{1, 2, 3}},
		{"worst of one", 1, "worst", []int{4}},
		{"worst of three", 3, "worst", []int{1, 2, 3}},
		{"one shape", 3, "b", []int{2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Choose(logs, c.k, c.o, threeShapes()); !slices.Equal(got, c.want) {
				t.Errorf("chose %v, expected %v", got, c.want)
			}
		})
	}
	if got := Assign(logs, []int{1, 2, 3}, 3); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("assigned %v", got)
	}
}

// TestGreedyIsNearExact holds greedy choice with exchanges against all subsets.
func TestGreedyIsNearExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, o := range []kernels.Objective{"geomean", "worst"} {
		for range 50 {
			c := &chooser{objective: o, workloads: threeShapes()}
			for range 12 {
				c.logs = append(c.logs, []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
			}
			exact := c.choose(3, nil)
			greedy := c.exchange(c.add(c.add(c.add(nil))))
			if c.value(greedy) > c.value(exact)+1e-9 && o == "geomean" || c.value(greedy) < c.value(exact)-1e-9 {
				t.Errorf("%s: greedy %v gives %g, the best set %v %g", o, greedy, c.value(greedy), exact, c.value(exact))
			}
		}
	}
}
