package gpu

import (
	"errors"
	"math/rand/v2"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// spinBase and spinPerNode give the host the time to queue a graph before the stream gets to it.
const (
	spinBase    = 20e3
	spinPerNode = 100
)

// timed is one contender on one run.
type timed struct {
	s         *Session
	run       device.Run
	contender *contender
	call      kernels.Call
	expect    []uint64 // by set: hash of right outputs
	tape      *device.Tape
	persists  bool // its launches have L2 access windows
}

// newTimed is a contender on a run; which is the run's index in its Calls and Expect.
func (s *Session) newTimed(c *contender, run device.Run, which int, tape *device.Tape) timed {
	t := timed{s: s, run: run, contender: c, expect: c.expected(which), tape: tape}
	if !c.Library {
		t.call = c.Calls[which]
	}
	return t
}

// steady times one contender on one run: a graph of calls over the run's arenas, replayed on changing inputs, its
// outputs hashed or recorded afterwards.
type steady struct {
	timed
	arenas  []*arena
	seeds   []int // by arena: which of the run's sets it holds
	calls   int   // in the graph
	graph   cuda.Graph
	single  cuda.Graph
	turn    int
	scratch *arena     // nil: none
	packed  []*packing // by arena; nil: none
	watch   bool       // everything is looked at after each sample
	coins   *rand.Rand // the same for both sides of a duel, whose pairs would differ by more than the kernels otherwise
}

func (m *steady) coin() bool { return m.coins.Uint64()&1 == 1 }

// sampler makes a contender's steady sampler for one run.
func (s *Session) sampler(c *contender, run device.Run, which int, tape *device.Tape) (*steady, error) {
	m := &steady{timed: s.newTimed(c, run, which, tape)}
	if c.Library {
		return s.newSteady(m, func(a *arena) (*work, error) { return s.library.work(s, run, a) })
	}
	home := &s.prep.Cases[run.Cases[0]]
	var err error
	if m.scratch, err = s.placeScratch(c.seat, 0, m.call, home.Name); err != nil {
		return nil, err
	}
	return s.newSteady(m, func(a *arena) (*work, error) {
		packed, err := s.newPacking(c.program, c.seat, len(m.packed), m.call, home, a)
		if err != nil {
			return nil, err
		}
		m.packed = append(m.packed, packed)
		return s.bind(c.program, m.call, home, a, m.scratch, packed)
	})
}

// newSteady builds the graph. bind makes the work of one call on an arena.
func (s *Session) newSteady(m *steady, bind func(*arena) (*work, error)) (*steady, error) {
	m.coins = rand.New(rand.NewPCG(s.coinSeed, 0))
	var err error
	if m.arenas, m.seeds, err = s.runArenas(m.run); err != nil {
		return nil, err
	}
	works := make([]*work, len(m.arenas))
	for i, a := range m.arenas {
		if works[i], err = bind(a); err != nil {
			return nil, err
		}
		m.persists = m.persists || works[i].persists
	}
	m.calls = m.caseOf().Calls(m.run.Estimate, len(m.arenas), s.dev.L2Bytes)
	if m.graph, err = s.capture(works, m.calls); err == nil {
		err = s.drv.UploadGraph(m.graph, s.stream) // its first launch counts
	}
	if err == nil {
		m.single, err = s.capture(works[:1], 1)
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func (s *Session) capture(works []*work, n int) (cuda.Graph, error) {
	return s.drv.Capture(s.stream, func() error {
		for i := range n {
			if err := s.put(works[i%len(works)]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Calls is how many calls the graph has.
func (m *steady) Calls() int { return m.calls }

// Sets is all of the run's.
func (m *steady) Sets() int { return len(m.run.Cases) }

// Close destroys the graphs.
func (m *steady) Close() error {
	for _, g := range []cuda.Graph{m.graph, m.single} {
		if g != 0 {
			if err := m.s.drv.DestroyGraph(g); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *steady) caseOf() *device.Case { return &m.s.prep.Cases[m.run.Cases[0]] }

// freshen gives every hot arena the next set's inputs, and refills what calls write to.
func (m *steady) freshen() error {
	s := m.s
	m.turn++
	s.turn++
	var list []Refilling
	renewals := device.Renewals(len(m.arenas), len(m.run.Cases), s.turn, m.turn == 1, m.run.Cache == "hot", m.coin)
	for i, r := range renewals {
		if err := m.bring(i, r.Set); err != nil {
			return err
		}
	}
	lap, err := s.pack(m.packed, ownSeed)
	if err != nil {
		return err
	}
	for i, r := range renewals {
		if !r.Keep {
			list = append(list, s.outputRefills(m.arenas[i], r.How)...)
		}
	}
	list = append(list, s.scratchRefills(m.scratch, m.call.Scratch, device.Refill(m.coin()))...)
	fill := s.refill
	if m.turn == 1 || lap >= 0 {
		fill = func(list ...Refilling) error { return s.poisonShared(m.contender.program, list...) }
	}
	if err := fill(list...); err != nil {
		return err
	}
	if m.run.Cache == "cold" {
		return s.flushL2()
	}
	return nil
}

// bring gives an arena the inputs of one of the run's sets, if that is planned for it.
func (m *steady) bring(i, set int) error {
	if set < 0 {
		return nil
	}
	m.seeds[i] = set
	return m.s.bring(m.arenas[i], m.run.Cases[set])
}

// Sample times one replay.
func (m *steady) Sample([]int) (device.Reading, error) { return m.replay(m.graph, m.calls) }

// Single times a single call on refilled outputs.
func (m *steady) Single() (device.Reading, error) { return m.replay(m.single, 1) }

func (m *steady) replay(g cuda.Graph, calls int) (r device.Reading, err error) {
	s := m.s
	s.clock.reset()
	if err := s.persist(m.persists); err != nil {
		return r, err
	}
	if err := s.clearCounters(); err != nil {
		return r, err
	}
	if err := m.freshen(); err != nil {
		return r, err
	}
	lap, err := s.timedLaunch(g, calls)
	if err != nil {
		return r, err
	}
	v, at := s.newInspection(), make([]int, min(calls, len(m.arenas)))
	for i := range at {
		at[i] = v.outputs(m.caseOf(), m.arenas[i])
	}
	if err := s.record(m.tape, m.arenas[:len(at)]); err != nil {
		return r, err
	}
	if m.scratch != nil {
		v.guards(m.scratch)
		v.left(m.scratch, m.call.Scratch)
	}
	v.repacked(m.packed...)
	v.variables(m.contender.program)
	if m.watch {
		s.everything(v)
	}
	got, err := s.finish(v, &r)
	if err != nil {
		return r, err
	}
	for i := range at {
		r.Compare(got[at[i]], m.expect, m.seeds[i])
	}
	r.Nanos, err = s.clock.nanos(lap)
	r.Nanos /= float64(calls)
	return r, err
}

// timedLaunch queues a graph's launch between two stamps of the clock, after a spin in which the host gets ahead.
// It returns the lap.
func (s *Session) timedLaunch(g cuda.Graph, calls int) (int, error) {
	stamp := func(at int) error { return s.harness.run("dw_clock", s.dev.SMs, ptr(s.counterAt(at))) }
	if err := stamp(counterStamp0); err != nil {
		return 0, err
	}
	if err := s.harness.run("dw_spin", 1, u64(int(spinBase)+spinPerNode*calls)); err != nil {
		return 0, err
	}
	lap, err := s.clock.next(func() error { return s.drv.LaunchGraph(g, s.stream) })
	if err != nil {
		return lap, err
	}
	return lap, stamp(counterStamp1)
}

// finish waits for a sample, heeds what an inspection found, and reads the clock.
func (s *Session) finish(v *inspection, r *device.Reading) (got []uint64, err error) {
	if err := s.look(v); err != nil {
		return nil, err
	}
	if got, err = s.readCounters(s.counted); err != nil {
		return nil, err
	}
	cycles := float64(got[counterStamp1] - got[counterStamp0])
	if span := float64(got[counterStamp1+1] - got[counterStamp0+1]); span > 0 {
		r.MHz = cycles / span * 1000
	}
	r.Strays, err = s.repair(v, got)
	return got, err
}
