package mutate

import (
	"math/rand/v2"

	"darwarp/kernels"
)

// Random draws any point that was not asked for, each with the same probability.
type Random struct{}

// Name is "random".
func (Random) Name() string { return "random" }

// Propose fails only when every point is known.
func (Random) Propose(rng *rand.Rand, pool *Pool) (Proposal, bool) {
	i, ok := unknown(rng, pool)
	return Proposal{Index: i}, ok
}

// unknown draws until it meets an unknown point. In a space that is nearly used up, draws would go on
// for long: after some it walks on from the last one.
func unknown(rng *rand.Rand, pool *Pool) (int, bool) {
	const draws = 32
	i := 0
	for range draws {
		if i = pool.Space.Sample(rng); !pool.Known(i) {
			return i, true
		}
	}
	n := pool.Space.Len()
	for step := 1; step < n; step++ {
		if j := (i + step) % n; !pool.Known(j) {
			return j, true
		}
	}
	return 0, false
}

// Spread draws the first sample: of a few random points the one that is farthest from all before it (best-candidate
// sampling, Mitchell, "Spectrally optimal sampling for distribution ray tracing", 1991), those in flight included. Far
// from the judged ones alone, all that are asked for at once would lie in the corner opposite to the naive start.
type Spread struct{}

// Name is "spread".
func (Spread) Name() string { return "spread" }

// Propose fails only when every point is known.
func (Spread) Propose(rng *rand.Rand, pool *Pool) (Proposal, bool) {
	const draws = 8
	best, far := 0, -1
	pending := make([]kernels.Point, len(pool.Pending)) // hundreds, with a fleet
	for k, j := range pool.Pending {
		pending[k] = pool.Space.At(j)
	}
	for range draws {
		i, ok := unknown(rng, pool)
		if !ok {
			return Proposal{}, false
		}
		p, near := pool.Space.At(i), 1<<30
		for _, o := range pool.Seen {
			near = min(near, distance(p, o.Point))
		}
		for _, q := range pending {
			near = min(near, distance(p, q))
		}
		if near > far {
			best, far = i, near
		}
	}
	return Proposal{Index: best}, true
}
