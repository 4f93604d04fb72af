package mutate

import (
	"math/rand/v2"

	"darwarp/kernels"
)

// candidates are unknown points: all beside the best few, children of elites, and points drawn at random.
func candidates(rng *rand.Rand, pool *Pool, few, children, random int) []int {
	if len(pool.Best) == 0 {
		return nil
	}
	var out []int
	in := map[int]bool{}
	add := func(i int) {
		if !in[i] && !pool.Known(i) {
			in[i] = true
			out = append(out, i)
		}
	}
	for _, o := range pool.Best[:min(few, len(pool.Best))] {
		for _, i := range pool.view().neighbors(o.Index) {
			add(i)
		}
	}
	for range children {
		if i, ok := child(rng, pool); ok {
			add(i)
		}
	}
	for range random {
		add(pool.Space.Sample(rng))
	}
	return out
}

// child is a cheap offspring of one or two elites; ok is false where it is not legal.
func child(rng *rand.Rand, pool *Pool) (int, bool) {
	a, b := pool.parent(rng), pool.parent(rng)
	p := append(kernels.Point(nil), a.Point...)
	if rng.IntN(2) == 0 {
		for g := range p {
			if rng.IntN(2) == 0 {
				p[g] = b.Point[g]
			}
		}
	}
	for range 1 + rng.IntN(2) {
		change(rng, pool.Space, p)
	}
	return pool.Space.Index(pool.Space.Canonical(p))
}
