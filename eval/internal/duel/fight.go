package duel

import (
	"context"
	"slices"
	"time"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/stats"
	"darwarp/eval/internal/verdict"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

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
	hot       bool            // the GPU is, and stays so
	given     bool            // up, because the machine stayed too noisy
	stormed   kernels.Verdict // all the same; empty: none
}

// newFight begins a duel on some workloads, of which the objective makes one figure. Fresh times have to be below
// by no margin, but with their whole interval.
func (p *Duels) newFight(t terms, base map[string]float64) *fight {
	n := len(t.which)
	f := &fight{clock: make([]float64, n), discarded: make([]int, n), calm: make([]stats.Calm, n), fresh: t.fresh,
		repeat: make([][2][]float64, n)}
	var weights, levels []float64
	weighted := p.weighted()
	for _, i := range t.which {
		w := p.Cfg.Workloads[i]
		w.Weight = weighted[i]
		f.workloads, weights, levels = append(f.workloads, w), append(weights, w.Weight), append(levels, base[w.Name])
	}
	margin := p.margin()
	if t.fresh {
		margin = 0
	}
	combine := func(logs []float64) float64 { return p.Cfg.Objective.Combine(logs, f.workloads) }
	f.Duel = stats.NewDuel(weights, margin, 1).By(combine, levels)
	if t.both {
		f.Promotes()
	}
	if t.both && t.fresh && !t.patient {
		f.Sure(stats.MinMargin)
	}
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
func (p *Duels) fight(ctx context.Context, a, b verdict.Contestant, t terms, pairs int) (*fight, error) {
	f := p.begin(a, b, t)
	if err := p.goOn(ctx, a, b, t, f, pairs); err != nil {
		return nil, err
	}
	return f, nil
}

// begin is a fight without pairs.
func (p *Duels) begin(a, b verdict.Contestant, t terms) *fight {
	f := p.newFight(t, a.Base)
	if f.itself = b.Itself; t.both && !t.fresh && p.slow(a, b, t) {
		f.Sure(p.margin())
	}
	return f
}

// goOn takes more pairs of a fight, until there are as many as fight takes.
func (p *Duels) goOn(ctx context.Context, a, b verdict.Contestant, t terms, f *fight, pairs int) error {
	span := trace.Begin(ctx, "pairs")
	defer span.End()
	span.Note("fresh", t.fresh)
	began, few := time.Now(), pairs < stats.MinPairs
	for f.More() && !f.given && !f.late(began) && (!few || f.Pairs() < pairs) {
		n := min(Batch, pairs)
		if few {
			n = min(Batch, pairs-f.Pairs())
		}
		for i := range f.workloads {
			if f.given {
				break
			}
			take := func() (device.DuelReply, error) { return p.batch(ctx, a, b, t.which[i], t, n) }
			var got device.DuelReply
			var err error
			if few {
				got, err = take()
			} else {
				got, err = p.calmly(ctx, f, i, take)
			}
			if err != nil {
				return err
			}
			f.enter(i, got)
			kernels.WatchOf(ctx).Tell(f.step())
		}
	}
	span.Note("pairs", f.Pairs())
	return nil
}

// step says how far the fight is.
func (f *fight) step() string {
	half := "steady"
	if f.fresh {
		half = "fresh"
	}
	return half + ", " + kernels.Quantity(f.Pairs(), "pair")
}

// FreshFor is how long a fresh half goes on that is ambiguous after its first pairs: who wins by so little may
// challenge the next champion, and at large sizes 200 pairs hold the device for a quarter of a minute.
var FreshFor = 10 * time.Second

// late reports whether a fight is to end as it stands.
func (f *fight) late(began time.Time) bool {
	return f.fresh && f.Pairs() >= stats.MinPairs && time.Since(began) > FreshFor
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
