package cpu

import (
	"errors"
	"math"
	"time"

	"darwarp/eval/internal/gpu"
	"darwarp/eval/internal/stats"
	"darwarp/kernels"
)

// How a sample is made: calls are repeated until they fill a region that the clock and the
// scheduler's ticks do not blur, at most maxCalls of them.
const (
	regionNs = 1e6
	maxCalls = 64
)

// A processor that compiles beside timing is noisier than a GPU, and slower by orders of magnitude: the
// rules ask for less than those of a GPU. A final figure, which is published, takes more.
var (
	fitness = stats.Limits{Min: 4, Max: 20, Noise: 0.02, GPU: 15 * time.Millisecond, Wall: 500 * time.Millisecond}
	final   = stats.Limits{Min: 15, Max: 60, Noise: 0.01, GPU: time.Second, Wall: 3 * time.Second}
)

// sampler times one contender on one run: calls over the run's arenas, on changing inputs, with their
// outputs hashed afterwards.
type sampler struct {
	s       *Session
	run     gpu.Run
	program *program
	scratch *arena
	works   []*work // by arena
	seeds   []int   // by arena: which seed it holds
	calls   int     // a sample
	expect  []uint64
	turn    int

	checked, wrong int
}

// newSampler loads a contender for one run; which is the run's index in its Calls and Expect.
func (s *Session) newSampler(c gpu.Contender, run gpu.Run, which int) (*sampler, error) {
	m := &sampler{s: s, run: run, seeds: make([]int, len(run.Cases)), calls: len(run.Cases)}
	if which < len(c.Expect) {
		m.expect = c.Expect[which]
	}
	call := c.Calls[which]
	var err error
	if m.program, err = load(c.Cubin, []kernels.Call{call}); err != nil {
		return nil, err
	}
	if m.scratch, err = s.placeScratch(call, poisonNaN); err != nil {
		return nil, errors.Join(err, m.close())
	}
	for _, i := range run.Cases {
		w, err := m.program.bind(call, &s.prep.Cases[i], s.arenas[i], m.scratch)
		if err != nil {
			return nil, errors.Join(err, m.close())
		}
		m.works = append(m.works, w)
	}
	if run.Estimate > 0 {
		m.calls = max(1, min(maxCalls, int(math.Ceil(regionNs/run.Estimate))))
	}
	if run.Cache == "cold" { // every call must miss
		m.calls = 1
	}
	return m, nil
}

// close unloads the contender and gives the cases of its run their own inputs back.
func (m *sampler) close() error {
	for _, i := range m.run.Cases {
		m.s.restore(m.s.arenas[i], i)
	}
	return errors.Join(m.scratch.free(), m.program.unload())
}

// freshen gives every arena that is about to be used the next seed's inputs. Outputs are poisoned every
// other time, as on a GPU: in between they hold the right answer to the other seed.
func (m *sampler) freshen() {
	m.turn++
	m.s.turn++
	for i := range min(m.calls, len(m.works)) {
		at := m.run.Cases[i]
		m.seeds[i] = (i + m.s.turn) % len(m.run.Cases)
		m.s.restore(m.s.arenas[at], m.run.Cases[m.seeds[i]])
		if m.turn%4 < 2 || len(m.run.Cases) < 2 {
			poison(&m.s.prep.Cases[at], m.s.arenas[at], poisonNaN)
		}
	}
	if m.run.Cache == "cold" {
		if m.s.flush == nil {
			m.s.flush = make([]byte, 2*m.s.dev.L2Bytes)
		}
		fill(m.s.flush, byte(m.turn))
	}
}

// sample is the time of one call in ns.
func (m *sampler) sample() (float64, error) {
	m.freshen()
	start := time.Now()
	for i := range m.calls {
		if err := m.works[i%len(m.works)].do(runOptions{}); err != nil {
			return 0, err
		}
	}
	ns := float64(time.Since(start).Nanoseconds()) / float64(m.calls)
	if len(m.expect) == 0 {
		return ns, nil
	}
	for i := range min(m.calls, len(m.works)) {
		at := m.run.Cases[i]
		m.checked++
		if hashOutputs(&m.s.prep.Cases[at], m.s.arenas[at]) != m.expect[m.seeds[i]] {
			m.wrong++
		}
	}
	return ns, nil
}

// strayed counts the bytes that the run's calls wrote outside of their buffers, and makes every case as new where they
// did: the next candidate must not be blamed for it.
func (m *sampler) strayed() int {
	n := 0
	if m.scratch != nil {
		n = m.scratch.damage()
	}
	for _, i := range m.run.Cases {
		n += m.s.arenas[i].damage()
	}
	if n > 0 {
		m.s.cleanse()
	}
	return n
}

// time measures a contender on its runs, in order, and stops after the first that is hopeless.
func (s *Session) time(req *gpu.Time, phase func(string)) (*gpu.TimeReply, error) {
	reply := &gpu.TimeReply{}
	for i, run := range req.Runs {
		phase("time " + run.Workload)
		got, err := s.timeRun(req, run, i)
		if err != nil {
			reply.Fault, err = blame("time "+run.Workload, err)
			return reply, err
		}
		if reply.Runs = append(reply.Runs, got); got.Screened && !req.Each {
			break
		}
	}
	return reply, nil
}

// timeRun takes samples until the screen or the stopping rule has seen enough. Every sample is of
// calls on poisoned outputs, so that no single calls are needed to hold against them.
func (s *Session) timeRun(req *gpu.Time, run gpu.Run, which int) (out gpu.RunReply, err error) {
	m, err := s.newSampler(req.Contender, run, which)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	limits := fitness
	if req.Final {
		limits = final
	}
	if _, err := m.sample(); err != nil { // warm up
		return out, err
	}
	screen, stop := stats.NewScreen(run.Bar), stats.NewStop(limits, m.calls)
	for screening, done := true, false; !done; {
		ns, err := m.sample()
		if err != nil {
			return out, err
		}
		done = stop.Add(ns)
		if screening && screen.Add(ns) {
			screening, out.Screened = false, screen.Slow()
			done = done || out.Screened
		}
	}
	out.Samples, out.Calls, out.Checked, out.Wrong, out.Guard = stop.Samples(), m.calls, m.checked, m.wrong, m.strayed()
	return out, nil
}

// duel measures two contenders in turn: A B B A A B B A ...
func (s *Session) duel(req *gpu.Duel, phase func(string)) (*gpu.DuelReply, error) {
	reply := &gpu.DuelReply{}
	phase("duel " + req.Run.Workload)
	err := s.pairs(req, reply)
	if err != nil {
		reply.Fault, err = blame("duel "+req.Run.Workload, err)
	}
	return reply, err
}

func (s *Session) pairs(req *gpu.Duel, reply *gpu.DuelReply) (err error) {
	var ms [2]*sampler
	for i, c := range []gpu.Contender{req.A, req.B} {
		m, err := s.newSampler(c, req.Run, req.Which)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, m.close()) }()
		if _, err := m.sample(); err != nil { // warm up
			return err
		}
		ms[i] = m
	}
	into := [2]*[]float64{&reply.A, &reply.B}
	for i := range req.Pairs {
		first := 0
		if !stats.ChampionFirst(i) {
			first = 1
		}
		for _, side := range []int{first, 1 - first} {
			ns, err := ms[side].sample()
			if err != nil {
				return err
			}
			*into[side] = append(*into[side], ns)
		}
	}
	reply.Wrong = ms[0].wrong + ms[1].wrong
	reply.Guard = ms[0].strayed() + ms[1].strayed()
	return nil
}
