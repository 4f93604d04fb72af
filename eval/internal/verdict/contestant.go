package verdict

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"darwarp/eval/internal/device"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// Contestant is a contender with its estimated times by workload.
type Contestant struct {
	device.Contender
	Estimate map[string]float64
	Base     map[string]float64 // the naive start's times, where they are known
	Hashes   map[int]uint64     // of a library's outputs, by case
	Gate     *Evaluation        // of a candidate; what it knows of right outputs grows
	Naive    bool               // it is the naive start
	Rival    Opponent           // runs in a process of its own; nil: on the device worker
	Itself   bool               // it fights itself
}

// Opponent is a contestant that no device worker runs.
type Opponent interface {
	// pairs times it in turn with another at a workload.
	Pairs(ctx context.Context, with Contestant, which int, cache string, pairs int) (device.DuelReply, error)
}

// Contestant is a candidate that was gated, as it fights.
func (e *Evaluation) Contestant() Contestant {
	c := Contestant{Contender: device.Contender{Cubin: e.Cubin}, Estimate: e.Elapsed, Base: e.Job.Base, Gate: e}
	for _, w := range e.Cfg.Workloads {
		c.Calls = append(c.Calls, e.Calls[e.Cases.Banks[w.Name][0]])
	}
	return c
}

// On is the contestant as the device times it on the runs of all workloads.
func (c Contestant) On(runs ...device.Run) device.Contender {
	out := c.Contender
	for _, r := range runs {
		out.Expect = append(out.Expect, c.Expect(r.Cases))
	}
	return out
}

// One is the contestant as the device times it on a run of one workload.
func (c Contestant) One(which int, run device.Run) device.Contender {
	out := c.Contender
	if !out.Library {
		out.Calls = c.Calls[which : which+1]
	}
	out.Expect = [][]uint64{c.Expect(run.Cases)}
	return out
}

// Preparing is how many ns its launches with `prepare` take before a call at a workload, by the gate; 0 where there are
// none.
func (c Contestant) Preparing(workload string) float64 {
	if c.Gate == nil {
		return 0
	}
	return c.Gate.preparing(workload)
}

// Acc is the type that the contestant says it adds in; a library adds in fp32.
func (c Contestant) Acc() kernels.DType {
	if c.Gate == nil {
		return kernels.FP32
	}
	return c.Gate.Job.Acc
}

// Expect is what the outputs on cases have to hash to; nothing where it is not known of each.
func (c Contestant) Expect(cases []int) []uint64 {
	var hashes []uint64
	for _, i := range cases {
		h, ok := c.Hashes[i]
		if c.Gate != nil {
			h, ok = c.Gate.hash(i)
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
	Contestant
}

// mostGated bounds the memory of who passed: a champion is asked for again at each of its duels, and in between
// others are.
const mostGated = 8

// keep puts a candidate last in the list of the newest, with what was known of it before.
func (p *Session) keep(id kernels.ID, c Contestant) Contestant {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := slices.IndexFunc(p.gated, func(g gated) bool { return g.id == id }); at >= 0 {
		c.inherit(p.gated[at].Contestant)
		p.gated = slices.Delete(p.gated, at, at+1)
	}
	p.gated = append(p.gated, gated{id, c})
	p.gated = p.gated[max(0, len(p.gated)-mostGated):]
	return c
}

// inherit adds what an earlier gate has found out about the same machine code: whoever is timed in between must not be
// gated on its whole bank again.
func (c *Contestant) inherit(was Contestant) {
	if c.Gate == nil || was.Gate == nil || c.Gate == was.Gate || !bytes.Equal(c.Cubin, was.Cubin) {
		return
	}
	c.Naive = c.Naive || was.Naive
	c.Gate.Right = withAll(was.Gate.Right, c.Gate.Right)
}

// withAll is what is known with what is newer.
func withAll(known, newer map[int]device.CaseReply) map[int]device.CaseReply {
	all := map[int]device.CaseReply{}
	maps.Copy(all, known)
	maps.Copy(all, newer)
	return all
}

// RightBefore is on which cases this session has found the same machine code right.
func (p *Session) RightBefore(id kernels.ID, cubin []byte) map[int]device.CaseReply {
	c, ok := p.Recall(id)
	if !ok || c.Gate == nil || !bytes.Equal(c.Cubin, cubin) {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return withAll(nil, c.Gate.Right)
}

// Recall is a candidate that this session has gated, if it was one of the latest.
func (p *Session) Recall(id kernels.ID) (Contestant, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.gated, func(g gated) bool { return g.id == id })
	if at < 0 {
		return Contestant{}, false
	}
	return p.gated[at].Contestant, true
}

// Standing is ready for a champion. One that this session has gated, as a challenger or as the naive start, is not
// gated again: all candidates in flight would wait for it, and at a large size a naive kernel takes seconds.
func (p *Session) Standing(ctx context.Context, job *kernels.Job) (Contestant, error) {
	c, ok := p.Recall(job.ID)
	if !ok {
		return p.Ready(ctx, job)
	}
	c.Base = job.Base
	return p.keep(job.ID, c), nil
}

// Ready compiles a candidate and gates it, before others that wait for the gate, so that it can be timed. A
// candidate that does not pass is a *found.
func (p *Session) Ready(ctx context.Context, job *kernels.Job) (Contestant, error) {
	defer trace.Begin(ctx, "ready").End()
	kernels.WatchOf(ctx).Tell("gate")
	e := &Evaluation{Session: p, Job: job, Urgent: true}
	for _, step := range []func(context.Context) error{e.Resolve, e.Compile, e.Gate} {
		if err := step(ctx); err != nil {
			return Contestant{}, err
		}
		if e.Res.Outcome == kernels.Duplicate { // of itself in an earlier session, or of another that is as good
			e.Res.Outcome = kernels.Unknown
		}
		if e.Res.Outcome != kernels.Unknown {
			return Contestant{}, &Found{Outcome: e.Res.Outcome, Detail: e.Res.Detail}
		}
	}
	return p.keep(job.ID, e.Contestant()), nil
}

// Bank gates a contestant on the sets of inputs on which it fights the fresh half with another. What else a would-be
// champion is gated on is for its trial: each truth of a large size can take seconds, and most of a search's first
// challengers are beaten before that by the next.
func (c Contestant) Bank(ctx context.Context, cases []int) error {
	defer trace.Begin(ctx, "bank").End()
	kernels.WatchOf(ctx).Tell("gate on all inputs")
	e := c.Gate
	e.Res.Outcome, e.Res.Detail = kernels.Unknown, ""
	ok, err := e.Learn(ctx, cases)
	if err == nil && !ok {
		err = &Found{Outcome: e.Res.Outcome, Detail: e.Res.Detail}
	}
	return err
}

// ErrFaulted means that a candidate that was right before faulted now.
var ErrFaulted = errors.New("faulted")

// Found is what a side of a duel was found out as.
type Found struct {
	Side    kernels.Side
	Outcome kernels.Outcome
	Detail  string
}

func (f *Found) Error() string { return fmt.Sprintf("%v: %v: %s", ErrFaulted, f.Outcome, f.Detail) }

func (f *Found) Unwrap() error { return ErrFaulted }

// Of names the side that an error is about, where it is something that was found out.
func Of(side kernels.Side, err error) error {
	if f := (*Found)(nil); errors.As(err, &f) {
		named := *f
		named.Side = side
		return fmt.Errorf("%s: %w", side, &named)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", side, err)
	}
	return nil
}
