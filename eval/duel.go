package eval

import (
	"context"
	"errors"
	"fmt"

	"darwarp/eval/internal/stats"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// duelBatch is how many pairs are measured between two looks at the interval.
const duelBatch = 20

// Duel measures two candidates in turn on every workload that the objective looks at and says whether the
// challenger is faster beyond the noise, steady and fresh. Nobody is promoted by a fault: one of a candidate's
// makes the duel ambiguous, and the duel says who was found out as what; ours is a kernels.ErrLost.
func (p *Pool) Duel(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	ctx, end := p.doubting(ctx, "duel "+champion.ID.Short()+" "+challenger.ID.Short())
	defer end()
	t := terms{cache: p.cfg.Cache, which: p.cfg.Objective.Deciding(p.cfg.Workloads), both: true}
	d, err := p.versus(urgently(ctx), champion, challenger, t)
	if !errors.Is(err, errFaulted) {
		return d, err
	}
	p.log.Warn("duel without a winner", "champion", champion.ID.Short(), "challenger", challenger.ID.Short(), "error", err)
	d.Verdict, d.Detail = kernels.Ambiguous, kernels.CleanDetail(err.Error())
	if f := (*found)(nil); errors.As(err, &f) && f.side != "" {
		d.Outcome, d.Culprit, d.Detail = f.outcome, f.side, kernels.CleanDetail(f.detail)
	}
	return d, nil
}

// doubting begins a row of the trace for what comes after a candidate's verdict.
func (p *Pool) doubting(ctx context.Context, what string) (row context.Context, end func()) {
	lane := p.cfg.Trace.Take("duels and trials")
	span := lane.Begin(what)
	return trace.With(ctx, lane), func() {
		span.End()
		lane.Free()
	}
}

// Versus duels two candidates on every workload, at hot or cold, by steady times alone; Duel does at the session's
// own mode, and fresh. An error that is a candidate's fault says which.
func (p *Pool) Versus(ctx context.Context, champion, challenger *kernels.Job, cache string) (kernels.Duel, error) {
	return patiently(func() (kernels.Duel, error) {
		return p.versus(ctx, champion, challenger, terms{cache: cache, which: p.all()})
	})
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

func (p *Pool) versus(ctx context.Context, champion, challenger *kernels.Job, t terms) (kernels.Duel, error) {
	d := kernels.Duel{Champion: champion.ID.Short(), Challenger: challenger.ID.Short()}
	a, err := p.standing(ctx, champion)
	if err != nil {
		return d, of(kernels.TheChampion, fmt.Errorf("%s: %w", d.Champion, err))
	}
	b, err := p.ready(ctx, challenger)
	if err != nil {
		return d, of(kernels.TheChallenger, fmt.Errorf("%s: %w", d.Challenger, err))
	}
	got, err := p.duel(ctx, a, b, t)
	got.Champion, got.Challenger = d.Champion, d.Challenger
	return got, err
}

// terms are those of a duel, or of one of its halves.
type terms struct {
	cache  string
	which  []int // workloads
	both   bool  // halves
	fresh  bool  // this is the fresh one
	unseen bool  // times are of calls on inputs that come again, the challenger's on others

	patient bool // no gain ends the fresh half before it has all pairs
}

// opening is how a half begins: with so many pairs. If in every one of them, at every workload, the same side is ahead
// by more than lead, the half is over.
type opening struct {
	pairs int
	lead  float64
}

// openings are tried in order. Noise of the size of either lead is unknown: three pairs are enough where one side takes
// half of the other's time, and a coin favours the same side in ten pairs once in a thousand times. Most of the first
// champions fall so, without minutes of a naive kernel's time.
var openings = []opening{{3, 0.5}, {10, 0.15}}

// duel measures a (the champion) and b (the challenger) in turn on some workloads until the rule has a
// verdict: steady, and where the challenger has won that, fresh.
func (p *Pool) duel(ctx context.Context, a, b contestant, t terms) (kernels.Duel, error) {
	d, _, err := p.half(ctx, a, b, t)
	if err != nil || !t.both {
		return d, err
	}
	if err := p.plausible(&d, t); err != nil || d.Verdict != kernels.Faster {
		return d, err
	}
	if err := of(kernels.TheChampion, a.bank(ctx, b, t.which)); err != nil {
		return d, err
	}
	if err := of(kernels.TheChallenger, b.bank(ctx, a, t.which)); err != nil {
		return d, err
	}
	t.fresh = true
	f, pairs, err := p.half(ctx, a, b, t)
	d.Rounds = append(d.Rounds, f.Rounds...)
	if err != nil {
		return d, err
	}
	if err := p.keepsAnswers(a, pairs, t, most); err != nil {
		return d, err
	}
	return unite(d, f), nil
}

// unite is the duel of two halves of which the first was won by the challenger.
func unite(steady, fresh kernels.Duel) kernels.Duel {
	if fresh.Verdict == kernels.Faster {
		return steady
	}
	out := steady
	out.Verdict, out.Ratio, out.Lo, out.Hi = fresh.Verdict, fresh.Ratio, fresh.Lo, fresh.Hi
	why := "faster only on inputs it has seen"
	if fresh.Verdict == kernels.Ambiguous {
		why = "faster, but not significantly on inputs it has not seen"
	}
	out.Detail = fmt.Sprintf("%s: %.4f of the champion's time steady, %.4f fresh", why, steady.Ratio, fresh.Ratio)
	return out
}

// half is one half of a duel, with its pairs.
func (p *Pool) half(ctx context.Context, a, b contestant, t terms) (d kernels.Duel, f *fight, err error) {
	f, verdict, err := p.open(ctx, a, b, t)
	if err != nil {
		return d, nil, err
	}
	if t.fresh && p.keepsAnswers(a, f, t, stats.Median) != nil {
		verdict = "" // these few pairs say that it may be so
	}
	if verdict == "" {
		rest := true
		if !t.fresh {
			rest, err = p.knowFaster(ctx, a, b, f)
		}
		if err == nil && rest {
			f, err = p.fight(ctx, a, b, t, stats.MinPairs)
		}
		if err == nil && t.fresh && f.Pairs() < stats.MinPairs && p.keepsAnswers(a, f, t, stats.Median) != nil {
			t.patient = true // more pairs tell whether it is so
			f, err = p.fight(ctx, a, b, t, stats.MinPairs)
		}
		if err != nil {
			return d, nil, err
		}
		f.given = f.given || !rest
	}
	d = kernels.Duel{Provenance: p.Provenance().Key(), Rounds: f.Rounds()}
	d.Verdict, d.Ratio, d.Lo, d.Hi = f.Verdict()
	switch {
	case verdict != "":
		d.Verdict = verdict
		d.Lo, d.Hi = f.Range()
	case f.given:
		d.Verdict = kernels.Ambiguous
	}
	for i := range f.workloads {
		f.describe(i, &d.Rounds[i], t)
	}
	return d, f, nil
}

// open takes the pairs of the openings, until one of them decides.
func (p *Pool) open(ctx context.Context, a, b contestant, t terms) (f *fight, verdict kernels.Verdict, err error) {
	for _, o := range openings {
		if f, err = p.fight(ctx, a, b, t, o.pairs); err != nil {
			return nil, "", err
		}
		if verdict = f.landslide(o.lead); verdict != "" {
			break
		}
	}
	return f, verdict, nil
}

// knowFaster measures the noise by the side that looks faster, where that was not done recently.
func (p *Pool) knowFaster(ctx context.Context, a, b contestant, f *fight) (rest bool, err error) {
	faster, side := a, kernels.TheChampion
	if median, _, _ := stats.Interval(f.ratios); median < 1 || a.rival != nil {
		faster, side = b, kernels.TheChallenger
	}
	rest, err = p.knowNoise(ctx, faster)
	if err != nil {
		err = of(side, err)
	}
	return rest, err
}

// plausible holds both sides' steady times to what the device can do.
func (p *Pool) plausible(d *kernels.Duel, t terms) error {
	for k, i := range t.which {
		w, r := p.cfg.Workloads[i], &d.Rounds[k]
		if why := p.tooFast(w, t.cache, r.Champion); why != "" && r.Pairs > 0 {
			return &found{kernels.TheChampion, kernels.Suspect, why}
		}
		if why := p.tooFast(w, t.cache, r.Challenger); why != "" && r.Pairs > 0 {
			return &found{kernels.TheChallenger, kernels.Suspect, why}
		}
	}
	return nil
}
