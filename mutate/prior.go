package mutate

import (
	"math"
	"math/rand/v2"
	"slices"

	"darwarp/kernels"
)

// Prior is what another run found out: on another shape, another GPU, or with other values of genes.
// It is a forest over that run's scores, seen through this space's genes.
type Prior struct {
	forest *forest
	points []kernels.Point // of this space, best first
	values int
}

// Hint is one point of another run. Its score compares with that run's others and nothing else.
type Hint struct {
	Point kernels.Point `json:"point"`
	Score float64       `json:"score"` // lower is better; 0: it failed
}

// NewPrior learns from hints; nil when there are too few to learn from.
func NewPrior(hints []Hint) *Prior {
	const least = 4
	var seen []*Individual
	s := sample{}
	for _, h := range hints {
		score := h.Score
		if !(score > 0) {
			score = math.Inf(1)
		}
		seen = append(seen, &Individual{Point: h.Point, Score: score})
		s.rows = append(s.rows, h.Point)
	}
	if len(seen) < least {
		return nil
	}
	s.y, _ = targets(seen)
	p := &Prior{forest: grow(rand.New(rand.NewPCG(uint64(len(hints)), 1)), s)}
	slices.SortStableFunc(seen, func(a, b *Individual) int {
		if a.Score < b.Score {
			return -1
		}
		if a.Score > b.Score {
			return 1
		}
		return 0
	})
	for _, o := range seen {
		if !math.IsInf(o.Score, 1) {
			p.points = append(p.points, o.Point)
		}
	}
	return p
}

// expects is the prior's guess as a byte, 16 steps a standard deviation: a column for a forest, which
// uses it as far as it says something about what is measured now.
func (p *Prior) expects(_ *kernels.Space, at kernels.Point) uint8 {
	mean, _ := p.forest.predict(at)
	return uint8(max(0, min(250, 125+16*mean)))
}

// Correlation is Spearman's, between what the prior expects and what was measured, failures left out.
// It is 0 with fewer than five points.
func (p *Prior) Correlation(seen []*Individual) float64 {
	var a, b []float64
	for _, o := range seen {
		if math.IsInf(o.Score, 1) {
			continue
		}
		mean, _ := p.forest.predict(o.Point)
		a, b = append(a, mean), append(b, o.Score)
	}
	const least = 5
	if len(a) < least {
		return 0
	}
	return pearson(order(a), order(b))
}

// order gives every value its rank; equals share theirs.
func order(v []float64) []float64 {
	at := make([]int, len(v))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(a, b int) int {
		switch {
		case v[a] < v[b]:
			return -1
		case v[a] > v[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(v))
	for i := 0; i < len(at); {
		j := i
		for j < len(at) && v[at[j]] == v[at[i]] {
			j++
		}
		for k := i; k < j; k++ {
			out[at[k]] = float64(i+j-1) / 2
		}
		i = j
	}
	return out
}

func pearson(a, b []float64) float64 {
	n, sa, sb := float64(len(a)), 0.0, 0.0
	for i := range a {
		sa += a[i]
		sb += b[i]
	}
	ab, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		x, y := a[i]-sa/n, b[i]-sb/n
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// Recall draws the first sample of a search with a prior: the points that were best elsewhere, while
// what was best there is not bad here.
type Recall struct{}

// Name is "recall".
func (Recall) Name() string { return "recall" }

// Propose fails without a prior, when all of its points are known, and when they mislead.
func (Recall) Propose(_ *rand.Rand, pool *Pool) (Proposal, bool) {
	const least = 0.2 // of correlation
	prior := pool.view().prior
	if prior == nil || len(pool.Seen) >= 8 && prior.Correlation(pool.Seen) < least {
		return Proposal{}, false
	}
	for _, p := range prior.points {
		if i, ok := pool.Space.Index(p); ok && !pool.Known(i) {
			return Proposal{Index: i}, true
		}
	}
	return Proposal{}, false
}
