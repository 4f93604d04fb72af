package cpu

import (
	"errors"
	"math"
	"time"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/stats"
	"darwarp/kernels"
)

// How a sample is made: calls are repeated until they fill a region that the clock and the
// scheduler's ticks do not blur, at most maxCalls of them.
const (
	regionNs = 1e6
	maxCalls = 64
)

// reading is what a sample shows.
type reading struct {
	ns             float64 // a call
	repeat         float64 // of a fresh sample: the time of the same calls once more, over ns
	checked, wrong int     // outputs
	strays         *device.Strays
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

// sampler times one contender on one run.
type sampler struct {
	s       *Session
	run     device.Run
	call    kernels.Call
	program *program
	arenas  []*arena // by set
	works   []*work
	scratch []*arena // by set; steady samples have one for all
	calls   int      // of a steady sample
	expect  []uint64
	tape    *device.Tape
	turn    int
}

// newSampler loads a contender for one run; which is the run's index in its Calls and Expect.
func (s *Session) newSampler(c device.Contender, run device.Run, which int, tape *device.Tape) (m *sampler, err error) {
	m = &sampler{s: s, run: run, call: c.Calls[which], tape: tape, calls: len(run.Cases)}
	if which < len(c.Expect) {
		m.expect = c.Expect[which]
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.close())
		}
	}()
	if m.program, err = load(c.Cubin, []kernels.Call{m.call}); err != nil {
		return m, err
	}
	for set := range run.Cases {
		if err := m.add(set); err != nil {
			return m, err
		}
	}
	if run.Estimate > 0 {
		m.calls = max(1, min(maxCalls, int(math.Ceil(regionNs/run.Estimate))))
	}
	if run.Cache == "cold" { // every call must miss
		m.calls = 1
	}
	return m, nil
}

// add takes an arena and scratch for a set.
func (m *sampler) add(set int) (err error) {
	s, i := m.s, m.run.Cases[set]
	a := s.arenas[i]
	if err := a.wake(); err != nil {
		return err
	}
	m.arenas = append(m.arenas, a)
	s.hold(a, i)
	if len(m.scratch) == 0 || m.run.Fresh > 0 {
		scratch, err := s.placeScratch(m.call)
		if err != nil {
			return err
		}
		m.scratch = append(m.scratch, scratch)
	}
	w, err := m.program.bind(m.call, &s.prep.Cases[i], a, m.scratch[len(m.scratch)-1])
	m.works = append(m.works, w)
	return err
}

// close unloads the contender and puts its arenas to rest. Both sides of a duel have the same ones.
func (m *sampler) close() error {
	errs := []error{m.program.unload()}
	for _, a := range m.arenas {
		errs = append(errs, a.rest())
	}
	for _, a := range m.scratch {
		errs = append(errs, a.free())
	}
	return errors.Join(errs...)
}

// freshen gives every arena that is about to be used the next set's inputs, and refills what calls write to. As on
// a GPU, outputs are left now and then: they hold the right answer to another set.
func (m *sampler) freshen() {
	m.turn++
	m.s.turn++
	for i := range min(m.calls, len(m.works)) {
		m.s.hold(m.arenas[i], m.run.Cases[(i+m.s.turn)%len(m.run.Cases)])
		if m.turn == 1 || len(m.run.Cases) < 2 || m.s.coin() {
			m.s.refillOutputs(m.arenas[i], m.s.anyRefill())
		}
	}
	m.clean(0)
}

// clean refills scratch, and flushes the caches of cold runs.
func (m *sampler) clean(set int) {
	if a := m.scratch[set]; a != nil {
		m.s.refillScratch(a, m.call.Scratch, m.s.anyRefill())
	}
	if m.run.Cache == "cold" {
		if m.s.flush == nil {
			m.s.flush = make([]byte, 2*m.s.dev.L2Bytes)
		}
		fill(m.s.flush, byte(m.s.rng.Uint64()))
	}
}

// sample is the time of a call in ns, and what the calls have done. turn is which sets a fresh sample is of, in
// what order.
func (m *sampler) sample(turn []int) (r reading, err error) {
	if m.run.Fresh > 0 {
		return m.fresh(turn)
	}
	m.freshen()
	start := time.Now()
	for i := range m.calls {
		if err := m.works[i%len(m.works)].do(runOptions{}); err != nil {
			return r, err
		}
	}
	r.ns = float64(time.Since(start).Nanoseconds()) / float64(m.calls)
	used := m.arenas[:min(m.calls, len(m.arenas))]
	for _, a := range used {
		m.judge(&r, a)
	}
	m.record(used)
	r.strays = r.strays.Join(m.strays())
	return r, nil
}

// fresh takes one call for each of some sets, after everything was refilled, and then the same calls once more.
func (m *sampler) fresh(turn []int) (r reading, err error) {
	var used []*arena
	for _, set := range turn {
		m.s.refillOutputs(m.arenas[set], m.s.anyRefill())
		m.clean(set)
		used = append(used, m.arenas[set])
	}
	var took [2]float64
	for round := range took {
		start := time.Now()
		for _, set := range turn {
			if err := m.works[set].do(runOptions{}); err != nil {
				return r, err
			}
		}
		took[round] = float64(time.Since(start).Nanoseconds())
		for _, a := range used {
			m.judge(&r, a)
		}
		if round == 0 {
			m.record(used)
		}
	}
	r.ns, r.repeat = took[0]/float64(len(turn)), took[1]/took[0]
	r.strays = m.strays()
	return r, nil
}

func (m *sampler) judge(r *reading, a *arena) {
	for set, i := range m.run.Cases {
		if i == a.holds {
			r.compare(hashOutputs(&m.s.prep.Cases[i], a), m.expect, set)
		}
	}
}

func (m *sampler) record(used []*arena) {
	var cases []int
	for _, a := range used {
		cases = append(cases, a.holds)
	}
	_ = m.tape.Take(cases, m.s.rng, func(k, at int) error { m.s.copyOut(used[k], at); return nil })
}

// strays looks at all that the calls could reach, and makes it as new.
func (m *sampler) strays() (found *device.Strays) {
	for _, a := range m.arenas {
		found = found.Join(m.s.inspect(a))
	}
	for _, a := range m.scratch {
		found = found.Join(inspectScratch(a, m.call.Scratch, m.s.prep.Cases[m.run.Cases[0]].Name))
	}
	return found
}

// time measures a contender on its runs, in order, and stops after the first that is hopeless.
func (s *Session) time(req *device.Time, phase func(string)) (*device.TimeReply, error) {
	reply := &device.TimeReply{}
	for i, run := range req.Runs {
		phase("time " + run.Workload)
		got, strays, err := s.timeRun(req, run, i)
		if err != nil {
			reply.Fault, err = blame("time "+run.Workload, err)
			return reply, err
		}
		reply.Runs, reply.Strays = append(reply.Runs, got), reply.Strays.Join(strays)
		if got.Screened && !req.Each {
			break
		}
	}
	return reply, nil
}

// timeRun takes samples until the screen or the stopping rule has seen enough, or as many as are asked for. Every
// sample is of calls on refilled outputs, so that no single calls are needed to hold against them.
func (s *Session) timeRun(req *device.Time, run device.Run, which int) (out device.RunReply, found *device.Strays, err error) {
	tape := s.prep.NewTape(req.Record, 0, req.Count)
	m, err := s.newSampler(req.Contender, run, which, tape)
	if err != nil {
		return out, nil, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	take := func() (float64, error) {
		r, err := m.sample(nil)
		out.Checked, out.Wrong, found = out.Checked+r.checked, out.Wrong+r.wrong, found.Join(r.strays)
		return r.ns, err
	}
	tape.Pause(true)
	if _, err := take(); err != nil { // warm up
		return out, found, err
	}
	tape.Pause(false)
	out.Calls = m.calls
	if req.Count > 0 {
		for range req.Count {
			ns, err := take()
			if err != nil {
				return out, found, err
			}
			out.Samples = append(out.Samples, ns)
		}
		out.Recorded = tape.Cases()
		return out, found, nil
	}
	err = rules(&out, run.Bar, req.Final, m.calls, take)
	return out, found, err
}

// rules takes samples until the screen or the stopping rule has seen enough.
func rules(out *device.RunReply, bar float64, last bool, calls int, take func() (float64, error)) error {
	limits := stats.Emulated
	if last {
		limits = stats.EmulatedFinal
	}
	screen, stop := stats.NewScreen(bar), stats.NewStop(limits, calls)
	for screening, done := true, false; !done; {
		ns, err := take()
		if err != nil {
			return err
		}
		done = stop.Add(ns)
		if screening && screen.Add(ns) {
			screening, out.Screened = false, screen.Slow()
			done = done || out.Screened
		}
	}
	out.Samples = stop.Samples()
	return nil
}
