package eval

import (
	"context"
	"errors"
	"fmt"

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
	if err := p.knowNoise(ctx, a); err != nil {
		return d, err
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

// knowNoise measures a contestant against itself, once a session.
func (p *Pool) knowNoise(ctx context.Context, a contestant) error {
	p.mu.Lock()
	known := p.noise > 0
	p.mu.Unlock()
	if known {
		return nil
	}
	rule, _, err := p.fight(ctx, a, a, p.cfg.Cache)
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

// duel measures a (the champion) and b (the challenger) in turn until the rule has a verdict.
func (p *Pool) duel(ctx context.Context, a, b contestant, cache string) (kernels.Duel, error) {
	rule, clock, err := p.fight(ctx, a, b, cache)
	if err != nil {
		return kernels.Duel{}, err
	}
	d := kernels.Duel{Proof: p.Provenance().Key(), Rounds: rule.Rounds()}
	d.Verdict, d.Ratio, d.Lo, d.Hi = rule.Verdict()
	for i, w := range p.cfg.Workloads {
		d.Rounds[i].Workload, d.Rounds[i].Cache, d.Rounds[i].Clock = w.Name, cache, clock[i]
	}
	return d, nil
}

// fight takes pairs until no more are wanted. clock is the SM clock by workload, MHz.
func (p *Pool) fight(ctx context.Context, a, b contestant, cache string) (rule *stats.Duel, clock []float64, err error) {
	weights := make([]float64, len(p.cfg.Workloads))
	for i, w := range p.cfg.Workloads {
		weights[i] = w.Weight
	}
	rule, clock = stats.NewDuel(weights, p.margin(), 1), make([]float64, len(weights))
	for rule.More() {
		for i, w := range p.cfg.Workloads {
			run := p.runOf(w, cache, min(a.estimate[w.Name], b.estimate[w.Name]))
			got, err := p.pairs(ctx, gpu.Duel{A: a.Contender, B: b.Contender, Run: run, Which: i, Pairs: duelBatch})
			if err != nil {
				return nil, nil, err
			}
			for j := range got.A {
				rule.Add(i, got.A[j], got.B[j])
			}
			clock[i] = got.Clock
		}
	}
	return rule, clock, nil
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
