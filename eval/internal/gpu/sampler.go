package gpu

import (
	"errors"
	"math/rand/v2"

	"darwarp/eval/internal/cuda"
	"darwarp/kernels"
)

// spinBase and spinPerNode give the host the time to queue a graph before the stream gets to it.
const (
	spinBase    = 20e3
	spinPerNode = 100
)

// reading is what a sample shows.
type reading struct {
	ns, mhz        float64 // a call, and the SM clock
	repeat         float64 // of a fresh sample: the time of the same calls once more, over ns
	checked, wrong int     // outputs
	strays         *Strays // where it was looked for them
}

// timer takes samples of a contender.
type timer interface {
	sample(turn []int) (reading, error) // turn is which sets a fresh sample is of, in what order
	close() error
}

// steady times one contender on one run: a graph of calls over the run's arenas, replayed on changing inputs, its
// outputs hashed or recorded afterwards.
type steady struct {
	s        *Session
	run      Run
	who      *contender
	call     kernels.Call
	arenas   []*arena
	seeds    []int // by arena: which of the run's sets it holds
	calls    int   // in the graph
	graph    cuda.Graph
	single   cuda.Graph
	expect   []uint64
	turn     int
	scratch  *arena // nil: none
	persists bool   // its launches have L2 access windows
	watch    bool   // everything is looked at after each sample
	tape     *Tape
	dice     *rand.Rand // the same for both sides of a duel, whose pairs would differ by more than the kernels otherwise
}

func (m *steady) coin() bool { return m.dice.Uint64()&1 == 1 }

// newSteady builds the graph. bind makes the work of one call on an arena.
func (s *Session) newSteady(m *steady, bind func(*arena) (*work, error)) (*steady, error) {
	m.s, m.dice = s, rand.New(rand.NewPCG(s.tosses, 0))
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
	m.calls = callsOf(m.caseOf(), m.run.Estimate, len(m.arenas), s.dev.L2Bytes)
	if m.graph, err = s.capture(works, m.calls); err == nil {
		m.single, err = s.capture(works[:1], 1)
	}
	if err != nil {
		return nil, errors.Join(err, m.close())
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

func (m *steady) close() error {
	for _, g := range []cuda.Graph{m.graph, m.single} {
		if g != 0 {
			if err := m.s.drv.DestroyGraph(g); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *steady) caseOf() *Case { return &m.s.prep.Cases[m.run.Cases[0]] }

// freshen gives every hot arena the next set's inputs, and refills what calls write to. Now and then outputs are
// left as they are: the right answer to another set, which a kernel that looks whether its work was done takes for
// its own. Cold arenas keep their inputs, for there are more of them than a cheat could remember.
func (m *steady) freshen() error {
	s := m.s
	m.turn++
	s.turn++
	for i, a := range m.arenas {
		others, keep, how := false, m.coin(), refill(m.coin())
		if m.run.Cache == "hot" {
			m.seeds[i] = (i + s.turn) % len(m.run.Cases)
			if err := s.bring(a, m.run.Cases[m.seeds[i]]); err != nil {
				return err
			}
			others = m.turn > 1 && len(m.run.Cases) > 1
		}
		if others && keep {
			continue
		}
		if err := s.refillOutputs(a, how); err != nil {
			return err
		}
	}
	how := refill(m.coin())
	if m.scratch != nil {
		if err := s.refillScratch(m.scratch, m.call.Scratch, how); err != nil {
			return err
		}
	}
	if m.turn == 1 {
		if err := s.soil(m.who.program); err != nil {
			return err
		}
	}
	if m.run.Cache == "cold" {
		return s.flushL2()
	}
	return nil
}

// sample times one replay.
func (m *steady) sample([]int) (reading, error) { return m.replay(m.graph, m.calls) }

// one times a single call on refilled outputs.
func (m *steady) one() (reading, error) { return m.replay(m.single, 1) }

func (m *steady) replay(g cuda.Graph, calls int) (r reading, err error) {
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
	if _, err := s.timedLaunch(g, calls); err != nil {
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
	v.variables(m.who.program)
	if m.watch {
		s.everything(v)
	}
	got, err := s.finish(v, &r)
	if err != nil {
		return r, err
	}
	for i := range at {
		r.compare(got[at[i]], m.expect, m.seeds[i])
	}
	r.ns, err = s.clock.nanos(0)
	r.ns /= float64(calls)
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
func (s *Session) finish(v *inspection, r *reading) (got []uint64, err error) {
	if err := s.look(v); err != nil {
		return nil, err
	}
	if got, err = s.readCounters(s.counted); err != nil {
		return nil, err
	}
	cycles := float64(got[counterStamp1] - got[counterStamp0])
	if span := float64(got[counterStamp1+1] - got[counterStamp0+1]); span > 0 {
		r.mhz = cycles / span * 1000
	}
	r.strays, err = s.heed(v, got)
	return got, err
}

// compare holds the hash of outputs against what it has to be, where that is known.
func (r *reading) compare(hash uint64, expect []uint64, set int) {
	if set >= len(expect) {
		return
	}
	r.checked++
	if hash != expect[set] {
		r.wrong++
	}
}
