package mutate

import (
	"math"
	"math/rand/v2"
)

// column is a column of the rows: the values that it has, in order, and by row the place among them. Figures have few
// values over a wide range.
type column struct {
	of, values []uint8
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
		var place [256]int
		for _, row := range rows {
			place[row[c]] = 1
		}
		x := &all[c]
		for v, has := range place {
			if has > 0 {
				place[v] = len(x.values)
				x.values = append(x.values, uint8(v))
			}
		}
		x.of = make([]uint8, len(rows))
		for i, row := range rows {
			x.of[i] = uint8(place[row[c]])
		}
	}
	return all
}

// cut is a bound on a column: of the training rows those with at most so many of its values go to left, and of all
// others those with at most so much.
type cut struct {
	column, value, most uint8
}

// split finds the column and the bound that leave the least variance. Within a gap of values that no row has, the
// bound is drawn.
func (g *grower) split(ids []int32, sum float64) (best cut, ok bool) {
	gain := math.Inf(-1)
	share := tryColumn(len(g.columns))
	for c := range g.columns {
		if g.rng.Float64() > share {
			continue
		}
		bins := g.histogram(ids, c)
		left, n := 0.0, int32(0)
		for v := range bins[1:] {
			b := &bins[v]
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
				gain, best, ok = x, cut{uint8(c), uint8(v), g.columns[c].bound(g.rng, bins, v)}, true
			}
		}
	}
	return best, ok
}

// histogram fills the bins of a column, one for each value that any row has.
func (g *grower) histogram(ids []int32, column int) []bin {
	c := &g.columns[column]
	bins := g.bins[:len(c.values)]
	if len(bins) == 1 {
		return bins
	}
	clear(bins)
	of, drawn := c.of, g.drawn
	for _, i := range ids {
		b := &g.bins[of[i]]
		b.sum += drawn[i]
		b.count++
	}
	return bins
}

// bound draws what goes to left with a value: that, or any more that is less than what the next of these rows has.
func (c *column) bound(rng *rand.Rand, bins []bin, value int) uint8 {
	next := value + 1
	for next < len(bins)-1 && bins[next].count == 0 {
		next++
	}
	if gap := int(c.values[next]) - int(c.values[value]); gap > 1 {
		return c.values[value] + uint8(rng.IntN(gap))
	}
	return c.values[value]
}

// part moves the rows of the left side to the front.
func (g *grower) part(ids []int32, at cut) (left, right []int32) {
	k, w := 0, 0
	of := g.columns[at.column].of
	for _, i := range ids {
		if of[i] <= at.value {
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
