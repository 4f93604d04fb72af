package kernels

import (
	"errors"
	"fmt"
	"slices"

	"darwarp/kernels/diagram"
)

// errTooLarge means that a space is not to be held as a list.
var errTooLarge = errors.New("too many points for a list")

// count makes a diagram in place of the list: two beginnings of a point are alike in it when no later constraint reads
// the genes in which they differ.
func (s *Space) count() error {
	n := len(s.radix)
	d, err := diagram.Build(n, &choices{newEnumerator(s, 0), s.frontiers()})
	if errors.Is(err, diagram.ErrTooLarge) {
		return fmt.Errorf("more than %d legal points, and the constraints tie too many genes together to count them: "+
			"restrict genes, as in --gene NAME=VALUE", MaxEnumerated)
	}
	if err != nil {
		return err
	}
	s.codes, s.counted = nil, d
	return nil
}

// Found says by gene and value whether some legal point has it.
func (s *Space) Found() [][]bool {
	found := make([][]bool, len(s.radix))
	for i := range found {
		found[i] = make([]bool, len(s.Family.Genes[i].values))
		for v := range found[i] {
			found[i][v] = s.counted != nil && s.counted.Has(i, uint8(v))
		}
	}
	if s.counted == nil {
		for k := range s.Len() {
			for i, v := range s.At(k) {
				found[i][v] = true
			}
		}
	}
	return found
}

// choices are the genes of a space as a diagram asks for them.
type choices struct {
	enumerator
	reads [][]int // by gene: earlier genes that it or a later one depends on
}

// Values implements diagram.Choices.
func (c *choices) Values(gene int) ([]uint8, error) { return c.values(gene) }

// Choose implements diagram.Choices.
func (c *choices) Choose(gene int, v uint8) (bool, error) {
	c.point[gene] = v
	return c.holds(gene)
}

// Key implements diagram.Choices.
func (c *choices) Key(gene int) (key uint64) {
	for _, g := range c.reads[gene] {
		key += uint64(c.point[g]) * c.space.radix[g]
	}
	return key
}

// frontiers lists, by gene, the genes before it that a constraint or a condition decided with it or
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
