package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"darwarp/eval/internal/device"
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
	cache string
	which []int // workloads
	both  bool  // halves
	fresh bool  // this is the fresh one
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
	if err := of(kernels.TheChampion, a.bank(ctx, t.which)); err != nil {
		return d, err
	}
	if err := of(kernels.TheChallenger, b.bank(ctx, t.which)); err != nil {
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
		why = "faster, but not beyond doubt on inputs it has not seen"
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
		if err != nil {
			return d, nil, err
		}
		f.given = f.given || !rest
	}
	d = kernels.Duel{Proof: p.Provenance().Key(), Rounds: f.Rounds()}
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

// describe says under which terms a round was fought, and what happened.
func (f *fight) describe(i int, r *kernels.DuelRound, t terms) {
	r.Workload, r.Cache, r.Clock, r.Discarded = f.workloads[i].Name, t.cache, f.clock[i], f.discarded[i]
	if !t.fresh {
		return
	}
	r.Cache = kernels.FreshRound
	for side, ratios := range f.repeat[i] {
		if len(ratios) > 0 {
			r.Repeat[side] = stats.Median(ratios)
		}
	}
}

// knowFaster measures the noise by the side that looks faster, where that was not done of late.
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

// How much faster than those of honest kernels a kernel's repeated calls may be, over its fresh ones. On an H200
// medians of kernels that keep nothing lay within 0.98 and 1.02; an emulated one's second call finds the
// processor's caches warm. The first of a sample's calls fetches the machine code from memory, since refilling has
// pushed it out of the caches, and its repeat does not: large code of a kernel of 5 us took 0.45 us a call for that.
const (
	repeatMargin         = 0.05
	emulatedRepeatMargin = 0.1
	repeatSlack          = 500 // ns a call
)

// most is the upper end of the interval of a median.
func most(ratios []float64) float64 {
	_, _, hi := stats.Interval(ratios)
	return hi
}

// keepsAnswers finds a challenger out whose repeated calls are faster than its fresh ones, beyond the noise and
// beyond the naive start's and the champion's: it finds something that earlier calls have left. least makes one figure
// of a workload's ratios, which has to be so fast.
func (p *Pool) keepsAnswers(a contestant, f *fight, t terms, least func([]float64) float64) error {
	rounds := f.Rounds()
	for k, i := range t.which {
		name, champions := p.cfg.Workloads[i].Name, 0.0
		if len(f.repeat[k][0]) > 0 {
			_, champions, _ = stats.Interval(f.repeat[k][0])
		}
		again := repeats{f.repeat[k][1], rounds[k].Challenger}
		if why := p.repeatsTooFast(name, again, p.honestRepeat(name, a.naive, champions), least); why != "" {
			return &found{kernels.TheChallenger, kernels.Suspect, why}
		}
	}
	return nil
}

// repeats are a kernel's repeated calls at a workload.
type repeats struct {
	ratios []float64 // of the time of repeated calls to that of the fresh ones before
	fresh  float64   // ns, the median of a fresh call
}

// repeatsTooFast says why ratios of repeated to fresh calls are no honest kernel's at a workload; empty where they
// may be one's, and where there are none.
func (p *Pool) repeatsTooFast(workload string, r repeats, honest float64, least func([]float64) float64) string {
	if len(r.ratios) == 0 {
		return ""
	}
	margin := repeatMargin + repeatSlack/r.fresh
	if p.device.Kind == "cpu" {
		margin = emulatedRepeatMargin
	}
	if least(r.ratios) >= (1-margin)*honest {
		return ""
	}
	return fmt.Sprintf("%s: keeps answers: calls on inputs that it has seen take %.2f of the time of the same calls "+
		"before, "+
		"%.2f of honest kernels", workload, stats.Median(r.ratios), honest)
}

// honestRepeat is the least ratio of repeated to fresh calls that an honest kernel may have at a workload, by the
// naive start and the champion of the duel: 1 is what it should be.
func (p *Pool) honestRepeat(workload string, naive bool, champions float64) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if champions > 0 && naive {
		p.repeats[workload] = champions
	}
	honest := 1.0
	for _, r := range []float64{champions, p.repeats[workload]} {
		if r > 0 {
			honest = math.Min(honest, r)
		}
	}
	return honest
}

// fight is the pairs of a duel so far.
type fight struct {
	*stats.Duel
	workloads []kernels.Workload
	clock     []float64 // SM MHz by workload
	discarded []int     // blocks by workload
	calm      []stats.Calm
	ratios    []float64      // challenger over champion, of all workloads
	repeat    [][2][]float64 // of fresh samples, by workload and side
	itself    bool           // a kernel against itself
	fresh     bool
	hot       bool // the GPU is, and stays so
	given     bool // up, because the machine did not come to rest
}

// newFight begins a duel on some workloads, of which the objective makes one figure. Fresh times have to be below
// by no margin, but with their whole interval.
func (p *Pool) newFight(t terms, base map[string]float64) *fight {
	n := len(t.which)
	f := &fight{clock: make([]float64, n), discarded: make([]int, n), calm: make([]stats.Calm, n), fresh: t.fresh,
		repeat: make([][2][]float64, n)}
	var weights, levels []float64
	weighted := p.weighted()
	for _, i := range t.which {
		w := p.cfg.Workloads[i]
		w.Weight = weighted[i]
		f.workloads, weights, levels = append(f.workloads, w), append(weights, w.Weight), append(levels, base[w.Name])
	}
	margin := p.margin()
	if t.fresh {
		margin = 0
	}
	combine := func(logs []float64) float64 { return p.cfg.Objective.Combine(logs, f.workloads) }
	f.Duel = stats.NewDuel(weights, margin, 1).By(combine, levels)
	return f
}

// landslide is the verdict when one side won every pair by more than lead, and empty otherwise.
func (f *fight) landslide(lead float64) kernels.Verdict {
	lo, hi := slices.Min(f.ratios), slices.Max(f.ratios)
	switch {
	case hi < 1-lead:
		return kernels.Faster
	case lo > 1+lead:
		return kernels.Slower
	}
	return ""
}

// fight takes pairs on some workloads: exactly `pairs` of them when they are fewer than a verdict takes, else until the
// rule wants no more. In those few every pair counts: nothing that happens to a machine favours one side in ten
// pairs that alternate.
func (p *Pool) fight(ctx context.Context, a, b contestant, t terms, pairs int) (*fight, error) {
	span := trace.Begin(ctx, "pairs")
	defer span.End()
	span.Note("fresh", t.fresh)
	f, began := p.newFight(t, a.base), time.Now()
	f.itself = b.itself
	for f.More() && !f.given && !f.late(began) && (pairs >= stats.MinPairs || f.Pairs() < pairs) {
		for i := range f.workloads {
			if f.given {
				break
			}
			take := func() (device.DuelReply, error) { return p.batch(ctx, a, b, t.which[i], t, min(duelBatch, pairs)) }
			var got device.DuelReply
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
	span.Note("pairs", f.Pairs())
	return f, nil
}

// freshFor is how long a fresh half goes on that is ambiguous after its first pairs: who wins by so little may
// challenge the next champion, and at large sizes 200 pairs hold the device for a quarter of a minute.
var freshFor = 10 * time.Second

// late reports whether a fight is to end as it stands.
func (f *fight) late(began time.Time) bool {
	return f.fresh && f.Pairs() >= stats.MinPairs && time.Since(began) > freshFor
}

// enter adds a block of pairs at a workload.
func (f *fight) enter(i int, got device.DuelReply) {
	for j := range got.A.Samples {
		f.Add(i, got.A.Samples[j], got.B.Samples[j])
		f.ratios = append(f.ratios, got.B.Samples[j]/got.A.Samples[j])
	}
	f.repeat[i][0] = append(f.repeat[i][0], got.A.Repeat...)
	f.repeat[i][1] = append(f.repeat[i][1], got.B.Repeat...)
	known := slices.DeleteFunc(slices.Concat(got.A.Clock, got.B.Clock), func(mhz float64) bool { return !(mhz > 0) })
	if len(known) > 0 {
		f.clock[i] = stats.Median(known)
	}
}
