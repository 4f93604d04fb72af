// Package diagram counts sets of points that are too large for a list: a decision diagram over the coordinates in
// order, in which a node knows how many points lie below it. Two beginnings of a point share a node when what may
// follow is the same for both. So a point's place in ascending order is found by adding, a place's point by descending,
// and a uniform place is a uniform point: nothing is drawn and thrown away.
package diagram

import (
	"errors"
	"slices"
)

// ErrTooLarge means that the points have too little in common for a diagram of MaxBranches.
var ErrTooLarge = errors.New("too many branches")

// MaxBranches bounds the memory of a diagram: about 60 bytes each.
const MaxBranches = 1 << 21

// Choices is a set as a sequence of choices, one value a level. Build walks it in depth; what was chosen at a level
// stays chosen until Choose is called for it again.
type Choices interface {
	// Values are those to choose from at a level, ascending, after the choices before it.
	Values(level int) ([]uint8, error)
	// Choose chooses one of them; false where no point begins so.
	Choose(level int, value uint8) (bool, error)
	// Key stands for what matters of the choices before a level: where it is equal, the same may follow.
	Key(level int) uint64
}

// Diagram is a set of points, each of as many values as there are levels. It does not change, and may be read by
// several goroutines.
type Diagram struct {
	levels [][]node
}

// node has the values that lead to points, with how many points lie below those before.
type node struct {
	values []uint8
	before []uint64
	below  []int32 // nodes of the next level
	total  uint64
}

// none is the number of a node that was left out, for no point is below it.
const none = int32(-1)

// Build makes the diagram of at least one level. Its error is ErrTooLarge, or one of the choices. The points must be
// fewer than 2^63.
func Build(levels int, c Choices) (*Diagram, error) {
	b := &builder{choices: c, levels: make([][]node, levels), known: make([]map[uint64]int32, levels)}
	for i := range b.known {
		b.known[i] = map[uint64]int32{}
	}
	if _, err := b.node(0); err != nil {
		return nil, err
	}
	return &Diagram{b.levels}, nil
}

type builder struct {
	choices  Choices
	levels   [][]node
	known    []map[uint64]int32 // by level and key: the node
	branches int
}

// node gives the node of what follows the choices before a level.
func (b *builder) node(level int) (int32, error) {
	key := b.choices.Key(level)
	if at, ok := b.known[level][key]; ok {
		return at, nil
	}
	n, err := b.branch(level)
	if err != nil {
		return none, err
	}
	at := none
	if n.total > 0 {
		at = int32(len(b.levels[level]))
		b.levels[level] = append(b.levels[level], n)
	}
	b.known[level][key] = at
	return at, nil
}

func (b *builder) branch(level int) (n node, err error) {
	values, err := b.choices.Values(level)
	if err != nil {
		return n, err
	}
	for _, v := range values {
		if b.branches++; b.branches > MaxBranches {
			return n, ErrTooLarge
		}
		ok, err := b.choices.Choose(level, v)
		if err != nil {
			return n, err
		}
		if !ok {
			continue
		}
		below, points, err := b.below(level)
		if err != nil {
			return n, err
		}
		if points > 0 {
			n.values, n.before, n.below = append(n.values, v), append(n.before, n.total), append(n.below, below)
			n.total += points
		}
	}
	return n, nil
}

// below gives the node after the choices up to a level, with its points: 1 after the last.
func (b *builder) below(level int) (at int32, points uint64, err error) {
	if level+1 == len(b.levels) {
		return none, 1, nil
	}
	if at, err = b.node(level + 1); err != nil || at == none {
		return none, 0, err
	}
	return at, b.levels[level+1][at].total, nil
}

// Len is the number of points.
func (d *Diagram) Len() int {
	if len(d.levels[0]) == 0 {
		return 0
	}
	return int(d.levels[0][0].total)
}

// Has reports whether a point has a value at a level.
func (d *Diagram) Has(level int, v uint8) bool {
	return slices.ContainsFunc(d.levels[level], func(n node) bool { return slices.Contains(n.values, v) })
}

// At writes a point into p by its place in ascending order, the first value counting most.
func (d *Diagram) At(place int, p []uint8) {
	left, at := uint64(place), int32(0)
	for i := range p {
		n := &d.levels[i][at]
		k, found := slices.BinarySearch(n.before, left)
		if !found {
			k--
		}
		p[i], at = n.values[k], n.below[k]
		left -= n.before[k]
	}
}

// Index is a point's place; false where it is not of the set.
func (d *Diagram) Index(p []uint8) (place int, ok bool) {
	if d.Len() == 0 {
		return 0, false
	}
	sum, at := uint64(0), int32(0)
	for i, v := range p {
		n := &d.levels[i][at]
		k, ok := slices.BinarySearch(n.values, v)
		if !ok {
			return 0, false
		}
		sum += n.before[k]
		at = n.below[k]
	}
	return int(sum), true
}
