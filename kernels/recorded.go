package kernels

import (
	"fmt"
	"slices"
)

// NewSpaceFromPoints makes a space of exactly the given points, which are value indices by gene in
// declaration order: what a recording holds, and no more. Genes that do not exist at a point are set
// to their defaults. The points need not obey the family's constraints. A point that is out of range,
// or there twice, is an error.
func NewSpaceFromPoints(f *Family, dev Device, t DType, points [][]uint8) (*Space, error) {
	if len(points) == 0 {
		return nil, fmt.Errorf("family %s: %w: no point was recorded", f.Name, ErrNoLegalPoint)
	}
	n := len(f.Genes)
	s := &Space{Family: f, Device: dev, DType: t, allowed: make([][]uint8, n), radix: make([]uint64, n), recorded: make([]int, n), refused: make([]int, len(f.Constraints))}
	place := uint64(1)
	for i := n - 1; i >= 0; i-- {
		s.radix[i], s.recorded[i] = place, i
		if place > 1<<55 {
			return nil, fmt.Errorf("family %s: the genes have too many combinations to index", f.Name)
		}
		place *= uint64(len(f.Genes[i].values))
	}
	s.derive()
	s.settled()
	for k, values := range points {
		code, err := s.record(values)
		if err != nil {
			return nil, fmt.Errorf("family %s: point %d: %w", f.Name, k, err)
		}
		s.codes = append(s.codes, code)
	}
	slices.Sort(s.codes)
	for i := 1; i < len(s.codes); i++ {
		if s.codes[i] == s.codes[i-1] {
			return nil, fmt.Errorf("family %s: point %v is there twice", f.Name, s.At(i))
		}
	}
	for i := range s.allowed {
		slices.Sort(s.allowed[i])
	}
	return s, nil
}

// record checks one point, notes its values as in play, and gives its code.
func (s *Space) record(values []uint8) (uint64, error) {
	if len(values) != len(s.radix) {
		return 0, fmt.Errorf("%d values: expected %d", len(values), len(s.radix))
	}
	for i, v := range values {
		if n := len(s.Family.Genes[i].values); int(v) >= n {
			return 0, fmt.Errorf("gene %s: value index %d: expected less than %d", s.Family.Genes[i].Name, v, n)
		}
	}
	p := s.Canonical(slices.Clone(Point(values)))
	code := uint64(0)
	for i, v := range p {
		code += uint64(v) * s.radix[i]
		if !slices.Contains(s.allowed[i], v) {
			s.allowed[i] = append(s.allowed[i], v)
		}
	}
	return code, nil
}
