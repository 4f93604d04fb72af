package kernels

import (
	"slices"
)

// Point is a point of a space as value indices, one per gene in declaration order. Inactive genes
// hold their default's index, so that one kernel is one point.
type Point []uint8

// At is the i-th legal point.
func (s *Space) At(i int) Point {
	p := make(Point, len(s.radix))
	if s.counted != nil {
		s.counted.At(i, p)
		return p
	}
	if words := s.packedAt(i); words != nil {
		for j := range p {
			p[j] = unpacked(words, j)
		}
		return p
	}
	code := s.codes[i]
	for j, place := range s.radix {
		p[j] = uint8(code / place)
		code %= place
	}
	return p
}

// Index finds a point; ok is false when it is not legal.
func (s *Space) Index(p Point) (i int, ok bool) {
	if len(p) != len(s.radix) {
		return 0, false
	}
	code := uint64(0)
	for j, v := range p {
		if int(v) >= len(s.Family.Genes[j].values) {
			return 0, false // would be the code of another point
		}
		code += uint64(v) * s.radix[j]
	}
	if s.counted != nil {
		return s.counted.Index(p)
	}
	return slices.BinarySearch(s.codes, code)
}

// Active says which genes of a point exist.
func (s *Space) Active(p Point) []bool {
	on := make([]bool, len(p))
	pad := s.scratchpad()
	for i, when := range s.whens {
		on[i] = true
		if when != nil {
			ok, err := pad.holds(when, p)
			on[i] = err == nil && ok
		}
	}
	return on
}

// Canonical sets the genes of p that do not exist to their defaults, in place.
func (s *Space) Canonical(p Point) Point {
	pad := s.scratchpad()
	for i, when := range s.whens {
		if when != nil {
			if on, err := pad.holds(when, p); err != nil || !on {
				p[i] = uint8(s.Family.Genes[i].def)
			}
		}
	}
	return p
}

// Genome gives the point's active genes their values.
func (s *Space) Genome(p Point) Genome {
	g := Genome{}
	for i, on := range s.Active(p) {
		if on {
			g[s.Family.Genes[i].Name] = s.Family.Genes[i].values[p[i]]
		}
	}
	return g
}

// Point finds the indices of a genome's values; genes it leaves out have their defaults. It does not
// check constraints: Index does.
func (s *Space) Point(g Genome) (Point, error) {
	if err := s.Family.knows(g); err != nil {
		return nil, err
	}
	p := make(Point, len(s.Family.Genes))
	for i := range s.Family.Genes {
		gene := &s.Family.Genes[i]
		p[i] = uint8(gene.def)
		if v, ok := g[gene.Name]; ok {
			p[i] = uint8(slices.Index(gene.values, v))
		}
	}
	return p, nil
}
