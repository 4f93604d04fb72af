package gpu

import (
	"errors"
	"fmt"
	"slices"

	"darwarp/eval/internal/stats"
)

// contender is a loaded Contender.
type contender struct {
	Contender
	program *program
	side    int // of a duel
}

func (s *Session) enter(c Contender, side int) (*contender, error) {
	out := &contender{Contender: c, side: side}
	if c.Library {
		return out, nil
	}
	var err error
	out.program, err = s.load(c.Cubin, c.Calls)
	return out, err
}

func (s *Session) leave(c *contender) error { return s.unload(c.program) }

// expected are the hashes of a run's right outputs, by set; none where nobody knows them.
func (c *contender) expected(which int) []uint64 {
	if which < len(c.Expect) {
		return c.Expect[which]
	}
	return nil
}

// steady makes a contender's sampler for one run; which is the run's index in its Calls and Expect.
func (s *Session) steady(c *contender, run Run, which int, tape *Tape) (*steady, error) {
	m := &steady{run: run, who: c, expect: c.expected(which), tape: tape}
	if c.Library {
		return s.newSteady(m, func(a *arena) (*work, error) { return s.library.work(s, run, a) })
	}
	m.call = c.Calls[which]
	home := &s.prep.Cases[run.Cases[0]]
	var err error
	if m.scratch, err = s.placeScratch(c.side, 0, m.call, home.Name); err != nil {
		return nil, err
	}
	return s.newSteady(m, func(a *arena) (*work, error) { return s.bind(c.program, m.call, home, a, m.scratch) })
}

// time measures a contender on its runs, in order, and stops after the first that is hopeless.
func (s *Session) time(req *Time, phase func(string)) (*TimeReply, error) {
	reply := &TimeReply{}
	if err := s.begin(); err != nil {
		return nil, err
	}
	c, where, err := s.runs(req, reply, phase)
	if err != nil {
		if reply.Fault, err = fault(where, err); err != nil || reply.Fault.Sticky {
			return reply, err
		}
	}
	phase("look")
	if err := s.clearCounters(); err != nil {
		return nil, err
	}
	_, found, err := s.settle()
	reply.Strays = reply.Strays.Join(found)
	return reply, errors.Join(err, s.leave(c))
}

// runs returns, beside an error, where it came up.
func (s *Session) runs(req *Time, reply *TimeReply, phase func(string)) (c *contender, where string, err error) {
	phase("load")
	if c, err = s.enter(req.Contender, 0); err != nil {
		return c, "load", err
	}
	if req.Record != nil && (req.Count == 0 || len(req.Runs) != 1) {
		return c, "time", fmt.Errorf("outputs of %d runs of %d samples are to be recorded", len(req.Runs), req.Count)
	}
	for i, run := range req.Runs {
		where = "time " + run.Workload
		phase(where)
		got, strays, err := s.timeRun(c, run, i, req)
		if err != nil {
			return c, where, err
		}
		reply.Runs, reply.Strays = append(reply.Runs, got), reply.Strays.Join(strays)
		if got.Screened && !req.Each {
			break
		}
	}
	return c, where, nil
}

func (s *Session) timeRun(c *contender, run Run, which int, req *Time) (out RunReply, found *Strays, err error) {
	tape := s.prep.NewTape(req.Record, 0, req.Count)
	m, err := s.steady(c, run, which, tape)
	if err != nil {
		return out, nil, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	t := &taking{m: m, out: &out, tape: tape}
	err = t.all(run.Bar, req)
	out.Recorded = tape.Cases()
	return out, t.strays, err
}

// taking is a run whose samples are being taken.
type taking struct {
	m      *steady
	out    *RunReply
	tape   *Tape
	strays *Strays
	clocks []float64 // of the samples that count
}

// sample takes one and enters what its outputs and its scratch show, whatever becomes of its time.
func (t *taking) sample() (reading, error) {
	r, err := t.m.sample(nil)
	t.note(r)
	return r, err
}

func (t *taking) note(r reading) {
	t.out.Checked, t.out.Wrong = t.out.Checked+r.checked, t.out.Wrong+r.wrong
	t.strays = t.strays.Join(r.strays)
}

// all takes as many samples as the request and what they show ask for.
func (t *taking) all(bar float64, req *Time) (err error) {
	out := t.out
	out.Calls = t.m.calls
	if err := t.warm(); err != nil {
		return err
	}
	if req.Count > 0 {
		if err := t.exactly(req.Count); err != nil || !req.Alone {
			return err
		}
		t.tape.Pause(true)
		return t.alone()
	}
	if out.Screened, err = t.screen(bar); err != nil || out.Screened {
		return err
	}
	if err := t.fitness(req.Final); err != nil {
		return err
	}
	return t.alone()
}

// warm takes a sample that does not count, and that nobody judges.
func (t *taking) warm() error {
	t.tape.Pause(true)
	defer t.tape.Pause(false)
	_, err := t.sample()
	return err
}

// singles is how many single calls on refilled outputs are timed to be held against the graph.
const singles = 3

func (t *taking) alone() error {
	var single []float64
	for range singles {
		r, err := t.m.one()
		if err != nil {
			return err
		}
		t.note(r)
		single = append(single, r.ns)
	}
	t.out.Single = slices.Min(single)
	return nil
}

// screen takes the first samples and reports whether the run is far behind the bar.
func (t *taking) screen(bar float64) (bool, error) {
	rule := stats.NewScreen(bar)
	for {
		r, err := t.sample()
		if err != nil {
			return false, err
		}
		t.out.Samples, t.out.Clock = append(t.out.Samples, r.ns), r.mhz
		if rule.Add(r.ns) {
			return rule.Slow(), nil
		}
	}
}

// exactly takes so many samples, no more and no less.
func (t *taking) exactly(count int) error {
	for range count {
		r, err := t.sample()
		if err != nil {
			return err
		}
		t.out.Samples, t.clocks = append(t.out.Samples, r.ns), append(t.clocks, r.mhz)
	}
	t.out.Clock = stats.Median(t.clocks)
	return nil
}

// maxRejected is how many samples may be thrown away because the clock fell while they were taken.
const maxRejected = 10

// fitness samples until the stopping rule is content. Samples whose clock is far below the run's
// usual one are taken again: they say more about the machine than about the kernel.
func (t *taking) fitness(final bool) error {
	limits := stats.Fitness
	if final {
		limits = stats.Final
	}
	rule := stats.NewStop(limits, t.m.calls)
	for _, ns := range t.out.Samples { // of the screen: as good as those to come
		rule.Add(ns)
	}
	for {
		r, err := t.sample()
		if err != nil {
			return err
		}
		if dipped(r.mhz, t.clocks) && t.out.Rejected < maxRejected {
			t.out.Rejected++
			continue
		}
		t.clocks = append(t.clocks, r.mhz)
		t.out.Samples = append(t.out.Samples, r.ns)
		if rule.Add(r.ns) {
			t.out.Clock = stats.Median(t.clocks)
			return nil
		}
	}
}

// clockFloor is the share of the usual SM clock below which a sample is rejected, once that many samples say what is
// usual. A kernel that draws much power lowers the clock for good: that is its speed, and is not rejected.
const (
	clockFloor = 0.9
	clocksSeen = 5
)

// dipped reports whether a sample's clock is far below the usual one.
func dipped(mhz float64, usual []float64) bool {
	return mhz > 0 && len(usual) >= clocksSeen && mhz < clockFloor*stats.Median(usual)
}
