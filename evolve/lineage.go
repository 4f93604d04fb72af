package evolve

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"darwarp/kernels"
	"darwarp/mutate"
)

// pinShare is how often a child is bred from pinned candidates, whatever the others are worth.
const pinShare = 0.25

// pin keeps a candidate that works among the parents.
func (s *Search) pin(c Command) (string, error) {
	m := s.working[c.ID]
	switch {
	case m == nil:
		return "", fmt.Errorf("%s: %w", c.ID.Short(), s.notWorking(c.ID))
	case s.dead[c.ID]:
		return "", fmt.Errorf("%s: its lineage was killed", c.ID.Short())
	case m.index < 0:
		return "", fmt.Errorf("%s is outside of the space that is searched", c.ID.Short())
	}
	if !slices.Contains(s.steering.Pins, c.ID) {
		s.steering.Pins = append(s.steering.Pins, c.ID)
	}
	return c.ID.Short() + " stays among the parents", nil
}

func (s *Search) notWorking(id kernels.ID) error {
	if s.ids[id] {
		return errors.New("only a candidate that works is bred from")
	}
	return errors.New("no such candidate")
}

func (s *Search) unpin(c Command) (string, error) {
	at := slices.Index(s.steering.Pins, c.ID)
	if at < 0 {
		return "", fmt.Errorf("%s is not pinned", c.ID.Short())
	}
	s.steering.Pins = slices.Delete(s.steering.Pins, at, at+1)
	return c.ID.Short() + " is a candidate like others again", nil
}

// kill takes a candidate and all that descend from it out of the populations: they are neither bred nor
// learned from, and challenge nobody. A champion among them reigns until it is beaten.
func (s *Search) kill(c Command) (string, error) {
	switch {
	case !s.ids[c.ID]:
		return "", fmt.Errorf("%s: no such candidate", c.ID.Short())
	case slices.Contains(s.steering.Killed, c.ID):
		return "", fmt.Errorf("%s was killed already", c.ID.Short())
	}
	s.steering.Killed = append(s.steering.Killed, c.ID)
	s.dead[c.ID] = true
	asked := map[kernels.ID]bool{}
	for id := range s.working {
		s.descends(id, asked)
	}
	n := 0
	for _, d := range s.demes {
		n += d.bury(s.dead)
	}
	s.niches.bury(s.dead)
	s.steering.Pins = slices.DeleteFunc(s.steering.Pins, func(id kernels.ID) bool { return s.dead[id] })
	return fmt.Sprintf("%s and what descends from it are bred from no more: %d of the population", c.ID.Short(), n), nil
}

// descends reports whether a candidate is dead or descends from one that is, and notes it.
func (s *Search) descends(id kernels.ID, asked map[kernels.ID]bool) bool {
	if m := s.working[id]; m != nil && !s.dead[id] && !asked[id] {
		asked[id] = true
		for _, p := range m.parents {
			if s.descends(p, asked) {
				s.dead[id] = true
			}
		}
	}
	return s.dead[id]
}

// stillborn notes and reports whether a new candidate is of a lineage that was killed.
func (s *Search) stillborn(c *kernels.Candidate) bool {
	if len(s.dead) == 0 {
		return false
	}
	if slices.ContainsFunc(c.Origin.Parents, func(p kernels.ID) bool { return s.dead[p] }) {
		s.dead[c.ID] = true
	}
	return s.dead[c.ID]
}

// bury takes the dead out of the population and says how many there were.
func (d *deme) bury(dead map[kernels.ID]bool) int {
	is := func(o *mutate.Individual) bool { return dead[o.ID] }
	before := len(d.best)
	d.best, d.fresh, d.seen = slices.DeleteFunc(d.best, is), slices.DeleteFunc(d.fresh, is), slices.DeleteFunc(d.seen, is)
	return before - len(d.best)
}

// breeding is what a space is bred from: pinned candidates first, whatever their rank.
func (s *Search) breeding(d *deme) *mutate.Pool {
	p := d.pool(s.progress.afresh())
	pins := s.pins(d)
	if len(pins) == 0 {
		return p
	}
	others := slices.Clone(p.Best)
	p.Best = append(pins, slices.DeleteFunc(others, func(o *mutate.Individual) bool { return slices.Contains(s.steering.Pins, o.ID) })...)
	return p
}

// pins are a population's pinned candidates.
func (s *Search) pins(d *deme) (out []*mutate.Individual) {
	for _, o := range d.best {
		if slices.Contains(s.steering.Pins, o.ID) {
			out = append(out, o)
		}
	}
	return out
}

// pinned is now and then the space of a pinned candidate, with nothing but pinned ones to breed from.
func (s *Search) pinned() (space int, pool *mutate.Pool, ok bool) {
	pins := s.steering.Pins
	if len(pins) == 0 || s.rng.Float64() >= pinShare {
		return 0, nil, false
	}
	space = s.working[pins[s.rng.IntN(len(pins))]].space
	d := s.demes[space]
	pool = d.pool(false)
	pool.Best, pool.Niches = s.pins(d), nil
	return space, pool, true
}

// rank orders the population anew after scores have changed; of equals the older comes first.
func (d *deme) rank(score func(*mutate.Individual) float64) {
	fresh := map[*mutate.Individual]bool{}
	for _, o := range d.fresh {
		fresh[o] = true
	}
	usable := map[*mutate.Individual]bool{}
	for _, o := range d.best {
		usable[o] = true
	}
	d.best, d.fresh = nil, nil
	for _, o := range d.seen {
		if !math.IsInf(o.Score, 1) {
			o.Score = score(o)
		}
		if usable[o] {
			d.best = append(d.best, o)
		}
		if fresh[o] {
			d.fresh = append(d.fresh, o)
		}
	}
	slices.SortStableFunc(d.best, byScore)
	slices.SortStableFunc(d.fresh, byScore)
}

func byScore(a, b *mutate.Individual) int {
	switch {
	case a.Score < b.Score:
		return -1
	case a.Score > b.Score:
		return 1
	}
	return 0
}
