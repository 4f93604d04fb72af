package mutate

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
)

// forest is a random forest for regression (Breiman, Random Forests, 2001) over rows of bytes. Rows
// are small numbers, so that a split is found in one pass over a histogram of its column.
type forest struct {
	trees [][]node
}

// node is a leaf where column is leaf: its value is the mean of the rows that came there. Its left child follows it.
type node struct {
	value        float32
	right        int32
	column, most uint8 // rows with at most so much go to left
}

const (
	leaf     = 255
	trees    = 24
	leafRows = 2
)

// tryColumn is how often a node looks at a column: at a third of many, as Breiman advises, and at most
// of a few, where a third would make single trees too weak.
func tryColumn(columns int) float64 {
	return max(1.0/3, min(0.67, 6/float64(columns)))
}

// sample is what a forest is trained on.
type sample struct {
	rows  [][]uint8
	y     []float64
	noise []float64 // standard deviation of y by row; nil: none
}

// grower grows trees; its buffers are used again.
type grower struct {
	sample
	rng      *rand.Rand
	columns  []column
	drawn    []float64 // y of this tree
	ids, tmp []int32
	bins     [256]bin
	tree     []node
}

// grow trains a forest, one tree after the other.
func grow(rng *rand.Rand, s sample) *forest {
	g := newGrower(rng, s, columnsOf(s.rows))
	f := &forest{}
	for range trees {
		f.trees = append(f.trees, g.another())
	}
	return f
}

// growBeside trains a forest whose trees grow side by side. Each has a random source of its own, so that a seed fixes
// the forest: it is another one than grow's, and as good.
func growBeside(rng *rand.Rand, s sample) *forest {
	f, columns := &forest{trees: make([][]node, trees)}, columnsOf(s.rows)
	sources := make([]*rand.Rand, trees)
	for i := range sources {
		sources[i] = rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
	}
	var work sync.WaitGroup
	hands := min(trees, runtime.GOMAXPROCS(0))
	for first := range hands {
		work.Go(func() {
			g := newGrower(nil, s, columns)
			for i := first; i < trees; i += hands {
				g.rng = sources[i]
				f.trees[i] = g.another()
			}
		})
	}
	work.Wait()
	return f
}

func newGrower(rng *rand.Rand, s sample, columns []column) *grower {
	n := len(s.rows)
	return &grower{sample: s, rng: rng, columns: columns, drawn: make([]float64, n), ids: make([]int32, n),
		tmp: make([]int32, n)}
}

// another grows a tree. It sees a bootstrap sample, with each y drawn from its own noise: what was measured badly is
// believed less.
func (g *grower) another() []node {
	n := len(g.rows)
	for i := range g.ids {
		g.ids[i] = int32(g.rng.IntN(n))
		g.drawn[i] = g.y[i]
		if g.noise != nil && g.noise[i] > 0 {
			g.drawn[i] += g.noise[i] * g.rng.NormFloat64()
		}
	}
	g.tree = make([]node, 0, n)
	g.build(g.ids)
	return g.tree
}

// build appends the tree of some rows and gives its place.
func (g *grower) build(ids []int32) int32 {
	sum, square, n := 0.0, 0.0, float64(len(ids))
	for _, i := range ids {
		sum += g.drawn[i]
		square += g.drawn[i] * g.drawn[i]
	}
	mean, at := sum/n, int32(len(g.tree))
	g.tree = append(g.tree, node{column: leaf, value: float32(mean)})
	if len(ids) < 2*leafRows || square/n-mean*mean < 1e-10 {
		return at
	}
	best, ok := g.split(ids, sum)
	if !ok {
		return at
	}
	left, right := g.part(ids, best)
	g.build(left)
	r := g.build(right)
	t := &g.tree[at]
	t.column, t.most, t.right = best.column, best.most, r
	return at
}

// predict is the mean over the trees for each row, and their spread: large where the trees disagree. It goes tree by
// tree: one stays in the processor's first cache, all of them do not.
func (f *forest) predict(rows [][]uint8) (mean, deviation []float64) {
	mean, deviation = make([]float64, len(rows)), make([]float64, len(rows))
	for _, t := range f.trees {
		for i, row := range rows {
			v := value(t, row)
			mean[i] += v
			deviation[i] += v * v
		}
	}
	n := float64(len(f.trees))
	for i := range rows {
		mean[i] /= n
		deviation[i] = math.Sqrt(max(1e-8, deviation[i]/n-mean[i]*mean[i]))
	}
	return mean, deviation
}

// value is what a tree says of a row.
func value(tree []node, row []uint8) float64 {
	at := int32(0)
	for {
		x := &tree[at]
		if x.column == leaf {
			return float64(x.value)
		}
		at++
		if row[x.column] > x.most {
			at = x.right
		}
	}
}
