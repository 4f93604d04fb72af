package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"darwarp/eval/internal/device"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// contestant is a contender with its estimated times by workload.
type contestant struct {
	device.Contender
	estimate map[string]float64
	base     map[string]float64 // the naive start's times, where they are known
	hashes   map[int]uint64     // of a library's outputs, by case
	gate     *evaluation        // of a candidate; what it knows of right outputs grows
	naive    bool               // it is the naive start
	rival    *rival             // runs in a process of its own; nil: on the device worker
	itself   bool               // it fights itself
}

func (e *evaluation) contestant() contestant {
	c := contestant{Contender: device.Contender{Cubin: e.cubin}, estimate: e.elapsed, base: e.job.Base, gate: e}
	for _, w := range e.cfg.Workloads {
		c.Calls = append(c.Calls, e.calls[e.cases.Banks[w.Name][0]])
	}
	return c
}

// contender is the contestant as the device times it on the runs of all workloads.
func (c contestant) contender(runs ...device.Run) device.Contender {
	out := c.Contender
	for _, r := range runs {
		out.Expect = append(out.Expect, c.expect(r.Cases))
	}
	return out
}

// one is the contestant as the device times it on a run of one workload.
func (c contestant) one(which int, run device.Run) device.Contender {
	out := c.Contender
	if !out.Library {
		out.Calls = c.Calls[which : which+1]
	}
	out.Expect = [][]uint64{c.expect(run.Cases)}
	return out
}

// acc is the type that the contestant says it adds in; a library adds in fp32.
func (c contestant) acc() kernels.DType {
	if c.gate == nil {
		return kernels.FP32
	}
	return c.gate.job.Acc
}

// expect is what the outputs on cases have to hash to; nothing where it is not known of each.
func (c contestant) expect(cases []int) []uint64 {
	var hashes []uint64
	for _, i := range cases {
		h, ok := c.hashes[i]
		if c.gate != nil {
			h, ok = c.gate.hash(i)
		}
		if !ok {
			return nil
		}
		hashes = append(hashes, h)
	}
	return hashes
}

// gated is a candidate that passed the gate in this session.
type gated struct {
	id kernels.ID
	contestant
}

// mostGated bounds the memory of who passed: a champion is asked for again at each of its duels, and in between
// others are.
const mostGated = 8

// keep puts a candidate last in the list of the newest.
func (p *Pool) keep(id kernels.ID, c contestant) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gated = append(slices.DeleteFunc(p.gated, func(g gated) bool { return g.id == id }), gated{id, c})
	p.gated = p.gated[max(0, len(p.gated)-mostGated):]
}

func (p *Pool) recall(id kernels.ID) (contestant, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.gated, func(g gated) bool { return g.id == id })
	if at < 0 {
		return contestant{}, false
	}
	return p.gated[at].contestant, true
}

// standing is ready for a champion. One that this session has gated, as a challenger or as the naive start, is not
// gated again: all candidates in flight would wait for it, and at a large size a naive kernel takes seconds.
func (p *Pool) standing(ctx context.Context, job *kernels.Job) (contestant, error) {
	c, ok := p.recall(job.ID)
	if !ok {
		return p.ready(ctx, job)
	}
	c.base = job.Base
	p.keep(job.ID, c)
	return c, nil
}

// ready compiles a candidate and gates it, before others that wait for the gate, so that it can be timed. A
// candidate that does not pass is a *found.
func (p *Pool) ready(ctx context.Context, job *kernels.Job) (contestant, error) {
	defer trace.Begin(ctx, "ready").End()
	e := &evaluation{Pool: p, job: job, urgent: true}
	for _, step := range []func(context.Context) error{e.resolve, e.compile, e.gate} {
		if err := step(ctx); err != nil {
			return contestant{}, err
		}
		if e.res.Outcome == kernels.Duplicate { // of itself in an earlier session, or of another that is as good
			e.res.Outcome = kernels.Unknown
		}
		if e.res.Outcome != kernels.Unknown {
			return contestant{}, &found{outcome: e.res.Outcome, detail: e.res.Detail}
		}
	}
	c := e.contestant()
	p.keep(job.ID, c)
	return c, nil
}

// bank gates a contestant on all sets of the banks of some workloads, and on every input class at them. Most
// candidates never get as far: it is asked of those that have won the steady half of a duel, and of whom they have
// won it against. The naive start, which nobody doubts, needs no more than the sets on which it fights the fresh half
// with the other: where a call takes it 125 ms each set is half a second.
func (c contestant) bank(ctx context.Context, other contestant, which []int) error {
	defer trace.Begin(ctx, "bank").End()
	e := c.gate
	var cases []int
	for _, k := range which {
		load := e.cfg.Workloads[k].Name
		if c.naive {
			cases = append(cases, e.freshCases(c, other, load)...)
			continue
		}
		for i := range e.cases.List {
			if e.cases.List[i].Workload == load {
				cases = append(cases, i)
			}
		}
	}
	e.res.Outcome, e.res.Detail = kernels.Unknown, ""
	ok, err := e.learn(ctx, cases)
	if err == nil && !ok {
		err = &found{outcome: e.res.Outcome, detail: e.res.Detail}
	}
	return err
}

// errFaulted means that a candidate that was right before faulted now.
var errFaulted = errors.New("faulted")

// found is what a side of a duel was found out as.
type found struct {
	side    kernels.Side
	outcome kernels.Outcome
	detail  string
}

func (f *found) Error() string { return fmt.Sprintf("%v: %v: %s", errFaulted, f.outcome, f.detail) }

func (f *found) Unwrap() error { return errFaulted }

// of names the side that an error is about, where it is something that was found out.
func of(side kernels.Side, err error) error {
	if f := (*found)(nil); errors.As(err, &f) {
		named := *f
		named.side = side
		return fmt.Errorf("%s: %w", side, &named)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", side, err)
	}
	return nil
}
