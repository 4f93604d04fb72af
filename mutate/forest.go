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

// node is a leaf where column is leaf: its value is the mean of the rows that came there.
type node struct {
	column, most uint8 // rows with at most so much go to left
	left, right  int32
	value        float32
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

// column is a column of the rows, in a row itself, with its least and its greatest value.
type column struct {
	of     []uint8
	lo, hi int
}

// bin is what rows with one value of a column add up to.
type bin struct {
	sum   float64
	count int32
}

// columnsOf are the columns of rows.
func columnsOf(rows [][]uint8) []column {
	all := make([]column, len(rows[0]))
	for c := range all {
		x := column{of: make([]uint8, len(rows)), lo: 255}
		for i, row := range rows {
			v := row[c]
			x.of[i] = v
			x.lo, x.hi = min(x.lo, int(v)), max(x.hi, int(v))
		}
		all[c] = x
	}
	return all
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
	column, most, ok := g.split(ids, sum)
	if !ok {
		return at
	}
	left, right := g.part(ids, column, most)
	l := g.build(left)
	r := g.build(right)
	t := &g.tree[at]
	t.column, t.most, t.left, t.right = column, most, l, r
	return at
}

// split finds the column and the bound that leave the least variance. Within a gap of values that no
// row has, the bound is drawn.
func (g *grower) split(ids []int32, sum float64) (column, most uint8, ok bool) {
	gain := math.Inf(-1)
	share := tryColumn(len(g.columns))
	for c := range g.columns {
		if g.rng.Float64() > share {
			continue
		}
		lo, hi := g.histogram(ids, c)
		left, n := 0.0, int32(0)
		for v := lo; v < hi; v++ {
			b := &g.bins[v]
			left += b.sum
			n += b.count
			rest := int32(len(ids)) - n
			if rest < leafRows {
				break // and so it is to the right
			}
			if b.count == 0 || n < leafRows {
				continue
			}
			if x := left*left/float64(n) + (sum-left)*(sum-left)/float64(rest); x > gain {
				gain, column, most, ok = x, uint8(c), uint8(v+g.gap(v, hi)), true
			}
		}
	}
	return column, most, ok
}

// histogram fills the bins by value of a column, and gives the least and the greatest value of all rows: one pass over
// these is cheaper than a look for their own.
func (g *grower) histogram(ids []int32, column int) (lo, hi int) {
	c := &g.columns[column]
	if c.lo >= c.hi {
		return c.lo, c.lo
	}
	clear(g.bins[c.lo : c.hi+1])
	for _, i := range ids {
		b := &g.bins[c.of[i]]
		b.sum += g.drawn[i]
		b.count++
	}
	return c.lo, c.hi
}

// gap draws a step into the values after v that no row has.
func (g *grower) gap(v, hi int) int {
	empty := 0
	for v+1+empty < hi && g.bins[v+1+empty].count == 0 {
		empty++
	}
	if empty == 0 {
		return 0
	}
	return g.rng.IntN(empty + 1)
}

// part moves the rows of the left side to the front.
func (g *grower) part(ids []int32, column, most uint8) (left, right []int32) {
	k, w := 0, 0
	of := g.columns[column].of
	for _, i := range ids {
		if of[i] <= most {
			ids[k] = i
			k++
		} else {
			g.tmp[w] = i
			w++
		}
	}
	copy(ids[k:], g.tmp[:w])
	return ids[:k], ids[k:]
}

// predict is the mean over the trees and its spread: large where the trees disagree.
func (f *forest) predict(row []uint8) (mean, deviation float64) {
	square := 0.0
	for _, t := range f.trees {
		x := &t[0]
		for x.column != leaf {
			if row[x.column] <= x.most {
				x = &t[x.left]
			} else {
				x = &t[x.right]
			}
		}
		v := float64(x.value)
		mean += v
		square += v * v
	}
	n := float64(len(f.trees))
	mean /= n
	return mean, math.Sqrt(max(1e-8, square/n-mean*mean))
}
