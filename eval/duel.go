package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"darwarp/eval/internal/gpu"
	"darwarp/eval/internal/stats"
	"darwarp/kernels"
)

// duelBatch is how many pairs are measured between two looks at the interval.
const duelBatch = 20

// Duel measures two candidates in turn on every workload that the objective looks at and says whether the challenger is faster
// beyond the noise. Nobody is promoted by a fault: a candidate's own makes the duel ambiguous, ours is a
// kernels.ErrLost.
func (p *Pool) Duel(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	d, err := p.versus(ctx, champion, challenger, p.cfg.Cache, p.cfg.Objective.Deciding(p.cfg.Workloads))
	if errors.Is(err, errFaulted) {
		p.log.Warn("duel without a winner", "champion", champion.ID.Short(), "challenger", challenger.ID.Short(), "error", err)
		d.Verdict, err = kernels.Ambiguous, nil
	}
	return d, err
}

// Versus duels two candidates on every workload, at hot or cold; Duel does at the session's own mode. An
// error that is a candidate's fault says which.
func (p *Pool) Versus(ctx context.Context, champion, challenger *kernels.Job, cache string) (kernels.Duel, error) {
	return patiently(func() (kernels.Duel, error) { return p.versus(ctx, champion, challenger, cache, p.all()) })
}

// losses is how often what our side lost is asked for where no search does.
const losses = 3

// patiently asks again for what our side lost: what is published at the end of a night must not fail for one
// worker that somebody killed.
func patiently[T any](ask func() (T, error)) (got T, err error) {
	for range losses {
		if got, err = ask(); !errors.Is(err, kernels.ErrLost) {
			break
		}
	}
	return got, err
}

// all are the indices of the workloads.
func (p *Pool) all() []int { return kernels.Geomean.Deciding(p.cfg.Workloads) }

func (p *Pool) versus(ctx context.Context, champion, challenger *kernels.Job, cache string, which []int) (kernels.Duel, error) {
	d := kernels.Duel{Champion: champion.ID.Short(), Challenger: challenger.ID.Short()}
	a, err := p.standing(ctx, champion)
	if err != nil {
		return d, fmt.Errorf("champion %s: %w", d.Champion, err)
	}
	b, err := p.ready(ctx, challenger)
	if err != nil {
		return d, fmt.Errorf("challenger %s: %w", d.Challenger, err)
	}
	got, err := p.duel(ctx, a, b, cache, which)
	got.Champion, got.Challenger = d.Champion, d.Challenger
	return got, err
}

// errFaulted means that a candidate that was right before faulted now.
var errFaulted = errors.New("faulted")

// contestant is a contender with its estimated times by workload.
type contestant struct {
	gpu.Contender
	estimate map[string]float64
	base     map[string]float64 // the naive start's times, where they are known
	rival    *rival             // runs in a process of its own; nil: on the device worker
	itself   bool               // it fights itself
}

// gated is a candidate that passed the gate in this session.
type gated struct {
	id kernels.ID
	contestant
}

// mostGated bounds the memory of who passed: a champion is asked for again at each of its duels, and in between others are.
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

// standing is ready for a champion. One that this session has gated, as a challenger or as the naive start, is not gated again: all
// candidates in flight would wait for it, and at a large size a naive kernel takes seconds.
func (p *Pool) standing(ctx context.Context, job *kernels.Job) (contestant, error) {
	c, ok := p.recall(job.ID)
	if !ok {
		return p.ready(ctx, job)
	}
	c.base = job.Base
	p.keep(job.ID, c)
	return c, nil
}

// ready compiles a candidate and gates it, before others that wait for the gate, so that it can be timed.
func (p *Pool) ready(ctx context.Context, job *kernels.Job) (contestant, error) {
	e := &evaluation{Pool: p, job: job, urgent: true}
	for _, step := range []func(context.Context) error{e.resolve, e.compile, e.gate} {
		if err := step(ctx); err != nil {
			return contestant{}, err
		}
		if e.res.Outcome == kernels.Duplicate { // of itself in an earlier session, or of another that is as good
			e.res.Outcome = kernels.Unknown
		}
		if e.res.Outcome != kernels.Unknown {
			return contestant{}, fmt.Errorf("%w: %s: %s", errFaulted, e.res.Outcome, e.res.Detail)
		}
	}
	c := e.contestant()
	p.keep(job.ID, c)
	return c, nil
}

func (e *evaluation) contestant() contestant {
	return contestant{Contender: e.contender(), estimate: e.elapsed, base: e.job.Base}
}

// A duel begins with openingPairs. If in every one of them, at every workload, the same side is ahead by
// more than landslide, it is over: a coin would do that once in a thousand times, and noise of that
// size is unknown. Most of the first champions fall so, without minutes of a naive kernel's time.
const (
	openingPairs = 10
	landslide    = 0.15
)

// duel measures a (the champion) and b (the challenger) in turn on some workloads until the rule has a
// verdict.
func (p *Pool) duel(ctx context.Context, a, b contestant, cache string, which []int) (kernels.Duel, error) {
	f, err := p.fight(ctx, a, b, cache, which, openingPairs)
	if err != nil {
		return kernels.Duel{}, err
	}
	verdict := f.landslide()
	if verdict == "" {
		faster := a
		if median, _, _ := stats.Interval(f.ratios); median < 1 || a.rival != nil {
			faster = b
		}
		rest, err := p.knowNoise(ctx, faster)
		if err == nil && rest {
			f, err = p.fight(ctx, a, b, cache, which, stats.MinPairs)
		}
		if err != nil {
			return kernels.Duel{}, err
		}
		f.given = f.given || !rest
	}
	d := kernels.Duel{Proof: p.Provenance().Key(), Rounds: f.Rounds()}
	d.Verdict, d.Ratio, d.Lo, d.Hi = f.Verdict()
	switch {
	case verdict != "":
		d.Verdict = verdict
		d.Lo, d.Hi = f.Range()
	case f.given:
		d.Verdict = kernels.Ambiguous
	}
	for i, w := range f.workloads {
		d.Rounds[i].Workload, d.Rounds[i].Cache, d.Rounds[i].Clock, d.Rounds[i].Discarded = w.Name, cache, f.clock[i], f.discarded[i]
	}
	return d, nil
}

// fight is the pairs of a duel so far.
type fight struct {
	*stats.Duel
	workloads []kernels.Workload
	clock     []float64 // SM MHz by workload
	discarded []int     // blocks by workload
	calm      []stats.Calm
	ratios    []float64 // challenger over champion, of all workloads
	itself    bool      // a kernel against itself
	hot       bool      // the GPU is, and stays so
	given     bool      // up, because the machine did not come to rest
}

// newFight begins a duel on some workloads, of which the objective makes one figure.
func (p *Pool) newFight(which []int, base map[string]float64) *fight {
	f := &fight{clock: make([]float64, len(which)), discarded: make([]int, len(which)), calm: make([]stats.Calm, len(which))}
	var weights, levels []float64
	weighted := p.weighted()
	for _, i := range which {
		w := p.cfg.Workloads[i]
		w.Weight = weighted[i]
		f.workloads, weights, levels = append(f.workloads, w), append(weights, w.Weight), append(levels, base[w.Name])
	}
	combine := func(logs []float64) float64 { return p.cfg.Objective.Combine(logs, f.workloads) }
	f.Duel = stats.NewDuel(weights, p.margin(), 1).By(combine, levels)
	return f
}

// landslide is the verdict when one side won every pair by far, and empty otherwise.
func (f *fight) landslide() kernels.Verdict {
	lo, hi := slices.Min(f.ratios), slices.Max(f.ratios)
	switch {
	case hi < 1-landslide:
		return kernels.Faster
	case lo > 1+landslide:
		return kernels.Slower
	}
	return ""
}

// fight takes pairs on some workloads: exactly `pairs` of them when they are fewer than a verdict takes, else until the
// rule wants no more. In those few every pair counts: nothing that happens to a machine favours one side in ten
// pairs that alternate.
func (p *Pool) fight(ctx context.Context, a, b contestant, cache string, which []int, pairs int) (*fight, error) {
	f := p.newFight(which, a.base)
	f.itself = b.itself
	for f.More() && !f.given && (pairs >= stats.MinPairs || f.Pairs() < pairs) {
		for i := range f.workloads {
			if f.given {
				break
			}
			take := func() (gpu.DuelReply, error) { return p.batch(ctx, a, b, which[i], cache, min(duelBatch, pairs)) }
			var got gpu.DuelReply
			var err error
			if pairs < stats.MinPairs {
				got, err = take()
			} else {
				got, err = p.calmly(ctx, f, i, take)
			}
			if err != nil {
				return nil, err
			}
			f.enter(i, got)
		}
	}
	return f, nil
}

// enter adds a block of pairs at a workload.
func (f *fight) enter(i int, got gpu.DuelReply) {
	for j := range got.A {
		f.Add(i, got.A[j], got.B[j])
		f.ratios = append(f.ratios, got.B[j]/got.A[j])
	}
	known := slices.DeleteFunc(slices.Concat(got.ClockA, got.ClockB), func(mhz float64) bool { return !(mhz > 0) })
	if len(known) > 0 {
		f.clock[i] = stats.Median(known)
	}
}

// batch takes pairs at one workload.
func (p *Pool) batch(ctx context.Context, a, b contestant, which int, cache string, pairs int) (gpu.DuelReply, error) {
	w := p.cfg.Workloads[which]
	if a.rival != nil {
		return p.turns(ctx, a.rival, b, which, cache, pairs)
	}
	run := p.runOf(w, cache, min(a.estimate[w.Name], b.estimate[w.Name]))
	return p.pairs(ctx, gpu.Duel{A: a.Contender, B: b.Contender, Run: run, Which: which, Pairs: pairs})
}

func (p *Pool) pairs(ctx context.Context, req gpu.Duel) (gpu.DuelReply, error) {
	var reply gpu.DuelReply
	err := p.runner.call(ctx, gpu.Request{Duel: &req}, &reply, patience)
	var l *lost
	switch {
	case errors.As(err, &l):
		return reply, fmt.Errorf("%w: %v", errFaulted, l)
	case err != nil:
		return reply, err
	case reply.Fault != nil:
		return reply, errors.Join(fmt.Errorf("%w: %s: %s", errFaulted, reply.Fault.Case, reply.Fault.Text), p.runner.restart())
	case reply.Guard > 0:
		return reply, fmt.Errorf("%w: timed launches wrote %d bytes outside of their buffers", errFaulted, reply.Guard)
	case reply.Wrong > 0:
		return reply, fmt.Errorf("%w: %d outputs of timed launches differ from the gated ones", errFaulted, reply.Wrong)
	}
	return reply, nil
}
