package gpu

import (
	"errors"
	"fmt"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/stats"
	"darwarp/kernels"
)

// contender is a loaded Contender.
type contender struct {
	Contender
	program *program
	scratch *block
}

func (s *Session) enter(c Contender, scratch *block) (*contender, error) {
	out := &contender{Contender: c, scratch: scratch}
	if c.Library {
		return out, nil
	}
	var err error
	out.program, err = s.load(c.Cubin, c.Calls)
	return out, err
}

func (s *Session) leave(c *contender) error { return s.unload(c.program) }

// sampler makes a contender's sampler for one run; which is the run's index in its Calls and Expect.
func (s *Session) samplerOf(c *contender, run Run, which int) (*sampler, error) {
	var expect []uint64
	if which < len(c.Expect) {
		expect = c.Expect[which]
	}
	if c.Library {
		return s.newSampler(run, expect, func(a *arena) (*work, error) { return s.library.work(s, run, a) })
	}
	call := c.Calls[which]
	scratch, err := s.placeScratch(c.scratch, call, poisonNaN)
	if err != nil {
		return nil, err
	}
	m, err := s.newSampler(run, expect, func(a *arena) (*work, error) {
		return s.bind(c.program, call, &s.prep.Cases[run.Cases[0]], a, scratch)
	})
	if err == nil {
		m.scratch = scratch
	}
	return m, err
}

// time measures a contender on its runs, in order, and stops after the first that is hopeless.
func (s *Session) time(req *Time, phase func(string)) (*TimeReply, error) {
	reply := &TimeReply{}
	c, err := s.enter(req.Contender, &s.scratch[0])
	if err != nil {
		return reply, s.blame(&reply.Fault, "load", err, c)
	}
	for i, run := range req.Runs {
		phase("time " + run.Workload)
		got, err := s.timeRun(c, run, i, req)
		if err != nil {
			return reply, s.blame(&reply.Fault, "time "+run.Workload, err, c)
		}
		reply.Runs = append(reply.Runs, got)
		if got.Screened && !req.Each {
			break
		}
	}
	return reply, s.leave(c)
}

// blame files an error as the candidate's fault, and unloads what was loaded unless the process is lost.
func (s *Session) blame(into **Fault, where string, err error, loaded ...*contender) error {
	if *into, err = fault(where, err); err != nil || (*into).Sticky {
		return err
	}
	for _, c := range loaded {
		err = errors.Join(err, s.leave(c))
	}
	return err
}

// singles is how many single calls on poisoned outputs are timed to be held against the graph.
const singles = 3

func (s *Session) timeRun(c *contender, run Run, which int, req *Time) (out RunReply, err error) {
	m, err := s.samplerOf(c, run, which)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, m.close(), s.restore(run)) }()
	if err = s.takeSamples(m, run.Bar, req, &out); err == nil {
		out.Guard, err = m.strayed()
	}
	return out, errors.Join(err, s.unchanged(c.program))
}

// takeSamples takes as many as the request and what they show ask for.
func (s *Session) takeSamples(m *sampler, bar float64, req *Time, out *RunReply) (err error) {
	out.Calls = m.calls
	if _, _, err := m.sample(); err != nil { // warm up
		return err
	}
	if req.Count > 0 {
		return exactly(m, req.Count, out)
	}
	if out.Screened, err = s.screen(m, bar, out); err != nil || out.Screened {
		return err
	}
	if err := s.fitness(m, req.Final, out); err != nil {
		return err
	}
	var single []float64
	for range singles {
		ns, err := m.one()
		if err != nil {
			return err
		}
		single = append(single, ns)
	}
	out.Single, out.Checked, out.Wrong = stats.Median(single), m.checked, m.wrong
	return nil
}

// screen takes the first samples and reports whether the run is far behind the bar.
func (s *Session) screen(m *sampler, bar float64, out *RunReply) (bool, error) {
	rule := stats.NewScreen(bar)
	for {
		ns, mhz, err := m.sample()
		if err != nil {
			return false, err
		}
		out.Samples, out.Clock = append(out.Samples, ns), mhz
		out.Checked, out.Wrong = m.checked, m.wrong
		if rule.Add(ns) {
			return rule.Slow(), nil
		}
	}
}

// exactly takes so many samples, no more and no less.
func exactly(m *sampler, count int, out *RunReply) error {
	var clocks []float64
	for range count {
		ns, mhz, err := m.sample()
		if err != nil {
			return err
		}
		out.Samples, clocks = append(out.Samples, ns), append(clocks, mhz)
	}
	out.Clock, out.Checked, out.Wrong = stats.Median(clocks), m.checked, m.wrong
	return nil
}

// maxRejected is how many samples may be thrown away because the clock fell while they were taken.
const maxRejected = 10

// fitness samples until the stopping rule is content. Samples whose clock is far below the run's
// usual one are taken again: they say more about the machine than about the kernel.
func (s *Session) fitness(m *sampler, final bool, out *RunReply) error {
	limits := stats.Fitness
	if final {
		limits = stats.Final
	}
	rule := stats.NewStop(limits, m.calls)
	clocks := []float64{}
	for _, ns := range out.Samples { // of the screen: as good as those to come
		rule.Add(ns)
	}
	for {
		ns, mhz, err := m.sample()
		if err != nil {
			return err
		}
		if mhz > 0 && len(clocks) >= 5 && mhz < clockFloor*stats.Median(clocks) && out.Rejected < maxRejected {
			out.Rejected++
			continue
		}
		clocks = append(clocks, mhz)
		out.Samples = append(out.Samples, ns)
		if rule.Add(ns) {
			out.Clock = stats.Median(clocks)
			return nil
		}
	}
}

// clockFloor is the share of the usual SM clock below which a sample is rejected. A kernel that
// draws much power lowers the clock for good: that is its speed, and is not rejected.
const clockFloor = 0.9

// duel measures two contenders in turn: A B B A A B B A ...
func (s *Session) duel(req *Duel, phase func(string)) (*DuelReply, error) {
	reply := &DuelReply{}
	phase("duel " + req.Run.Workload)
	a, err := s.enter(req.A, &s.scratch[0])
	if err != nil {
		return reply, s.blame(&reply.Fault, "load A", err, a)
	}
	b, err := s.enter(req.B, &s.scratch[1])
	if err != nil {
		return reply, s.blame(&reply.Fault, "load B", err, a, b)
	}
	if err := s.pairs(a, b, req, reply); err != nil {
		return reply, s.blame(&reply.Fault, "duel "+req.Run.Workload, err, a, b)
	}
	return reply, errors.Join(s.leave(a), s.leave(b))
}

func (s *Session) pairs(a, b *contender, req *Duel, reply *DuelReply) (err error) {
	ma, err := s.samplerOf(a, req.Run, req.Which)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ma.close()) }()
	mb, err := s.samplerOf(b, req.Run, req.Which)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mb.close(), s.restore(req.Run)) }()
	for _, m := range []*sampler{ma, mb} { // warm up
		if _, _, err := m.sample(); err != nil {
			return err
		}
	}
	for i := range req.Pairs {
		order := []*sampler{ma, mb}
		if !stats.ChampionFirst(i) {
			order = []*sampler{mb, ma}
		}
		for _, m := range order {
			ns, mhz, err := m.sample()
			if err != nil {
				return err
			}
			if m == ma {
				reply.A, reply.ClockA = append(reply.A, ns), append(reply.ClockA, mhz)
			} else {
				reply.B, reply.ClockB = append(reply.B, ns), append(reply.ClockB, mhz)
			}
		}
	}
	reply.Wrong = ma.wrong + mb.wrong
	for _, m := range []*sampler{ma, mb} {
		n, err := m.strayed()
		if err != nil {
			return err
		}
		reply.Guard += n
	}
	return errors.Join(s.unchanged(a.program), s.unchanged(b.program))
}

// ceilings measures what this device can do at most: device memory, L2 and the matrix units.
func (s *Session) ceilings(req *Ceilings) (*kernels.Ceilings, error) {
	out := &kernels.Ceilings{}
	large := min(1<<30, s.dev.MemoryBytes/8)
	engine, err := s.copyRate(large, 4, func(dst, src cuda.Ptr) error {
		return s.drv.DtoDAsync(dst, src, uint64(large), s.stream)
	})
	if err != nil {
		return nil, fmt.Errorf("copy: %w", err)
	}
	kernel, err := s.copyRate(large, 4, func(dst, src cuda.Ptr) error {
		return s.harness.run("dw_copy", 32*s.dev.SMs, ptr(dst), ptr(src), u64(large/16))
	})
	if err != nil {
		return nil, fmt.Errorf("copy: %w", err)
	}
	out.Bandwidth = max(engine, kernel) // which of them is faster depends on the GPU
	small := s.dev.L2Bytes / 8 &^ 255
	if out.L2, err = s.copyRate(small, 100, func(dst, src cuda.Ptr) error {
		return s.harness.run("dw_copy", 8*s.dev.SMs, ptr(dst), ptr(src), u64(small/16))
	}); err != nil {
		return nil, fmt.Errorf("copy in L2: %w", err)
	}
	if s.library != nil {
		out.Matrix, err = s.library.peak(s, req.DType)
	}
	return out, err
}

// copyRate is the rate of copying n bytes again and again, in bytes read and written per second: the
// best of three replays of a graph of `times` copies.
func (s *Session) copyRate(n, times int, put func(dst, src cuda.Ptr) error) (float64, error) {
	at, err := s.drv.Alloc(uint64(2 * n))
	if err != nil {
		return 0, err
	}
	defer s.drv.Free(at)
	g, err := s.drv.Capture(s.stream, func() error {
		for range times {
			if err := put(at+cuda.Ptr(n), at); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	defer s.drv.DestroyGraph(g)
	best := 0.0
	for range 3 {
		var ns float64
		if err := s.timed(func() error { return s.drv.LaunchGraph(g, s.stream) }, &ns); err != nil {
			return 0, err
		}
		best = max(best, 2*float64(n)*float64(times)/(ns*1e-9))
	}
	return best, nil
}
