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
// is met among the best sixth than among the rest, failures included.
type Estimate struct{}

// Name is "estimate".
func (Estimate) Name() string { return "estimate" }

// Propose needs something to have worked.
func (Estimate) Propose(rng *rand.Rand, pool *Pool) (Proposal, bool) {
	choices := candidates(rng, pool)
	if len(choices) == 0 {
		return Proposal{}, false
	}
	t := newTable(pool)
	best, top := 0, math.Inf(-1)
	for _, i := range choices {
		if v := t.weigh(pool.Space.At(i)); v > top {
			best, top = i, v
		}
	}
	p := pool.Space.At(best)
	parent := pool.Best[0]
	for _, o := range pool.Best[:min(elites, len(pool.Best))] {
		if distance(p, o.Point) < distance(p, parent.Point) {
			parent = o
		}
	}
	return Proposal{best, describe(pool.Space, parent.Point, p), []*Individual{parent}}, true
}

// candidates are unknown points: all beside the best few, children of elites, and strangers.
func candidates(rng *rand.Rand, pool *Pool) []int {
	const few, children, strangers = 4, 100, 200
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
		for _, i := range pool.Space.Neighbors(o.Index) {
			add(i)
		}
	}
	breeders := []Operator{Genes{}, Crossover{}}
	for n := range children {
		if p, ok := breeders[n%2].Propose(rng, pool); ok {
			add(p.Index)
		}
	}
	for range strangers {
		add(pool.Space.Sample(rng))
	}
	return out
}

// table counts values of genes and pairs of genes among good and other points.
type table struct {
	genes  []int // those with a choice
	values []int // by gene of genes: how many values
	count  [2]map[uint32]float64
	total  [2]float64
}

func newTable(pool *Pool) *table {
	t := &table{count: [2]map[uint32]float64{{}, {}}}
	for g := range pool.Space.Family.Genes {
		if n := len(pool.Space.Values(g)); n > 1 {
			t.genes, t.values = append(t.genes, g), append(t.values, n)
		}
	}
	good, other := split(pool)
	for class, points := range [2][]*Individual{good, other} {
		t.total[class] = float64(len(points))
		for _, o := range points {
			t.features(o.Point, func(key uint32, _, _ int) { t.count[class][key]++ })
		}
	}
	return t
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

// features calls fn for every gene and every pair of genes with a key of the values that p has there;
// a == b is the gene alone. a and b count into t.genes.
func (t *table) features(p kernels.Point, fn func(key uint32, a, b int)) {
	for a, g := range t.genes {
		for b := a; b < len(t.genes); b++ {
			h := t.genes[b]
			fn(uint32(g)<<24|uint32(p[g])<<16|uint32(h)<<8|uint32(p[h]), a, b)
		}
	}
}

// weigh is the sum of log likelihood ratios; a gene's pairs together weigh as much as the gene. One
// observation spread over all values keeps a value that was never met from being impossible.
func (t *table) weigh(p kernels.Point) float64 {
	sum := 0.0
	t.features(p, func(key uint32, a, b int) {
		prior, weight := 1/float64(t.values[a]), 1.0
		if a != b {
			prior /= float64(t.values[b])
			weight = 1 / float64(len(t.genes)-1)
		}
		good := (t.count[0][key] + prior) / (t.total[0] + 1)
		other := (t.count[1][key] + prior) / (t.total[1] + 1)
		sum += weight * math.Log(good/other)
	})
	return sum
}
