package mutate

import (
	"math/rand/v2"

	"darwarp/kernels"
)

// Crossover takes every gene from one of two parents, and now and then changes one gene more.
type Crossover struct{}

// Name is "crossover".
func (Crossover) Name() string { return "crossover" }

// Propose needs two different parents.
func (Crossover) Propose(rng *rand.Rand, pool *Pool) (Proposal, bool) {
	if len(pool.Best) < 2 {
		return Proposal{}, false
	}
	a, b := pool.parent(rng), pool.parent(rng)
	if a == b {
		return Proposal{}, false
	}
	p := append(kernels.Point(nil), a.Point...)
	for i := range p {
		if rng.IntN(2) == 0 {
			p[i] = b.Point[i]
		}
	}
	if rng.Float64() < 0.5 {
		change(rng, pool.Space, p)
	}
	return bred(rng, pool.Space, p, a, b)
}
