package cases

import (
	"maps"
	"math"
	"slices"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// seedsTried is among how many seeds that of a mixed case is chosen.
const seedsTried = 64

// seedsPlain is among how many that of an only line is: one in some 80 has two inputs whose lines are ordinary.
const seedsPlain = 1 << 12

// seed draws that of a case. Of a mixed one it is the one, among some, in which the most inputs begin with a line that
// none has begun with, and end with one: a kernel that takes an input by its first numbers for zeros, for constant or
// for small meets each class there, in front of ordinary numbers, and one that does something else for the rows of its
// last block each class there.
func (s *Set) seed(c *device.Case) (best uint64) {
	switch c.Class {
	case kernels.Special:
		return s.specialSeed(c)
	case device.Mixed:
	default:
		return s.want.RNG.Uint64()
	}
	if c.OnlyLine() {
		if s.only++; s.only%2 == 1 {
			return s.plainSeed(c)
		}
	}
	most := -1
	var begun []device.Beginning
	for range seedsTried {
		seed := s.want.RNG.Uint64()
		list := slices.DeleteFunc(c.Begun(seed), func(b device.Beginning) bool { return s.begun[b] >= b.Times() })
		if len(list) > most {
			most, best, begun = len(list), seed, list
		}
	}
	for _, b := range begun {
		s.begun[b]++
	}
	return best
}

// plainSeed draws that of a mixed case whose first lines are all ordinary ones: what a kernel leaves out of an only
// line shows in ordinary numbers, and hardly in zeros or beside a NaN. The best of many, where not all inputs have such
// lines.
func (s *Set) plainSeed(c *device.Case) (best uint64) {
	most := -1
	for range seedsPlain {
		seed := s.want.RNG.Uint64()
		if plain, of := c.Plain(seed); plain > most {
			if most, best = plain, seed; plain == of {
				break
			}
		}
	}
	return best
}

// specialSeed draws that of a case with inf and NaN. Where all lines of the input have outputs in common, a NaN may be
// right there whatever a kernel makes of the one in the input, because of an inf: so they come alone, too, in turn.
func (s *Set) specialSeed(c *device.Case) uint64 {
	want := device.InfAndNaN
	if shared := c.Hard > 0 || !slices.Contains(s.mix[0], kernels.Special); shared && !c.Apart {
		s.specials++
		want = device.Specials(s.specials % 3)
	}
	for {
		if seed := s.want.RNG.Uint64(); c.Apart || c.Specials(seed, c.Hard) == want {
			return seed
		}
	}
}

// Of so few lines each part has the greatest number in some case of a trial.
const (
	fewLines  = check.Left
	seedsPeak = 1 << 15 // tried for one of them
)

// peaks are trial cases of a scored size in which the number that stands out is in each sixty-fourth of a line in turn,
// and in turn each that many apart. What is left out of a maximum shows only if the maximum is there, and a few lines
// have theirs in a few places.
func (s *Set) peaks(w kernels.Workload, flops float64) (list []device.Case, err error) {
	if len(s.terms) == 0 || flops*check.Left > s.want.Effort.bank {
		return nil, nil
	}
	t := s.terms[0]
	below := float64(math.Float32frombits(t.Neutral))
	c := device.Case{Workload: w.Name, Dims: w.Dims, Trial: true, Class: "outlier", Terms: s.terms}
	if c.Buffers, err = s.want.Problem.Buffers(w.Dims, s.want.DType); err != nil {
		return nil, err
	}
	b := c.Buffers[t.Buffer]
	n := b.Shape[t.Axis]
	if b.Drawn != nil || n < check.Left || b.Elems()/n > fewLines {
		return nil, nil
	}
	if !math.IsInf(below, 0) && !slices.Contains(s.want.Hard(), c.Class) {
		return nil, nil
	}
	for c.Hard = 0; s.input(c.Hard) != t.Buffer; c.Hard++ {
	}
	for left := parts(); len(left) > 0; {
		found := s.peak(&c, t, math.IsInf(below, 1), left)
		if found == nil {
			break
		}
		maps.DeleteFunc(left, func(part int, _ bool) bool { return found[part] })
		list = append(list, c)
	}
	return list, nil
}

// parts are the numbers that Case.Peaked gives.
func parts() map[int]bool {
	left := map[int]bool{}
	for part := range 2 * check.Left {
		left[part] = true
	}
	return left
}

// peak draws the seed of a case of which a line has its peak where it is missing: a part and a remainder, as long as
// one of each is. nil: there is none.
func (s *Set) peak(c *device.Case, t device.Terms, negative bool, left map[int]bool) (best map[int]bool) {
	most, seed := 0, uint64(0)
	for range seedsPeak {
		c.Seed = s.want.RNG.Uint64()
		found, fresh := c.Peaked(t, c.Seed, check.Left, negative), 0
		for part := range found {
			if left[part] {
				fresh++
			}
		}
		if fresh > most {
			most, best, seed = fresh, found, c.Seed
		}
		if most > 1 {
			break
		}
	}
	c.Seed = seed
	return best
}

// input is the place among the tensors of an input, by its number.
func (s *Set) input(number int) int {
	for i := range s.want.Problem.Tensors {
		if s.want.Problem.Tensors[i].Role == "in" {
			if number == 0 {
				return i
			}
			number--
		}
	}
	return -1
}
