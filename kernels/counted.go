package kernels

import (
	"errors"
	"fmt"
	"slices"
)

// errTooLarge means that a space is not to be held as a list.
var errTooLarge = errors.New("too many points for a list")

// maxBranches bounds the memory of a counted space: about 60 bytes each.
const maxBranches = 1 << 21

// counted is a space too large for a list: a decision diagram over the genes in order, in which a
// node knows how many legal points lie below. Two beginnings of a point share a node when what may
// follow is the same for both, because no later constraint reads the genes in which they differ. So a
// point's place in the order of codes is found by adding, a place's point by descending, and a
// uniform place is a uniform point: nothing is drawn and thrown away.
type counted struct {
	levels   [][]branching
	branches int
}

// branching is a node: the values that lead to legal points, with how many lie below those before.
type branching struct {
	values []uint8
	before []uint64
	below  []int32 // nodes of the next level
	total  uint64
}

// counter builds the diagram.
type counter struct {
	enumerator
	into  *counted
	reads [][]int            // by gene: earlier genes that it or a later one depends on
	known []map[uint64]int32 // by gene and values of those: the node
}

// count makes the diagram in place of the list.
func (s *Space) count() error {
	n := len(s.radix)
	c := &counter{enumerator: newEnumerator(s, 0), into: &counted{levels: make([][]branching, n)}, reads: s.frontiers(), known: make([]map[uint64]int32, n)}
	for i := range c.known {
		c.known[i] = map[uint64]int32{}
	}
	if _, err := c.node(0); err != nil {
		return err
	}
	s.codes, s.counted = nil, c.into
	return nil
}

// frontiers lists, by gene, the genes before it that a constraint or a condition settled with it or
// later reads.
func (s *Space) frontiers() [][]int {
	out := make([][]int, len(s.radix))
	add := func(d *derived, at int) {
		for _, g := range d.genes {
			for i := g + 1; i <= at; i++ {
				out[i] = append(out[i], g)
			}
		}
	}
	for _, r := range s.rules {
		add(r, r.last())
	}
	for i, w := range s.whens {
		if w != nil {
			add(w, i)
		}
	}
	for i := range out {
		slices.Sort(out[i])
		out[i] = slices.Compact(out[i])
	}
	return out
}

// node gives the node of what follows c.point[:i], -1 where nothing legal does.
func (c *counter) node(i int) (int32, error) {
	key := uint64(0)
	for _, g := range c.reads[i] {
		key += uint64(c.point[g]) * c.space.radix[g]
	}
	if at, ok := c.known[i][key]; ok {
		return at, nil
	}
	b, err := c.branch(i)
	if err != nil {
		return 0, err
	}
	at := int32(-1)
	if b.total > 0 {
		at = int32(len(c.into.levels[i]))
		c.into.levels[i] = append(c.into.levels[i], b)
	}
	c.known[i][key] = at
	return at, nil
}

func (c *counter) branch(i int) (b branching, err error) {
	values, err := c.values(i)
	if err != nil {
		return b, err
	}
	for _, v := range values {
		if c.into.branches++; c.into.branches > maxBranches {
			return b, fmt.Errorf("more than %d legal points, and the constraints tie too many genes together to count them: restrict genes with --gene NAME=VALUE,...", MaxEnumerated)
		}
		c.point[i] = v
		ok, err := c.holds(i)
		if err != nil {
			return b, err
		}
		if !ok {
			continue
		}
		below, n := int32(-1), uint64(1)
		if i+1 < len(c.point) {
			if below, err = c.node(i + 1); err != nil {
				return b, err
			}
			if below < 0 {
				continue
			}
			n = c.into.levels[i+1][below].total
		}
		b.values, b.before, b.below = append(b.values, v), append(b.before, b.total), append(b.below, below)
		b.total += n
	}
	return b, nil
}

func (c *counted) len() int {
	if len(c.levels[0]) == 0 {
		return 0
	}
	return int(c.levels[0][0].total) // below 2^55: the codes are
}

// at writes the place'th point into p.
func (c *counted) at(place int, p Point) {
	left, at := uint64(place), int32(0)
	for i := range p {
		b := &c.levels[i][at]
		k, found := slices.BinarySearch(b.before, left)
		if !found {
			k--
		}
		p[i], at = b.values[k], b.below[k]
		left -= b.before[k]
	}
}

// index is a point's place.
func (c *counted) index(p Point) (int, bool) {
	sum, at := uint64(0), int32(0)
	for i, v := range p {
		b := &c.levels[i][at]
		k, ok := slices.BinarySearch(b.values, v)
		if !ok {
			return 0, false
		}
		sum += b.before[k]
		at = b.below[k]
	}
	return int(sum), true
}
