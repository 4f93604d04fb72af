package gpu

import (
	"errors"
	"fmt"
	"math"

	"darwarp/eval/internal/cuda"
)

// MaxCalls is how many calls a graph has at most, here and in what is timed elsewhere in the same way: more nodes
// cost more to build than they tell.
const MaxCalls = 256

// How a sample is made.
const (
	// spinBase and spinPerNode give the host the time to queue a graph before the stream gets to it.
	spinBase    = 20e3
	spinPerNode = 100
	// checkBytes is the size of outputs up to which every sample's are compared; larger ones are
	// compared one time in checkEvery.
	checkBytes = 64 << 20
	checkEvery = 8
)

// sampler times one contender on one run: a graph of calls over the run's arenas, replayed on
// changing inputs, its outputs hashed afterwards.
type sampler struct {
	s      *Session
	run    Run
	arenas []*arena
	seeds  []int // by arena: which seed it holds
	calls  int   // in the graph
	graph  cuda.Graph
	single cuda.Graph
	expect []uint64
	turn   int

	scratch  *arena // nil: none
	persists bool   // its launches have L2 access windows

	checked, wrong int
}

// newSampler builds the graph. bind makes the work of one call on an arena.
func (s *Session) newSampler(run Run, expect []uint64, bind func(*arena) (*work, error)) (*sampler, error) {
	m := &sampler{s: s, run: run, expect: expect}
	var err error
	if m.arenas, m.seeds, err = s.runArenas(run); err != nil {
		return nil, err
	}
	works := make([]*work, len(m.arenas))
	for i, a := range m.arenas {
		if works[i], err = bind(a); err != nil {
			return nil, err
		}
		m.persists = m.persists || works[i].persists
	}
	m.calls = len(m.arenas)
	if run.Estimate > 0 {
		m.calls = max(m.calls, min(MaxCalls, int(math.Ceil(m.caseOf().Region(s.dev.L2Bytes)/run.Estimate))))
	}
	m.calls += (len(m.arenas) - m.calls%len(m.arenas)) % len(m.arenas)
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

func (m *sampler) close() error {
	for _, g := range []cuda.Graph{m.graph, m.single} {
		if g != 0 {
			if err := m.s.drv.DestroyGraph(g); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *sampler) caseOf() *Case { return &m.s.prep.Cases[m.run.Cases[0]] }

// freshen gives every arena the next seed's inputs. Outputs are poisoned every other time; in between they
// keep the right answer to the other seed, which a kernel that looks whether its work was done takes for
// its own. Cold arenas keep their inputs, for there are more of them than a cheat could remember, and
// are poisoned with a byte that none can know.
func (m *sampler) freshen() error {
	c := m.caseOf()
	m.turn++
	m.s.turn++
	for i, a := range m.arenas {
		value := uint8(poisonNaN)
		if m.run.Cache == "hot" {
			m.seeds[i] = (i + m.s.turn) % len(m.run.Cases)
			if err := m.s.fill(c, a, m.s.prep.Cases[m.run.Cases[m.seeds[i]]].Seed); err != nil {
				return err
			}
			if m.turn%4 >= 2 && len(m.run.Cases) > 1 {
				continue
			}
		} else {
			value = SecretByte(m.s.prep.GuardKey, m.s.turn)
		}
		if err := m.s.poison(c, a, value); err != nil {
			return err
		}
	}
	if m.run.Cache == "cold" {
		return m.s.drv.Memset8(m.s.flush.at, uint8(m.turn), uint64(m.s.flush.bytes), m.s.stream)
	}
	return nil
}

// SecretByte is a byte that a candidate cannot foresee: of splitmix64's stream from the session's key
// (Steele, Lea, Flood, 2014).
func SecretByte(key uint64, turn int) uint8 { return uint8(splitmix(key, turn) >> 56) }

// splitmix is the turn-th number of splitmix64's stream.
func splitmix(key uint64, turn int) uint64 {
	z := key + uint64(turn)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// sample times one replay. It returns ns a call and the SM clock in MHz.
func (m *sampler) sample() (ns, mhz float64, err error) {
	ns, mhz, err = m.replay(m.graph, m.calls)
	return ns / float64(m.calls), mhz, err
}

// one times a single call on poisoned outputs.
func (m *sampler) one() (float64, error) {
	ns, _, err := m.replay(m.single, 1)
	return ns, err
}

const (
	counterStamp0 = maxCounters - 4
	counterStamp1 = maxCounters - 2
)

func (m *sampler) replay(g cuda.Graph, calls int) (ns, mhz float64, err error) {
	s := m.s
	steps := []func() error{
		func() error { return s.persist(m.persists) },
		s.clearCounters,
		m.freshen,
		func() error { return s.harness.run("dw_clock", s.dev.SMs, ptr(s.counterAt(counterStamp0))) },
		func() error { return s.harness.run("dw_spin", 1, u64(int(spinBase)+spinPerNode*calls)) },
		func() error { return s.drv.Record(s.start, s.stream) },
		func() error { return s.drv.LaunchGraph(g, s.stream) },
		func() error { return s.drv.Record(s.stop, s.stream) },
		func() error { return s.harness.run("dw_clock", s.dev.SMs, ptr(s.counterAt(counterStamp1))) },
		func() error { return m.hash(calls) },
	}
	for _, f := range steps {
		if err := f(); err != nil {
			return 0, 0, err
		}
	}
	got, err := s.readCounters(maxCounters) // 32 KiB: the stamps are at the end
	if err != nil {
		return 0, 0, err
	}
	d, err := s.drv.Elapsed(s.start, s.stop)
	if err != nil {
		return 0, 0, err
	}
	m.compare(got, calls)
	cycles := float64(got[counterStamp1] - got[counterStamp0])
	span := float64(got[counterStamp1+1] - got[counterStamp0+1])
	if span > 0 {
		mhz = cycles / span * 1000
	}
	return float64(d.Nanoseconds()), mhz, nil
}

// due says whether this sample's outputs are compared.
func (m *sampler) due() bool {
	return len(m.expect) > 0 && (m.caseOf().OutBytes() <= checkBytes || m.turn%checkEvery == 1)
}

func (m *sampler) hash(calls int) error {
	if !m.due() {
		return nil
	}
	for i, a := range m.arenas[:min(calls, len(m.arenas))] {
		if err := m.s.hashOutputs(a, m.caseOf(), i); err != nil {
			return err
		}
	}
	return nil
}

func (m *sampler) compare(got []uint64, calls int) {
	if !m.due() {
		return
	}
	for i := range m.arenas[:min(calls, len(m.arenas))] {
		m.checked++
		if got[i] != m.expect[m.seeds[i]] {
			m.wrong++
		}
	}
}

// strayed counts the bytes that the run's launches wrote outside of their buffers, and makes every case as new where
// they did: the next candidate must not be blamed for it. Arenas of cold runs lie in allocations of their own, without a
// pattern around them.
func (m *sampler) strayed() (int, error) {
	s := m.s
	if err := s.clearCounters(); err != nil {
		return 0, err
	}
	if m.run.Cache == "hot" {
		for _, a := range m.arenas {
			if err := s.checkGuards(a, s.prep.GuardKey, 0); err != nil {
				return 0, err
			}
		}
	}
	if m.scratch != nil {
		if err := s.checkGuards(m.scratch, s.prep.GuardKey^scratchKey, 0); err != nil {
			return 0, err
		}
	}
	got, err := s.readCounters(1)
	if err != nil || got[0] == 0 {
		return 0, err
	}
	return int(got[0]), s.resetAll()
}

// cold is the arenas of a run whose data must not be in L2: together they are several times its size.
type cold struct {
	arenas []*arena
	seeds  []int
}

// Footprints, as multiples of L2. A hot run's arenas must fit well inside; a cold run's must push
// each other out (NVIDIA CUTLASS' profiler rotates over 3 x L2 for the same reason).
const (
	hotShare   = 0.5
	coldShare  = 3
	maxCold    = 64
	flushShare = 2
)

// runArenas chooses the arenas that a run rotates through, and which seed each holds.
func (s *Session) runArenas(run Run) ([]*arena, []int, error) {
	var arenas []*arena
	var seeds []int
	for i, c := range run.Cases {
		arenas, seeds = append(arenas, s.arenas[c]), append(seeds, i)
	}
	if run.Cache == "hot" {
		n := s.prep.Cases[run.Cases[0]].Rotation("hot", len(arenas), s.dev.L2Bytes)
		return arenas[:n], seeds[:n], nil
	}
	got, err := s.coldArenas(run)
	if err != nil {
		return nil, nil, err
	}
	return got.arenas, got.seeds, nil
}

func footprint(c *Case) int {
	n := 0
	for _, b := range c.Buffers {
		n += b.Bytes()
	}
	return n
}

// coldCount is how many arenas of a case a cold run rotates through.
func coldCount(c *Case, l2 int) int {
	return max(2, min(maxCold, 1+int(coldShare*float64(l2)/float64(footprint(c)))))
}

// Rotation is how many sets of the case's buffers a run goes through, of which there are so many with
// inputs of their own.
func (c *Case) Rotation(cache string, seeds, l2 int) int {
	switch {
	case cache == "cold":
		return coldCount(c, l2)
	case float64(2*footprint(c)) > hotShare*float64(l2):
		return 1
	}
	return seeds
}

// Least length of a sample in ns. A shorter one than regionNs would be known to worse than 0.25 %, since events
// resolve half a microsecond. Where a call moves more than L2 holds, the first one also waits until the lines that
// fresh inputs and poison have left dirty are written back, and those of the last call are nobody's: 60 MB on an
// H200 are 15 us, which regionBeyondL2 keeps below 0.8 %.
const (
	regionNs       = 200e3
	regionBeyondL2 = 2e6
)

// Region is how many ns a sample of the case lasts at least.
func (c *Case) Region(l2 int) float64 {
	if footprint(c) > l2 {
		return regionBeyondL2
	}
	return regionNs
}

// FlushBytes is what a cold sample writes before it starts.
func FlushBytes(l2 int) int { return flushShare * l2 }

// ColdBytes is the device memory that a cold run of a case takes, with the buffer that flushes L2.
func (c *Case) ColdBytes(l2 int) int { return coldCount(c, l2)*c.ArenaBytes() + flushShare*l2 }

// coldArenas allocates, once per workload, what a cold run needs. Arenas of another workload are
// given back first: they can be large.
func (s *Session) coldArenas(run Run) (*cold, error) {
	if err := s.grow(&s.flush, flushShare*s.dev.L2Bytes); err != nil {
		return nil, fmt.Errorf("flush buffer: %w", err)
	}
	if got := s.cold[run.Workload]; got != nil {
		return got, nil
	}
	for name, other := range s.cold {
		for _, a := range other.arenas {
			if err := s.drv.Free(a.base); err != nil {
				return nil, err
			}
		}
		delete(s.cold, name)
	}
	c := &s.prep.Cases[run.Cases[0]]
	got := &cold{}
	for i := range coldCount(c, s.dev.L2Bytes) {
		base, err := s.drv.Alloc(uint64(c.ArenaBytes()))
		if err != nil {
			return nil, fmt.Errorf("cold buffers: %w", err)
		}
		a, seed := newArena(base, sizesOf(c.Buffers)), i%len(run.Cases)
		if err := s.fill(c, a, s.prep.Cases[run.Cases[seed]].Seed); err != nil {
			return nil, err
		}
		got.arenas, got.seeds = append(got.arenas, a), append(got.seeds, seed)
	}
	s.cold[run.Workload] = got
	return got, nil
}

// restore gives the cases of a run their own inputs back.
func (s *Session) restore(run Run) error {
	for _, i := range run.Cases {
		if err := s.fill(&s.prep.Cases[i], s.arenas[i], s.prep.Cases[i].Seed); err != nil {
			return err
		}
	}
	return s.drv.SyncStream(s.stream)
}
