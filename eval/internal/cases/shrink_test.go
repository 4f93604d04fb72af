package cases

import (
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/kernels"
)

// TestDrawnElems: a cache of keys has few operations for each of its elements, so that sizes bounded by operations
// alone have billions of them. Sizes that are not near a workload have drawnElems at most, and all together no more
// than drawnSizes times as many; and enough sizes are left.
func TestDrawnElems(t *testing.T) {
	text, err := kernels.Problems.ReadFile("decode/problem.toml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := kernels.ParseProblem("problem.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"1x4k", "16x32k"} {
		i := slices.IndexFunc(p.Workloads, func(w kernels.Workload) bool { return w.Name == name })
		w := Wanted{Problem: p, DType: kernels.FP16, Workloads: p.Workloads[i : i+1], Effort: OnGPU(140 << 30)}
		for seed := range uint64(3) {
			w.RNG = rand.New(rand.NewPCG(seed, 1))
			d := &drawer{p: p, t: w.DType, rng: w.RNG, loads: w.Workloads, long: w.Effort.long}
			d.cap = w.Effort.drawn / alignedShare
			bound := *d
			bound.room = drawnElems
			if most := d.mostElems(); most <= drawnElems {
				t.Errorf("%s, seed %d: at most %g elements without a bound: this test shows nothing", name, seed, most)
			}
			if most := bound.mostElems(); most > drawnElems {
				t.Errorf("%s, seed %d: a size of %g elements", name, seed, most)
			}
			sizes, total := drawnOf(t, w)
			if sizes < 30 || total > drawnElems*drawnSizes {
				t.Errorf("%s, seed %d: %d sizes of %g elements", name, seed, sizes, total)
			}
		}
	}
}

// mostElems is how many elements the largest has of the sizes that are drawn and not near a workload.
func (d *drawer) mostElems() (most float64) {
	for _, size := range slices.Concat(d.aligned(), d.scales(), d.cubes(), d.upper()) {
		most = max(most, d.elems(size))
	}
	return most
}

// drawnOf is how many sizes a list has that are drawn, and their elements.
func drawnOf(t *testing.T, w Wanted) (sizes int, elems float64) {
	t.Helper()
	s := Empty(w)
	if err := s.addDrawn(); err != nil {
		t.Fatal(err)
	}
	d := &drawer{p: w.Problem, t: w.DType}
	for i := range s.List {
		elems += d.elems(s.List[i].Dims)
	}
	return len(s.List), elems
}
