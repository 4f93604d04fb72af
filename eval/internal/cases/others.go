package cases

import (
	"slices"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// besideSpecial is what lines the other inputs have where one beside the first has inf and NaN, one case after the
// other: 0 times what is no number is none either, and a kernel that leaves out what is multiplied by 0 is wrong.
var besideSpecial = [][]string{{"normal"}, {"normal", "zeros"}, {"zeros"}}

// manyLines draws a size for inputs of which each line is hard in a way of its own: it takes many until one is large
// enough, or has a NaN beside a negative number. It is the given one where none of the kind can be had.
func (s *Set) manyLines(given kernels.Dims) kernels.Dims {
	d := &drawer{p: s.want.Problem, t: s.want.DType, rng: s.want.RNG, cap: s.want.Effort.drawn / alignedShare}
	lines := (4*lineCount + s.want.RNG.IntN(lineCount)) | 1
	size, ok := d.cube(func(kernels.Range) int { return lines })
	if !ok {
		return given
	}
	if there, err := s.want.fits(size); err != nil || !there {
		return given
	}
	return size
}

// addOthers adds the cases of a size in which another input than the first is hard, and those in which zeros are beside
// inf and NaN in the first.
func (s *Set) addOthers(c device.Case, add func(device.Case) error) error {
	if err := s.addBesideFirst(c, add); err != nil {
		return err
	}
	for c.Hard = 1; c.Hard < len(s.mix); c.Hard++ {
		if s.want.ranged(c.Hard) { // no class changes its numbers
			continue
		}
		beside := besideSpecial
		for _, c.Class = range s.want.alone() {
			if c.Beside, c.Apart = nil, false; c.Class == kernels.Special {
				c.Beside, beside = beside[0], beside[1:]
				c.Apart = apart(s.want.Problem, s.input(c.Hard), false, -1)
			}
			if err := add(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// addBesideFirst adds cases in which other inputs have zeros where the first one may have inf and NaN.
func (s *Set) addBesideFirst(c device.Case, add func(device.Case) error) error {
	if len(s.mix) < 2 || s.want.ranged(0) || !slices.Contains(s.want.Hard(), kernels.Special) {
		return nil
	}
	c.Class, c.Apart = kernels.Special, slices.Contains(s.mix[0], kernels.Special)
	for _, c.Beside = range besideSpecial[1:] {
		if err := add(c); err != nil {
			return err
		}
	}
	return nil
}
