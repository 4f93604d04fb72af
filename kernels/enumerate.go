package kernels

import (
	"errors"
	"fmt"
)

// maxSteps bounds the choices that an enumeration tries before its points are counted instead:
// constraints that hold almost nowhere and depend on the last genes would keep it busy for hours.
const maxSteps = 1 << 27

// enumerator walks the genes in order, choosing a value for each.
type enumerator struct {
	space *Space
	pad   *scratchpad
	rules [][]int     // by gene: the constraints of which it is the last gene
	early [][]*clause // by gene: the clauses of later ones
	point Point
	steps int
	limit int
}

// clause is a part of a constraint that alone can refuse a point.
type clause struct {
	rule int
	*derived
}

func newEnumerator(s *Space, limit int) enumerator {
	n := len(s.radix)
	e := enumerator{space: s, pad: s.scratchpad(), rules: make([][]int, n), early: make([][]*clause, n),
		point: make(Point, n), limit: limit}
	e.pad.keep = true
	for i, r := range s.rules {
		e.rules[r.last()] = append(e.rules[r.last()], i)
	}
	for i := range s.clauses {
		c := &s.clauses[i]
		e.early[c.last()] = append(e.early[c.last()], c)
	}
	return e
}

// vastCodes is from how many combinations of values on points are counted first. A list of so many parts is given up
// after minutes.
const vastCodes = 1 << 40

func (s *Space) enumerate(limit int) error {
	if err := s.list(limit); err != nil {
		return err
	}
	if s.Len() == 0 {
		return fmt.Errorf("%w: %s", ErrNoLegalPoint, s.why())
	}
	s.clauses = nil
	for _, list := range [][]*derived{s.rules, s.whens} {
		for _, d := range list {
			d.release()
		}
	}
	return nil
}

// list makes the list of points, or counts them where there are too many for one.
func (s *Space) list(limit int) error {
	first := &s.Family.Genes[0]
	if s.radix[0] > uint64(vastCodes/len(first.values)) && s.count() == nil && s.Len() > MaxEnumerated {
		return nil
	}
	s.counted = nil
	clear(s.refused)
	e := newEnumerator(s, limit)
	err := e.walk(0, 0)
	if errors.Is(err, errTooLarge) {
		clear(s.refused)
		err = s.count()
	}
	return err
}

// walk chooses a value for gene i and those after it. Values go up and the first gene counts most,
// so that codes come out in ascending order.
func (e *enumerator) walk(i int, code uint64) error {
	s := e.space
	if i == len(s.radix) {
		if len(s.codes) == MaxEnumerated {
			return errTooLarge
		}
		s.codes = append(s.codes, code)
		return nil
	}
	values, err := e.values(i)
	if err != nil {
		return err
	}
	for _, v := range values {
		if e.steps++; e.steps > e.limit {
			return errTooLarge
		}
		e.point[i] = v
		ok, err := e.holds(i)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := e.walk(i+1, code+uint64(v)*s.radix[i]); err != nil {
			return err
		}
	}
	return nil
}

// values are those that gene i may have: its default alone where it does not exist.
func (e *enumerator) values(i int) ([]uint8, error) {
	if when := e.space.whens[i]; when != nil {
		on, err := e.pad.holds(when, e.point)
		if err != nil {
			return nil, err
		}
		if !on {
			return []uint8{uint8(e.space.Family.Genes[i].def)}, nil
		}
	}
	return e.space.allowed[i], nil
}

// holds checks the constraints that gene i decides, and the clauses of later ones.
func (e *enumerator) holds(i int) (bool, error) {
	for _, c := range e.early[i] {
		if ok, err := e.pad.holds(c.derived, e.point); err == nil && !ok {
			e.space.refused[c.rule]++
			return false, nil
		}
	}
	for _, r := range e.rules[i] {
		ok, err := e.pad.holds(e.space.rules[r], e.point)
		if err != nil {
			return false, err
		}
		if !ok {
			e.space.refused[r]++
			return false, nil
		}
	}
	return true, nil
}
