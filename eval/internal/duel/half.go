package duel

import (
	"context"

	"darwarp/eval/internal/stats"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// opening is how a half begins: with so many pairs. If in every one of them, at every workload, the same side is ahead
// by more than lead, the half is over.
type opening struct {
	pairs int
	lead  float64
}

// openings are tried in order, each with the pairs of those before. Noise of the size of a lead is unknown: three pairs
// are enough where one side takes half of the other's time, and a coin favours the same side in ten pairs once in a
// thousand times. What lies between is about as rare, however large the noise is (TestOpeningsAreRare). Most of the
// first champions fall so, without minutes of a naive kernel's time.
var openings = []opening{{3, 0.5}, {4, 0.45}, {7, 0.25}, {10, 0.15}}

// unequalOpening comes before the others where one side is known to be many times slower, and its calls take so long
// that a pair holds the device for half a second: one pair in either order, each won with a quarter of the other's
// time.
var unequalOpening = opening{2, 0.75}

// openingsOf are those of two sides. Where the interval is published it is of ten pairs at least: their range has the
// median in it with 99 %, that of three with 75 %.
func (p *Duels) openingsOf(a, b verdict.Contestant, t terms) []opening {
	if !t.both {
		return openings[len(openings)-1:]
	}
	for _, i := range t.which {
		if !unequal(a, b, p.Cfg.Workloads[i].Name) {
			return openings
		}
	}
	return append([]opening{unequalOpening}, openings...)
}

// half is one half of a duel, with its pairs.
func (p *Duels) half(ctx context.Context, a, b verdict.Contestant, t terms) (d kernels.Duel, f *fight, err error) {
	f, verdict, err := p.open(ctx, a, b, t)
	if err != nil {
		return d, nil, err
	}
	if t.fresh && p.keepsAnswers(a, f, t, stats.Median) != nil {
		verdict = "" // these few pairs say that it may be so
	}
	if verdict == "" {
		if f, err = p.fightOn(ctx, a, b, t, f); err != nil {
			return d, nil, err
		}
	}
	d = kernels.Duel{Provenance: p.Proof.Key(), Rounds: f.Rounds()}
	d.Verdict, d.Ratio, d.Lo, d.Hi = f.Verdict()
	switch {
	case verdict != "":
		d.Verdict = verdict
		d.Lo, d.Hi = f.Range()
	case f.given && f.stormed != "":
		d.Verdict = f.stormed
	case f.given:
		d.Verdict, d.Detail = kernels.Ambiguous, "the machine stayed too noisy to tell"
	}
	for i := range f.workloads {
		f.describe(i, &d.Rounds[i], t)
	}
	return d, f, nil
}

// fightOn takes the pairs behind openings that decided nothing.
func (p *Duels) fightOn(ctx context.Context, a, b verdict.Contestant, t terms, f *fight) (*fight, error) {
	rest, err := true, error(nil)
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
		return nil, err
	}
	if f.given = f.given || !rest; f.given && t.both {
		return p.throughStorm(ctx, a, b, t, f)
	}
	return f, nil
}

// open takes the pairs of the openings, until one of them decides. Those that can decide no more, for a pair that was
// closer, are passed over; in the last one of them a challenger may be hopeless.
func (p *Duels) open(ctx context.Context, a, b verdict.Contestant, t terms) (
	f *fight, verdict kernels.Verdict, err error) {
	f = p.begin(a, b, t)
	all := p.openingsOf(a, b, t)
	for i, o := range all {
		if i+1 < len(all) && f.Pairs() > 0 && f.landslide(o.lead) == "" {
			continue
		}
		if err = p.goOn(ctx, a, b, t, f, o.pairs); err != nil {
			return nil, "", err
		}
		if verdict = f.landslide(o.lead); verdict == "" && t.promotes() && f.Hopeless() {
			verdict = f.Loss()
		}
		if verdict != "" {
			break
		}
	}
	return f, verdict, nil
}

// knowFaster measures the noise by the side that looks faster, where that was not done recently.
func (p *Duels) knowFaster(ctx context.Context, a, b verdict.Contestant, f *fight) (rest bool, err error) {
	faster, side := a, kernels.TheChampion
	if median, _, _ := stats.Interval(f.ratios); median < 1 || a.Rival != nil {
		faster, side = b, kernels.TheChallenger
	}
	rest, err = p.knowNoise(ctx, faster)
	if err != nil {
		err = verdict.Of(side, err)
	}
	return rest, err
}
