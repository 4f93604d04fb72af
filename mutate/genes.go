package mutate

import (
	"math/rand/v2"

	"darwarp/kernels"
)

// Genes changes one gene of a parent, sometimes two: mostly to the next value on either side, else to
// any value. A result that breaks a constraint is moved to a legal point beside it.
type Genes struct{}

// Name is "mutate".
func (Genes) Name() string { return "mutate" }

// Propose needs a parent.
func (Genes) Propose(rng *rand.Rand, pool *Pool) (Proposal, bool) {
	if len(pool.Best) == 0 {
		return Proposal{}, false
	}
	parent := pool.parent(rng)
	p := append(kernels.Point(nil), parent.Point...)
	change(rng, pool.Space, p)
	if rng.Float64() < 0.4 {
		change(rng, pool.Space, p)
	}
	return bred(rng, pool.Space, p, parent)
}

// change gives one gene another value, in place.
func change(rng *rand.Rand, s *kernels.Space, p kernels.Point) {
	g := rng.IntN(len(p))
	values := s.Values(g)
	if len(values) < 2 {
		return
	}
	at := 0
	for i, v := range values {
		if v == p[g] {
			at = i
		}
	}
	if len(values) > 2 && rng.Float64() < stepShare(s, g) {
		at = max(0, min(at+1-2*rng.IntN(2), len(values)-1))
	} else {
		at = rng.IntN(len(values))
	}
	p[g] = values[at]
}

// stepShare is how often a gene moves to the next value and not to any: numbers have neighbours that
// are alike, names often have not.
func stepShare(s *kernels.Space, gene int) float64 {
	if s.Family.Genes[gene].All()[0].Kind() == "int" {
		return 0.6
	}
	return 0.25
}

// bred makes p legal and names what it differs in from its first parent. ok is false when there is
// no legal point near, or p is a parent.
func bred(rng *rand.Rand, s *kernels.Space, p kernels.Point, parents ...*Individual) (Proposal, bool) {
	i, ok := s.Repair(p, rng)
	if !ok || i == parents[0].Index || i == parents[len(parents)-1].Index {
		return Proposal{}, false
	}
	return Proposal{Index: i, Note: describe(s, parents[0].Point, s.At(i)), Parents: parents}, true
}
