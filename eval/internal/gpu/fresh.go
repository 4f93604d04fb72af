package gpu

import (
	"errors"
	"slices"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
)

// fresh times one contender on inputs that it has not seen since everything was refilled: a graph of one call for
// each of some sets of the bank, each with an arena and scratch of its own, in a random order; and
// then the same graph once more, over what the first left behind. For a valid kernel both take the same time.
type fresh struct {
	timed
	arenas  []*arena // by set
	works   []*work
	scratch []*arena // by set; nil: none
	packed  []*packing
}

// fewestSets is how many sets a fresh sample needs at least.
const fewestSets = 2

// newFresh makes arenas and scratch for as many sets of the run as memory holds.
func (s *Session) newFresh(c *contender, run device.Run, tape *device.Tape) (device.Sampler, error) {
	if c.Library {
		return nil, errors.New("a library has no fresh regime")
	}
	m := &fresh{timed: s.newTimed(c, run, 0, tape)}
	for set := range m.run.Cases {
		err := m.add(set)
		if set >= fewestSets && outOfMemory(err) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *fresh) add(set int) error {
	s, i := m.s, m.run.Cases[set]
	a, err := s.ownArena(i)
	if err != nil {
		return err
	}
	c := &s.prep.Cases[i]
	scratch, err := s.placeScratch(m.contender.seat, set, m.call, c.Name)
	if err != nil {
		return err
	}
	// Samples are of some of the sets, and look at the scratch of all: what is clear before a first call has to be.
	if err := s.refill(s.scratchRefills(scratch, m.call.Scratch, device.Wild)...); err != nil {
		return err
	}
	packed, err := s.newPacking(m.contender.program, m.contender.seat, set, m.call, c, a)
	if err != nil {
		return err
	}
	w, err := s.bind(m.contender.program, m.call, c, a, scratch, packed)
	if err != nil {
		return err
	}
	m.packed = append(m.packed, packed)
	m.arenas, m.scratch, m.works = append(m.arenas, a), append(m.scratch, scratch), append(m.works, w)
	m.persists = m.persists || w.persists
	return nil
}

// Calls is how many calls a sample has.
func (m *fresh) Calls() int { return m.run.Fresh }

// Sets is how many memory holds.
func (m *fresh) Sets() int { return len(m.arenas) }

// Close has nothing to give back: graphs live as long as a sample.
func (m *fresh) Close() error { return nil }

// freshen refills everything that the calls of a sample can find. The first of them finds the right answer to the
// inputs of the second where its own is to go.
func (m *fresh) freshen(turn []int, seed func(*device.Case) uint64) error {
	s, list := m.s, []Refilling(nil)
	if _, err := s.pack(m.packedFor(turn), seed); err != nil {
		return err
	}
	for n, set := range turn {
		a := m.arenas[set]
		if n == 0 && len(turn) > 1 && s.coin() {
			if err := s.copyOutputs(a, m.arenas[turn[1]]); err != nil {
				return err
			}
		} else {
			list = append(list, s.outputRefills(a, s.anyRefill())...)
		}
		list = append(list, s.scratchRefills(m.scratch[set], m.call.Scratch, s.anyRefill())...)
	}
	return s.poisonShared(m.contender.program, list...)
}

// copyOutputs queues copies of one arena's outputs to another of the same case.
func (s *Session) copyOutputs(to, from *arena) error {
	for j, b := range s.prep.Cases[to.holds].Buffers {
		if b.Out {
			if err := s.drv.DtoDAsync(to.at[j], from.at[j], uint64(b.Bytes()), s.stream); err != nil {
				return err
			}
		}
	}
	return nil
}

// Single times a call on the first set.
func (m *fresh) Single() (device.Reading, error) { return m.Sample([]int{0}) }

// Sample times a graph of one call for each of some sets, twice.
func (m *fresh) Sample(turn []int) (r device.Reading, err error) {
	s := m.s
	s.clock.reset()
	order := make([]*work, len(turn))
	for n, set := range turn {
		order[n] = m.works[set]
	}
	g, err := s.capture(order, len(order))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.drv.DestroyGraph(g)) }()
	if err := s.drv.UploadGraph(g, s.stream); err != nil {
		return r, err
	}
	if err := s.clearCounters(); err != nil {
		return r, err
	}
	before := -1
	if m.run.Unseen {
		if before, err = m.before(g, turn); err != nil {
			return r, err
		}
	}
	if err := m.freshen(turn, ownSeed); err != nil {
		return r, err
	}
	if r, err = m.replays(g, turn); err == nil && before >= 0 {
		r.Nanos, err = s.clock.nanos(before)
		r.Nanos /= float64(len(turn))
	}
	return r, err
}

// replays takes the graph's time twice, looks at the outputs after each, and at everything in the end.
func (m *fresh) replays(g cuda.Graph, turn []int) (r device.Reading, err error) {
	once, err := m.replay(g, turn)
	if err != nil {
		return r, err
	}
	if err := m.s.record(m.tape, m.arenasOf(turn)); err != nil {
		return r, err
	}
	again, err := m.replay(g, turn)
	if err != nil {
		return r, err
	}
	got, err := m.s.finish(m.whole(turn), &r)
	if err != nil {
		return r, err
	}
	if err := m.heed([]*inspection{once.look, again.look}, got, &r); err != nil {
		return r, err
	}
	for _, counters := range [][]int{once.outputs, again.outputs} {
		for n, set := range turn {
			r.Compare(got[counters[n]], m.expect, set)
		}
	}
	err = m.times([2]int{once.lap, again.lap}, len(turn), &r)
	return r, err
}

// replay is one launch of a sample's graph, and what was looked at after it.
type replay struct {
	lap     int
	look    *inspection
	outputs []int // counters, in the order of the sets
}

func (m *fresh) replay(g cuda.Graph, turn []int) (r replay, err error) {
	if err := m.level(turn); err != nil {
		return r, err
	}
	if r.lap, err = m.s.timedLaunch(g, len(turn)); err != nil {
		return r, err
	}
	r.look = m.s.newInspection()
	for _, a := range m.arenasOf(turn) {
		r.outputs = append(r.outputs, r.look.outputs(&m.s.prep.Cases[a.holds], a))
	}
	r.look.repacked(m.packedFor(turn)...)
	return r, m.s.look(r.look)
}

func (m *fresh) arenasOf(turn []int) (list []*arena) {
	for _, set := range turn {
		list = append(list, m.arenas[set])
	}
	return list
}

// heed adds what earlier looks of a sample have found.
func (m *fresh) heed(looks []*inspection, got []uint64, r *device.Reading) error {
	for _, v := range looks {
		found, err := m.s.repair(v, got)
		if err != nil {
			return err
		}
		r.Strays = r.Strays.Join(found)
	}
	return nil
}

// packedFor is what was prepared for some sets; none where nothing is.
func (m *fresh) packedFor(turn []int) (list []*packing) {
	for _, set := range turn {
		if m.packed[set] != nil {
			list = append(list, m.packed[set])
		}
	}
	return list
}

// whole is an inspection of everything. Where something is prepared the scratch of sets whose turn it was not is noise.
func (m *fresh) whole(turn []int) *inspection {
	v := m.s.newInspection()
	packs := len(m.packedFor(turn)) > 0
	for set, scratch := range m.scratch {
		if scratch != nil && (!packs || slices.Contains(turn, set)) {
			v.left(scratch, m.call.Scratch)
		}
	}
	v.variables(m.contender.program)
	m.s.everything(v)
	return v
}

func (m *fresh) times(laps [2]int, calls int, r *device.Reading) error {
	first, err := m.s.clock.nanos(laps[0])
	if err != nil {
		return err
	}
	again, err := m.s.clock.nanos(laps[1])
	if err != nil {
		return err
	}
	r.Nanos, r.Repeat = first/float64(calls), again/first
	return nil
}
