package device

import (
	"errors"
	"fmt"
	"slices"

	"darwarp/eval/internal/stats"
)

// Rules say how much is measured on a device.
type Rules struct {
	Fitness, Final stats.Limits
	// Hurried says that a screen's samples may be all: one emulated call can use up the time that a kernel gets.
	Hurried bool
	// Singles is how many single calls are timed to be held against the calls in a row, the least of them.
	Singles int
}

// Measuring is a Time request that is being answered.
type Measuring struct {
	Prepare *Prepare
	Rules   Rules
	Phase   func(string)
	// Sampler makes what times a run, the which-th of the request, and records on a tape.
	Sampler func(run Run, which int, tape *Tape) (Sampler, error)
}

// Answer measures the runs of a request in order, and stops after the first that is hopeless. Beside an error it says
// where it came up.
func (m *Measuring) Answer(req *Time, reply *TimeReply) (where string, err error) {
	if req.Record != nil && (req.Count == 0 || len(req.Runs) != 1) {
		return "time", fmt.Errorf("outputs of %d runs of %d samples are to be recorded", len(req.Runs), req.Count)
	}
	for i, run := range req.Runs {
		where = "time " + run.Workload
		m.Phase(where)
		got, strays, err := m.run(req, run, i)
		if err != nil {
			return where, err
		}
		reply.Runs, reply.Strays = append(reply.Runs, got), reply.Strays.Join(strays)
		if got.Screened && !req.Each {
			break
		}
	}
	return where, nil
}

func (m *Measuring) run(req *Time, run Run, which int) (out RunReply, found *Strays, err error) {
	tape := m.Prepare.NewTape(req.Record, 0, req.Count)
	s, err := m.Sampler(run, which, tape)
	if err != nil {
		return out, nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	t := &taking{s: s, rules: m.Rules, out: &out, tape: tape, slow: run.Estimate >= SlowCall}
	err = t.all(run.Bar, req)
	out.Recorded = tape.Cases()
	return out, t.strays, err
}

// taking is a run whose samples are being taken.
type taking struct {
	s      Sampler
	rules  Rules
	out    *RunReply
	tape   *Tape
	strays *Strays
	clocks []float64 // of the samples that count

	singles []float64 // times of single calls
	slow    bool      // calls are SlowCall ones
}

// rule is by what a run is measured.
type rule struct {
	limits  stats.Limits
	bar     float64 // of the screen
	against float64 // bar, of the stopping rule; 0: none
}

func (r rule) stop(calls int) *stats.Stop { return stats.NewStop(r.limits, calls).Against(r.against) }

// sample takes one and enters what its outputs and its scratch show, whatever becomes of its time.
func (t *taking) sample() (Reading, error) {
	r, err := t.s.Sample(nil)
	t.note(r)
	return r, err
}

func (t *taking) note(r Reading) {
	t.out.Checked, t.out.Wrong = t.out.Checked+r.Checked, t.out.Wrong+r.Wrong
	t.strays = t.strays.Join(r.Strays)
}

// all takes as many samples as the request and what they show ask for.
func (t *taking) all(bar float64, req *Time) error {
	t.out.Calls = t.s.Calls()
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
	rule := rule{limits: t.rules.Fitness, bar: bar}
	if req.Final {
		rule.limits = t.rules.Final
	}
	if len(req.Runs) == 1 || req.Each { // else what is behind here may win elsewhere
		rule.against = bar
	}
	if enough, err := t.measure(rule); err != nil || !enough {
		return err
	}
	return t.alone()
}

// warm makes a call that does not count as a sample, and whose outputs are not recorded: a single one where these are
// timed, else as many as a sample has. Slow calls need none, and would take as long as all that a hopeless candidate is
// worth.
func (t *taking) warm() error {
	t.tape.Pause(true)
	defer t.tape.Pause(false)
	switch {
	case t.rules.Singles > 0 && t.slow:
		return nil
	case t.rules.Singles > 0:
		return t.single()
	}
	_, err := t.sample()
	return err
}

// single times a call on its own.
func (t *taking) single() error {
	r, err := t.s.Single()
	if err != nil {
		return err
	}
	t.note(r)
	t.singles = append(t.singles, r.Nanos)
	return nil
}

// alone times single calls, of which the warm-up was the first, until one of them shows that calls in a row do no less.
// Where a sample is a single call there is nothing to hold against it.
func (t *taking) alone() error {
	if t.out.Calls == 1 {
		return nil
	}
	row := stats.Median(t.out.Samples)
	for len(t.singles) < t.rules.Singles && (len(t.singles) == 0 || DoesLess(row, slices.Min(t.singles), 0)) {
		if err := t.single(); err != nil {
			return err
		}
	}
	if len(t.singles) > 0 {
		t.out.Single = slices.Min(t.singles)
	}
	return nil
}

// exactly takes so many samples, no more and no less.
func (t *taking) exactly(count int) error {
	for range count {
		r, err := t.sample()
		if err != nil {
			return err
		}
		t.out.Samples, t.clocks = append(t.out.Samples, r.Nanos), append(t.clocks, r.MHz)
	}
	t.out.Clock = stats.Median(t.clocks)
	return nil
}

// measure screens a run and, unless it is hopeless, takes its fitness. worth says that it was not.
func (t *taking) measure(by rule) (worth bool, err error) {
	stop := by.stop(t.out.Calls)
	enough, err := t.screen(by.bar, stop)
	if err != nil || t.out.Screened || enough {
		return !t.out.Screened, err
	}
	if !t.rules.Hurried { // its wall clock starts after the screen
		stop = by.stop(t.out.Calls)
		for _, ns := range t.out.Samples { // of the screen: as good as those to come
			enough = stop.Add(ns)
		}
	}
	if enough {
		return true, nil
	}
	return true, t.fitness(stop)
}

// screen takes the first samples, until it is known whether the run is far behind the bar. In a hurry stop may have
// enough of them.
func (t *taking) screen(bar float64, stop *stats.Stop) (enough bool, err error) {
	rule := stats.NewScreen(bar)
	for over := false; !over && !enough; {
		r, err := t.sample()
		if err != nil {
			return false, err
		}
		t.out.Samples, t.out.Clock = append(t.out.Samples, r.Nanos), r.MHz
		enough = t.rules.Hurried && stop.Add(r.Nanos)
		if over = rule.Add(r.Nanos); over {
			t.out.Screened = rule.Slow()
		}
	}
	return enough, nil
}

// maxRejected is how many samples may be thrown away because the clock fell while they were taken.
const maxRejected = 10

// fitness samples until the stopping rule is content. Samples whose clock is far below the run's
// usual one are taken again: they say more about the machine than about the kernel.
func (t *taking) fitness(stop *stats.Stop) error {
	for {
		r, err := t.sample()
		if err != nil {
			return err
		}
		if dipped(r.MHz, t.clocks) && t.out.Rejected < maxRejected {
			t.out.Rejected++
			continue
		}
		t.clocks = append(t.clocks, r.MHz)
		t.out.Samples = append(t.out.Samples, r.Nanos)
		if stop.Add(r.Nanos) {
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
