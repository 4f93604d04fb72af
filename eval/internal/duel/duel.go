// Package duel has two kernels measured in turn on a rig until one of them is faster beyond the noise, steady and on
// fresh inputs, or is not; and finds out what keeps answers of earlier calls.
package duel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/verdict"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// Batch is how many pairs are measured between two looks at the interval.
const Batch = 20

// Duels are what candidates fight on a device.
type Duels struct {
	*verdict.Session
	mu      sync.Mutex
	weights map[string]float64 // of workloads, where Weigh changed them
	repeats map[string]float64 // the naive start's repeated calls over its fresh ones, by workload
	Noise   noise              // of a kernel with itself
}

// New are those of a session.
func New(s *verdict.Session) *Duels { return &Duels{Session: s, repeats: map[string]float64{}} }

// Duel measures two candidates in turn on every workload that the objective looks at and says whether the
// challenger is faster beyond the noise, steady and fresh. Nobody is promoted by a fault: one of a candidate's
// makes the duel ambiguous, and the duel says who was found out as what; ours is a kernels.ErrLost.
func (p *Duels) Duel(ctx context.Context, champion, challenger *kernels.Job) (out kernels.Duel, err error) {
	ctx, end := p.Doubting(ctx, "duel "+champion.ID.Short()+" "+challenger.ID.Short())
	defer end()
	release := p.Kept(challenger)
	defer func() {
		if out.Verdict == kernels.Faster { // its trial follows
			time.AfterFunc(lingers, release)
			return
		}
		release()
	}()
	t := terms{cache: p.Cfg.Cache, which: p.Cfg.Objective.Deciding(p.Cfg.Workloads), both: true,
		twins: champion.ID == challenger.ID}
	d, err := p.versus(runner.Urgently(ctx), champion, challenger, t)
	if !errors.Is(err, verdict.ErrFaulted) {
		return d, err
	}
	p.Log.Warn("duel without a winner", "champion", champion.ID.Short(), "challenger", challenger.ID.Short(), "error", err)
	d.Verdict, d.Detail = kernels.Ambiguous, kernels.CleanDetail(err.Error())
	if f := (*verdict.Found)(nil); errors.As(err, &f) && f.Side != "" {
		d.Outcome, d.Culprit, d.Detail = f.Outcome, f.Side, kernels.CleanDetail(f.Detail)
	}
	return d, nil
}

// Kept keeps the device from candidates where they are to wait for what is found out about one. The first champions of
// a search else share it with some twenty that were begun, each of which may take it for half a second.
func (p *Duels) Kept(job *kernels.Job) (release func()) {
	if !job.Foremost {
		return func() {}
	}
	return p.Runner.Keep()
}

// lingers is how long candidates wait for the trial of who has won. Those who get a slot before it begins would be
// gated first, a second or more of large sizes.
const lingers = 100 * time.Millisecond

// Doubting begins a row of the trace for what comes after a candidate's verdict.
func (p *Duels) Doubting(ctx context.Context, what string) (row context.Context, end func()) {
	lane := p.Cfg.Trace.Take("duels and trials")
	span := lane.Begin(what)
	return trace.With(ctx, lane), func() {
		span.End()
		lane.Free()
	}
}

// Versus duels two candidates on every workload, at hot or cold, by steady times alone; Duel does at the session's
// own mode, and fresh. An error that is a candidate's fault says which.
func (p *Duels) Versus(ctx context.Context, champion, challenger *kernels.Job, cache string) (kernels.Duel, error) {
	return Patiently(func() (kernels.Duel, error) {
		return p.versus(ctx, champion, challenger, terms{cache: cache, which: p.All()})
	})
}

// losses is how often what our side lost is asked for where no search does.
const losses = 3

// Patiently asks again for what our side lost: what is published at the end of a night must not fail for one
// worker that somebody killed.
func Patiently[T any](ask func() (T, error)) (got T, err error) {
	for range losses {
		if got, err = ask(); !errors.Is(err, kernels.ErrLost) {
			break
		}
	}
	return got, err
}

// All are the indices of the workloads.
func (p *Duels) All() []int { return kernels.Geomean.Deciding(p.Cfg.Workloads) }

func (p *Duels) versus(ctx context.Context, champion, challenger *kernels.Job, t terms) (kernels.Duel, error) {
	d := kernels.Duel{Champion: champion.ID.Short(), Challenger: challenger.ID.Short()}
	a, err := p.Standing(ctx, champion)
	if err != nil {
		return d, verdict.Of(kernels.TheChampion, fmt.Errorf("%s: %w", d.Champion, err))
	}
	b, err := p.Ready(ctx, challenger)
	if err != nil {
		return d, verdict.Of(kernels.TheChallenger, fmt.Errorf("%s: %w", d.Challenger, err))
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
	twins   bool // a kernel fights itself, and how far apart its times are is what is to be known
}

// promotes reports whether all that matters is if the challenger is faster.
func (t terms) promotes() bool { return t.both && !t.fresh && !t.twins }

// duel measures a (the champion) and b (the challenger) in turn on some workloads until the rule has a
// verdict: steady, and where the challenger has won that, fresh.
func (p *Duels) duel(ctx context.Context, a, b verdict.Contestant, t terms) (kernels.Duel, error) {
	d, _, err := p.half(ctx, a, b, t)
	if err != nil || !t.both {
		return d, err
	}
	if err := p.plausible(&d, t); err != nil || d.Verdict != kernels.Faster {
		return d, err
	}
	if err := verdict.Of(kernels.TheChampion, a.Bank(ctx, p.banks(a, b, t.which))); err != nil {
		return d, err
	}
	if err := verdict.Of(kernels.TheChallenger, b.Bank(ctx, p.banks(a, b, t.which))); err != nil {
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

// Between has two contestants fight by steady times.
func (p *Duels) Between(ctx context.Context, a, b verdict.Contestant, cache string, which []int) (kernels.Duel, error) {
	return p.duel(ctx, a, b, terms{cache: cache, which: which})
}

// unite is the duel of two halves of which the first was won by the challenger.
func unite(steady, fresh kernels.Duel) kernels.Duel {
	if fresh.Verdict == kernels.Faster {
		return steady
	}
	out := steady
	out.Verdict, out.Ratio, out.Lo, out.Hi = fresh.Verdict, fresh.Ratio, fresh.Lo, fresh.Hi
	if slices.ContainsFunc(fresh.Rounds, func(r kernels.DuelRound) bool { return !(r.Ratio > 0) }) {
		out.Detail = fmt.Sprintf("faster, %.4f of the champion's time steady, but on inputs it has not seen the machine "+
			"stayed too noisy for one pair", steady.Ratio)
		return out
	}
	why := "faster only on inputs it has seen"
	if fresh.Verdict == kernels.Ambiguous {
		why = "faster, but not significantly on inputs it has not seen"
	}
	out.Detail = fmt.Sprintf("%s: %.4f of the champion's time steady, %.4f fresh", why, steady.Ratio, fresh.Ratio)
	return out
}

// plausible holds both sides' steady times to what the device can do.
func (p *Duels) plausible(d *kernels.Duel, t terms) error {
	for k, i := range t.which {
		w, r := p.Cfg.Workloads[i], &d.Rounds[k]
		if why := p.TooFast(w, t.cache, r.Champion); why != "" && r.Pairs > 0 {
			return &verdict.Found{Side: kernels.TheChampion, Outcome: kernels.Suspect, Detail: why}
		}
		if why := p.TooFast(w, t.cache, r.Challenger); why != "" && r.Pairs > 0 {
			return &verdict.Found{Side: kernels.TheChallenger, Outcome: kernels.Suspect, Detail: why}
		}
	}
	return nil
}
