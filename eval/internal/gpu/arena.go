package gpu

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
)

// zone is a stretch of device memory that nobody may write to.
type zone struct {
	at    cuda.Ptr
	bytes int
}

// arena is the buffers of one call in a block of their own, with a guard zone before, between and after
// them: all that is mapped and no buffer. A zone begins at the very byte where a buffer ends. While no request uses the
// arena it is protected: what may be written to is a guard zone too.
type arena struct {
	*block
	name        string     // of what lies in it, to tell strays by
	at          []cuda.Ptr // by buffer
	zones       []zone
	open        []zone // what a call may write to
	unprotected bool
	holds       int  // the case whose inputs it holds; -1: none
	wiped       bool // but only its weights; the others are noise
}

// untouchable is where nobody may have written.
func (a *arena) untouchable() []zone {
	if a.unprotected {
		return a.zones
	}
	return slices.Concat(a.zones, a.open)
}

// newArena lays buffers out over a block that is large enough, to some of which a call may write.
func newArena(b *block, name string, sizes []int, writable func(i int) bool) *arena {
	offsets, _ := device.Layout(sizes)
	a := &arena{block: b, name: name, holds: -1}
	end := 0
	for i, off := range offsets {
		a.at = append(a.at, b.at+cuda.Ptr(off))
		a.zones = append(a.zones, zone{b.at + cuda.Ptr(end), off - end})
		if end = off + sizes[i]; writable(i) {
			a.open = append(a.open, zone{b.at + cuda.Ptr(off), sizes[i]})
		}
	}
	a.zones = append(a.zones, zone{b.at + cuda.Ptr(end), b.bytes - end})
	return a
}

// home is the case in whose arena a case is run that has none of its own: of a workload's trial cases, the first of its
// cases that every candidate is run on.
func home(cases []device.Case, i int) int {
	if !cases[i].Trial {
		return i
	}
	at := slices.IndexFunc(cases, func(c device.Case) bool {
		return !c.Trial && c.Workload == cases[i].Workload && maps.Equal(c.Dims, cases[i].Dims)
	})
	if at < 0 {
		return i
	}
	return at
}

// arenaOf is the arena that a case is run in, with the case's inputs in it.
func (s *Session) arenaOf(i int) (*arena, error) {
	at := i
	if s.arenas[i] == nil || s.arenas[i].gone() {
		at = home(s.prep.Cases, i)
	}
	return s.arenaFor(at, i)
}

// ownArena is the case's own arena, which is made where it has none.
func (s *Session) ownArena(i int) (*arena, error) { return s.arenaFor(i, i) }

// arenaFor is arena number at, unprotected, with the inputs of case i.
func (s *Session) arenaFor(at, i int) (a *arena, err error) {
	if a = s.arenas[at]; a == nil || a.gone() {
		if a, err = s.makeArena(at, s.prep.Cases[at].Trial); err != nil {
			return nil, err
		}
		s.arenas[at] = a
	}
	s.unprotect(a)
	return a, s.bring(a, i)
}

// makeArena allocates an arena for the buffers of a case.
func (s *Session) makeArena(i int, spare bool) (*arena, error) {
	c := &s.prep.Cases[i]
	b, err := s.mem.take(c.ArenaBytes(), spare)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	a := newArena(b, c.Name, device.Sizes(c.Buffers), func(j int) bool { return c.Buffers[j].Out })
	return a, s.writeGuards(a.untouchable()...)
}

// unprotect lets the present request use an arena.
func (s *Session) unprotect(a *arena) {
	a.unprotected = true
	a.used = s.mem.request
}

// protect makes guard zones of what the request could write to.
func (s *Session) protect() error {
	var open []zone
	for a := range s.all() {
		if a.unprotected {
			a.unprotected = false
			open = append(open, a.open...)
		}
	}
	return s.writeGuards(open...)
}

// all are the arenas that there are.
func (s *Session) all() iter.Seq[*arena] {
	return func(yield func(*arena) bool) {
		groups := [][]*arena{s.arenas, slices.Collect(maps.Values(s.scratch)), slices.Collect(maps.Values(s.stock)),
			{s.flush}}
		for _, list := range s.cold {
			groups = append(groups, list)
		}
		for _, a := range slices.Concat(groups...) {
			if a != nil && !a.gone() && !yield(a) {
				return
			}
		}
	}
}

// hold makes an arena hold the inputs of a case, which are made again.
func (s *Session) hold(a *arena, i int) error {
	switch {
	case a.holds == i && a.wiped:
		return s.unwipe(a, ownSeed)
	case a.holds == i:
		return nil
	}
	a.holds, a.wiped = -1, false
	c := &s.prep.Cases[i]
	if err := s.fill(c, a, c.Seed); err != nil {
		return err
	}
	a.holds, a.name = i, c.Name
	if s.inHash[i] != nil {
		return nil
	}
	var err error
	s.inHash[i], err = s.hashInputs(c, a)
	return err
}

// hashInputs is what the inputs of a case hash to, by buffer. They were made just now, by trusted code, and no
// candidate has run since. It has counters of its own: others may be in use.
func (s *Session) hashInputs(c *device.Case, a *arena) ([]uint64, error) {
	v := s.newInspection()
	v.next = counterInputs
	v.inputs(c, a)
	if v.next > counterFirst {
		return nil, fmt.Errorf("%s: %d inputs", c.Name, len(v.notes))
	}
	if err := s.drv.Memset8(s.counterAt(counterInputs), 0, 8*(counterFirst-counterInputs), s.stream); err != nil {
		return nil, err
	}
	if err := s.queue(v); err != nil {
		return nil, err
	}
	got, err := s.readCounters(v.next)
	if err != nil {
		return nil, err
	}
	hashes := make([]uint64, len(c.Buffers))
	for _, n := range v.notes {
		hashes[n.buffer] = got[n.counter]
	}
	return hashes, nil
}

// renew makes an arena as new: guards, and the inputs that it held.
func (s *Session) renew(a *arena) error {
	if err := s.writeGuards(a.untouchable()...); err != nil || a.holds < 0 {
		return err
	}
	i := a.holds
	a.holds = -1
	return s.hold(a, i)
}
