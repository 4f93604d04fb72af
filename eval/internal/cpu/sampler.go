package cpu

import (
	"errors"
	"math"
	"time"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// How a sample is made: calls are repeated until they fill a region that the clock and the
// scheduler's ticks do not blur, at most maxCalls of them.
const (
	regionNs = 1e6
	maxCalls = 64
)

// sampler times one contender on one run.
type sampler struct {
	s       *Session
	run     device.Run
	call    kernels.Call
	program *program
	arenas  []*arena // by set
	works   []*work
	scratch []*arena // by set; steady samples have one for all
	packed  []*packing
	calls   int // of a steady sample
	expect  []uint64
	tape    *device.Tape
	turn    int
}

// sampler loads a contender for one run; which is the run's index in its Calls and Expect.
func (s *Session) sampler(c device.Contender, run device.Run, which int, tape *device.Tape) (device.Sampler, error) {
	m := &sampler{s: s, run: run, call: c.Calls[which], tape: tape, calls: callsOf(run)}
	if which < len(c.Expect) {
		m.expect = c.Expect[which]
	}
	if err := m.load(c.Cubin); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// callsOf is how many calls a sample has.
func callsOf(run device.Run) int {
	switch {
	case run.Cache == "cold": // every call must miss
		return 1
	case run.Estimate > 0:
		return max(1, min(maxCalls, int(math.Ceil(regionNs/run.Estimate))))
	}
	return len(run.Cases)
}

// load loads the program, and takes an arena for every set.
func (m *sampler) load(image []byte) (err error) {
	if m.program, err = load(image, []kernels.Call{m.call}); err != nil {
		return err
	}
	for set := range m.run.Cases {
		if err := m.add(set); err != nil {
			return err
		}
	}
	return nil
}

// add takes an arena and scratch for a set.
func (m *sampler) add(set int) (err error) {
	s, i := m.s, m.run.Cases[set]
	a := s.arenas[i]
	if err := a.unprotect(); err != nil {
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
	packed, err := s.newPacking(m.program, m.call, a)
	m.packed = append(m.packed, packed)
	if err != nil {
		return err
	}
	w, err := m.program.bind(m.call, &s.prep.Cases[i], a, m.scratch[len(m.scratch)-1], packed)
	m.works = append(m.works, w)
	return err
}

// Close unloads the contender and protects its arenas. Both sides of a duel have the same ones.
func (m *sampler) Close() error {
	errs := []error{m.program.unload()}
	for _, a := range m.arenas {
		errs = append(errs, a.protect())
	}
	for _, a := range m.scratch {
		errs = append(errs, a.free())
	}
	for _, k := range m.packed {
		errs = append(errs, k.free())
	}
	return errors.Join(errs...)
}

// Calls is how many calls a steady sample has.
func (m *sampler) Calls() int { return m.calls }

// Sets is all of the run's: memory holds them.
func (m *sampler) Sets() int { return len(m.run.Cases) }

// freshen gives every arena that is about to be used the next set's inputs, and refills what calls write to.
func (m *sampler) freshen(arenas int) error {
	m.turn++
	m.s.turn++
	renewals := device.Renewals(arenas, len(m.run.Cases), m.s.turn, m.turn == 1, true, m.s.coin)
	for i, r := range renewals {
		m.s.hold(m.arenas[i], m.run.Cases[r.Set])
	}
	if _, err := m.s.pack(m.arenas, m.packed, runOptions{}, m.scratch...); err != nil {
		return err
	}
	for i, r := range renewals {
		if !r.Keep {
			m.s.refillOutputs(m.arenas[i], r.How)
		}
	}
	m.clean(0)
	return nil
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

// Sample is the time of a call, and what the calls have done.
func (m *sampler) Sample(turn []int) (device.Reading, error) {
	if m.run.Fresh > 0 {
		return m.fresh(turn)
	}
	return m.steady(m.calls)
}

// Single times one call.
func (m *sampler) Single() (device.Reading, error) { return m.steady(1) }

// steady times calls in a row.
func (m *sampler) steady(calls int) (r device.Reading, err error) {
	used := m.arenas[:min(calls, len(m.arenas))]
	if err := m.freshen(len(used)); err != nil {
		return r, err
	}
	start := time.Now()
	for i := range calls {
		if err := m.works[i%len(m.works)].do(runOptions{}); err != nil {
			return r, err
		}
	}
	r.Nanos = float64(time.Since(start).Nanoseconds()) / float64(calls)
	for _, a := range used {
		m.judge(&r, a)
	}
	m.record(used)
	r.Strays = r.Strays.Join(m.strays())
	return r, nil
}

// fresh takes one call for each of some sets, after everything was refilled, and then the same calls once more.
func (m *sampler) fresh(turn []int) (r device.Reading, err error) {
	var used []*arena
	if _, err := m.s.pack(m.arenas, m.packed, runOptions{}, m.scratch...); err != nil {
		return r, err
	}
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
	r.Nanos, r.Repeat = took[0]/float64(len(turn)), took[1]/took[0]
	r.Strays = m.strays()
	return r, nil
}

func (m *sampler) judge(r *device.Reading, a *arena) {
	for set, i := range m.run.Cases {
		if i == a.holds {
			r.Compare(hashOutputs(&m.s.prep.Cases[i], a), m.expect, set)
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
	for _, k := range m.packed {
		found = found.Join(k.inspect(m.s.prep.Cases[m.run.Cases[0]].Name))
	}
	return found
}
