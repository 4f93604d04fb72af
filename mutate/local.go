package mutate

import "math/rand/v2"

// Local exploits: a point that differs in one gene from the best one whose neighbours are not all
// known, so that in the end the best has been compared with everything beside it.
type Local struct{}

// Name is "local".
func (Local) Name() string { return "local" }

// Propose fails when all neighbours of the best few are known.
func (Local) Propose(rng *rand.Rand, pool *Pool) (Proposal, bool) {
	const few = 3
	for _, parent := range pool.Best[:min(few, len(pool.Best))] {
		var open []int
		for _, i := range pool.view().neighbors(parent.Index) {
			if !pool.Known(i) {
				open = append(open, i)
			}
		}
		if len(open) > 0 {
			i := open[rng.IntN(len(open))]
			return Proposal{i, describe(pool.Space, parent.Point, pool.Space.At(i)), []*Individual{parent}}, true
		}
	}
	return Proposal{}, false
}
