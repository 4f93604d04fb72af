package mutate

import (
	"math"
	"slices"

	"darwarp/kernels"
)

// View is a space as models see it: a point is a row of bytes, its genes with a choice and its static
// figures. What was worked out once is kept; a View belongs to one goroutine.
type View struct {
	space  *kernels.Space
	genes  []int     // those with a choice
	codes  [][]uint8 // by gene of genes and value index: its place among the values in order of size
	rows   map[int][]uint8
	beside map[int][]int
}

// keptRows bounds what a View keeps: a search that runs for days meets millions of points.
const keptRows = 1 << 16

// NewView makes a view of a space.
func NewView(s *kernels.Space) *View {
	v := &View{space: s, rows: map[int][]uint8{}, beside: map[int][]int{}}
	for g := range s.Family.Genes {
		if len(s.Values(g)) > 1 {
			v.genes = append(v.genes, g)
			v.codes = append(v.codes, ranks(s.Family.Genes[g].All()))
		}
	}
	return v
}

// ranks orders the values of a gene that are numbers; others keep their order.
func ranks(values []kernels.Value) []uint8 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, isX := values[a].Any().(int)
		y, isY := values[b].Any().(int)
		if isX && isY {
			return x - y
		}
		return a - b
	})
	out := make([]uint8, len(values))
	for rank, i := range order {
		out[i] = uint8(rank)
	}
	return out
}

// row is a point for a forest: gene values by rank, then static figures on a scale of eighths of a
// doubling.
func (v *View) row(i int) []uint8 {
	if r, ok := v.rows[i]; ok {
		return r
	}
	if len(v.rows) >= keptRows {
		clear(v.rows)
	}
	p := v.space.At(i)
	r := make([]uint8, 0, len(v.genes)+4)
	for k, g := range v.genes {
		r = append(r, v.codes[k][p[g]])
	}
	var buf [64]float64
	for _, x := range v.space.Static(buf[:0], p) {
		r = append(r, uint8(min(250, 8*math.Log2(1+math.Abs(x)))))
	}
	v.rows[i] = r
	return r
}

// neighbors are those of the space.
func (v *View) neighbors(i int) []int {
	n, ok := v.beside[i]
	if !ok {
		if len(v.beside) >= keptRows/16 {
			clear(v.beside)
		}
		n = v.space.Neighbors(i)
		v.beside[i] = n
	}
	return n
}
