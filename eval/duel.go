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

// Duel measures two candidates in turn on every workload and says whether the challenger is faster
// beyond the noise. Before the first duel, the champion is measured against itself to know the noise.
func (p *Pool) Duel(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	d, err := p.Versus(ctx, champion, challenger, p.cfg.Cache)
	if errors.Is(err, errFaulted) || errors.Is(err, errInfra) { // nobody is promoted by a fault, ours or theirs
		p.log.Warn("duel without a winner", "champion", champion.ID.Short(), "challenger", challenger.ID.Short(), "error", err)
		d.Verdict, err = kernels.Ambiguous, nil
	}
	return d, err
}

// Versus duels two candidates at hot or cold; Duel does at the session's own mode. An error that is
// a candidate's fault says which.
func (p *Pool) Versus(ctx context.Context, champion, challenger *kernels.Job, cache string) (kernels.Duel, error) {
	d := kernels.Duel{Champion: champion.ID.Short(), Challenger: challenger.ID.Short()}
	a, err := p.ready(ctx, champion)
	if err != nil {
		return d, fmt.Errorf("champion %s: %w", d.Champion, err)
	}
	b, err := p.ready(ctx, challenger)
	if err != nil {
		return d, fmt.Errorf("challenger %s: %w", d.Challenger, err)
	}
	got, err := p.duel(ctx, a, b, cache)
	got.Champion, got.Challenger = d.Champion, d.Challenger
	return got, err
}

// errFaulted means that a candidate that was right before faulted now.
var errFaulted = errors.New("faulted")

// contestant is a contender with its estimated times by workload.
type contestant struct {
	gpu.Contender
	estimate map[string]float64
}

// ready compiles and, in a new session, gates a candidate again, so that it can be timed.
func (p *Pool) ready(ctx context.Context, job *kernels.Job) (contestant, error) {
	e := &evaluation{Pool: p, job: job}
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
	return contestant{e.contender(), e.elapsed}, nil
}

// knowNoise measures a contestant against itself, once a session: no smaller difference is believed.
func (p *Pool) knowNoise(ctx context.Context, a contestant) error {
	p.mu.Lock()
	known := p.noise > 0
	p.mu.Unlock()
	if known {
		return nil
	}
	rule, err := p.fight(ctx, a, a, p.cfg.Cache, stats.MinPairs)
	if err != nil {
		return fmt.Errorf("noise: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noise = max(1e-6, rule.Noise())
	return nil
}

func (p *Pool) margin() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return stats.Margin(p.noise)
}

// A duel begins with openingPairs. If in every one of them, at every workload, the same side is ahead by
// more than landslide, it is over: a coin would do that once in a thousand times, and noise of that
// size is unknown. Most of the first champions fall so, without minutes of a naive kernel's time.
const (
	openingPairs = 10
	landslide    = 0.15
)

// duel measures a (the champion) and b (the challenger) in turn until the rule has a verdict.
func (p *Pool) duel(ctx context.Context, a, b contestant, cache string) (kernels.Duel, error) {
	f, err := p.fight(ctx, a, b, cache, openingPairs)
	if err != nil {
		return kernels.Duel{}, err
	}
	verdict := f.landslide()
	if verdict == "" {
		faster := a
		if median, _, _ := stats.Interval(f.ratios); median < 1 {
			faster = b
		}
		if err := p.knowNoise(ctx, faster); err != nil {
			return kernels.Duel{}, err
		}
		if f, err = p.fight(ctx, a, b, cache, stats.MinPairs); err != nil {
			return kernels.Duel{}, err
		}
	}
	d := kernels.Duel{Proof: p.Provenance().Key(), Rounds: f.Rounds()}
	d.Verdict, d.Ratio, d.Lo, d.Hi = f.Verdict()
	if verdict != "" {
		median, _, _ := stats.Interval(f.ratios)
		d.Verdict, d.Ratio, d.Lo, d.Hi = verdict, median, slices.Min(f.ratios), slices.Max(f.ratios)
	}
	for i, w := range p.cfg.Workloads {
		d.Rounds[i].Workload, d.Rounds[i].Cache, d.Rounds[i].Clock = w.Name, cache, f.clock[i]
	}
	return d, nil
}

// fight is the pairs of a duel so far.
type fight struct {
	*stats.Duel
	clock  []float64 // SM MHz by workload
	ratios []float64 // challenger over champion, of all workloads
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

// fight takes pairs: exactly `pairs` of them when they are fewer than a verdict takes, else until the
// rule wants no more.
func (p *Pool) fight(ctx context.Context, a, b contestant, cache string, pairs int) (*fight, error) {
	weights := p.weighted()
	f := &fight{Duel: stats.NewDuel(weights, p.margin(), 1), clock: make([]float64, len(weights))}
	for f.More() && (pairs >= stats.MinPairs || f.Pairs() < pairs) {
		for i, w := range p.cfg.Workloads {
			run := p.runOf(w, cache, min(a.estimate[w.Name], b.estimate[w.Name]))
			got, err := p.pairs(ctx, gpu.Duel{A: a.Contender, B: b.Contender, Run: run, Which: i, Pairs: min(duelBatch, pairs)})
			if err != nil {
				return nil, err
			}
			for j := range got.A {
				f.Add(i, got.A[j], got.B[j])
				f.ratios = append(f.ratios, got.B[j]/got.A[j])
			}
			f.clock[i] = got.Clock
		}
	}
	return f, nil
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
	case reply.Wrong > 0:
		return reply, fmt.Errorf("%w: %d outputs of timed launches differ from the gated ones", errFaulted, reply.Wrong)
	}
	return reply, nil
}
