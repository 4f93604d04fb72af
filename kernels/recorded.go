package kernels

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// NewSpaceFromPoints makes a space of exactly the given points, which are value indices by gene in
// declaration order: what a recording holds, and no more. Genes that do not exist at a point are set
// to their defaults. The points need not satisfy the family's constraints. A point that is out of range,
// or there twice, is an error.
func NewSpaceFromPoints(f *Family, dev Device, t DType, points [][]uint8) (*Space, error) {
	if len(points) == 0 {
		return nil, fmt.Errorf("family %s: %w: no point was recorded", f.Name, ErrNoLegalPoint)
	}
	n := len(f.Genes)
	s := &Space{Family: f, Device: dev, DType: t, allowed: make([][]uint8, n), radix: make([]uint64, n),
		recorded: make([]int, n), refused: make([]int, len(f.Constraints))}
	place := uint64(1)
	for i := n - 1; i >= 0; i-- {
		s.radix[i], s.recorded[i] = place, i
		if place > 1<<55 {
			return nil, fmt.Errorf("family %s: the genes have too many combinations to index", f.Name)
		}
		place *= uint64(len(f.Genes[i].values))
	}
	s.derive()
	s.precompute()
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
			return nil, fmt.Errorf("family %s: point %v occurs twice", f.Name, s.At(i))
		}
	}
	for i := range s.codes {
		s.packed = append(s.packed, pack(s.At(i))...)
	}
	for i := range s.allowed {
		slices.Sort(s.allowed[i])
	}
	return s, nil
}

// pack is a point with eight genes a word.
func pack(p Point) []uint64 {
	words := make([]uint64, (len(p)+7)/8)
	for g, v := range p {
		words[g/8] |= uint64(v) << (g % 8 * 8)
	}
	return words
}

// packedAt is a point of a recording as pack made it, nil where the points were not packed.
func (s *Space) packedAt(i int) []uint64 {
	n := (len(s.radix) + 7) / 8
	if end := (i + 1) * n; end <= len(s.packed) {
		return s.packed[end-n : end]
	}
	return nil
}

// unpacked is a gene of a point that pack has made.
func unpacked(words []uint64, gene int) uint8 { return uint8(words[gene/8] >> (gene % 8 * 8)) }

// unlike is how many of eight genes differ.
func unlike(a, b uint64) int {
	const low, high = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	x := a ^ b
	return bits.OnesCount64((x&low + low | x) & high) // bytes that are not zero
}

// nearestRecorded finds the point nearest to p: the fewest genes changed, then the smallest steps, then
// by chance. A sample of a space has few neighbours: to look at every point costs less than to try
// changes.
func (s *Space) nearestRecorded(p Point, rng *rand.Rand) int {
	from := pack(p)
	best, genes, steps, equal := 0, len(p)+1, 0, 0
	for i := range s.codes {
		words := s.packed[i*len(from):][:len(from)]
		changed := 0
		for k, w := range from {
			if changed += unlike(w, words[k]); changed > genes {
				break // most points are far away by their first eight genes
			}
		}
		if changed > genes {
			continue
		}
		far := 0
		for g, v := range p {
			far += apart(unpacked(words, g), v)
		}
		switch {
		case changed < genes || far < steps:
			best, genes, steps, equal = i, changed, far, 1
		case far == steps:
			if equal++; rng.IntN(equal) == 0 {
				best = i
			}
		}
	}
	return best
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
