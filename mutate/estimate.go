package mutate

import (
	"math"
	"math/rand/v2"
	"slices"

	"darwarp/kernels"
)

// Estimate weighs many possible children and proposes the likeliest: a tree-structured Parzen
// estimator (Bergstra et al., Algorithms for Hyper-Parameter Optimization, 2011) over legal points,
// with the values of genes and of pairs of genes as its features. It asks how much more often a value
// is met among the best sixth than among the others, failures included.
type Estimate struct{}

// Name is "estimate".
func (Estimate) Name() string { return "estimate" }

// Propose needs something to have worked.
func (Estimate) Propose(rng *rand.Rand, pool *Pool) (Proposal, bool) {
	const few, children, random = 4, 100, 200
	choices := candidates(rng, pool, few, children, random)
	if len(choices) == 0 {
		return Proposal{}, false
	}
	t := pool.table()
	best, top := 0, math.Inf(-1)
	for _, i := range choices {
		if v := t.weigh(pool.Space.At(i)); v > top {
			best, top = i, v
		}
	}
	return pool.closest(best), true
}

// table is the log likelihood ratios of all values of genes and of pairs of genes.
type table struct {
	genes  []int // those with a choice
	values []int // by gene of genes: how many values it has, those not in play included
	start  []int // by pair of genes: where its values begin in the arrays
	ratio  []float64
}

// table is the last one where that still serves: see perForest.
func (p *Pool) table() *table {
	o := p.Outlook
	if o == nil {
		return newTable(p)
	}
	if o.table == nil || !p.current(o.tabled) {
		o.table, o.tabled = newTable(p), len(p.Seen)
	}
	return o.table
}

func newTable(pool *Pool) *table {
	t := &table{}
	for g := range pool.Space.Family.Genes {
		if len(pool.Space.Values(g)) > 1 {
			t.genes, t.values = append(t.genes, g), append(t.values, len(pool.Space.Family.Genes[g].All()))
		}
	}
	size := 0
	t.pairs(func(a, b int) {
		t.start = append(t.start, size)
		size += t.width(a, b)
	})
	good, other := split(pool)
	t.weights(t.count(good, size), t.count(other, size), float64(len(good)), float64(len(other)))
	return t
}

// pairs calls fn for every gene (a == b) and every pair of genes, as indices into t.genes.
func (t *table) pairs(fn func(a, b int)) {
	for a := range t.genes {
		for b := a; b < len(t.genes); b++ {
			fn(a, b)
		}
	}
}

// width is how many values a gene or a pair can have.
func (t *table) width(a, b int) int {
	if a == b {
		return t.values[a]
	}
	return t.values[a] * t.values[b]
}

// each calls fn with the place of every value of a point.
func (t *table) each(p kernels.Point, fn func(at int)) {
	k := 0
	for a, g := range t.genes {
		va := int(p[g])
		fn(t.start[k] + va)
		k++
		for b := a + 1; b < len(t.genes); b++ {
			fn(t.start[k] + va*t.values[b] + int(p[t.genes[b]]))
			k++
		}
	}
}

func (t *table) count(points []*Individual, size int) []float64 {
	n := make([]float64, size)
	for _, o := range points {
		t.each(o.Point, func(at int) { n[at]++ })
	}
	return n
}

// weights makes counts into ratios; a gene's pairs together weigh as much as the gene. One
// observation spread over all values keeps a value that was never met from being impossible.
func (t *table) weights(good, other []float64, goods, others float64) {
	t.ratio = make([]float64, len(good))
	k := 0
	t.pairs(func(a, b int) {
		prior, weight := 1/float64(t.width(a, b)), 1.0
		if a != b {
			weight = 1 / float64(len(t.genes)-1)
		}
		for at := t.start[k]; at < t.start[k]+t.width(a, b); at++ {
			t.ratio[at] = weight * math.Log((good[at]+prior)/(goods+1)*(others+1)/(other[at]+prior))
		}
		k++
	})
}

// weigh is the sum of a point's log likelihood ratios.
func (t *table) weigh(p kernels.Point) float64 {
	sum := 0.0
	t.each(p, func(at int) { sum += t.ratio[at] })
	return sum
}

// split takes the best sixth as good. Both parts are bounded, so that a proposal late in a long
// search costs no more than an early one; of the others the latest are kept.
func split(pool *Pool) (good, other []*Individual) {
	const share, least, mostGood, mostOther = 0.15, 4, 64, 1024
	n := min(max(least, int(share*float64(len(pool.Seen)))), mostGood, len(pool.Best))
	good = pool.Best[:n]
	for _, o := range slices.Backward(pool.Seen) {
		if len(other) == mostOther {
			break
		}
		if o.Score > good[n-1].Score {
			other = append(other, o)
		}
	}
	return good, other
}
