package mutate

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"darwarp/kernels"
)

// MostRecalled is how many points of another run a search begins with. With more, a search stays longer
// at what was best there (docs/manual/search.md).
const MostRecalled = 2

// Hint is a point that worked in another run: on another shape, on another GPU, or with other values of
// genes. Its score compares with that run's others and nothing else.
type Hint struct {
	Point kernels.Point
	Score float64 // lower is better
}

// Recall draws the points that were best in another run.
type Recall struct {
	points []kernels.Point // best first
}

// NewRecall keeps the best hints that differ in more than one gene: the best of a run are mostly the
// champion's neighbours, and one of them says what the others say.
func NewRecall(hints []Hint) Recall {
	var r Recall
	best := slices.Clone(hints)
	slices.SortStableFunc(best, func(a, b Hint) int { return cmp.Compare(a.Score, b.Score) })
	for _, h := range best {
		near := func(p kernels.Point) bool { return distance(p, h.Point) < 2 }
		if len(r.points) < MostRecalled && !slices.ContainsFunc(r.points, near) {
			r.points = append(r.points, h.Point)
		}
	}
	return r
}

// Name is "recall".
func (Recall) Name() string { return "recall" }

// Propose fails when all of its points are known.
func (r Recall) Propose(_ *rand.Rand, pool *Pool) (Proposal, bool) {
	for _, p := range r.points {
		if i, ok := pool.Space.Index(p); ok && !pool.Known(i) {
			return Proposal{Index: i}, true
		}
	}
	return Proposal{}, false
}
