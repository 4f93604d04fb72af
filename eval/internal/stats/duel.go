package stats

import (
	"math"
	"slices"

	"darwarp/kernels"
)

// A duel takes MinPairs pairs per workload, and more in steps while it is ambiguous, to MaxPairs. In
// simulation 60 pairs with 1 % sample noise find a gain of 1.5 % nine times in ten.
const (
	MinPairs  = 60
	MaxPairs  = 200
	pairsStep = 20
	// From so many pairs on a duel may end early: because the challenger will not turn out faster, or it is so by far more
	// than asked for.
	minEarly = 20
)

const (
	resamples = 2000
	tail      = 0.005  // each bound is one-sided 99.5 %
	tailSigma = 2.5758 // and that many standard deviations away for a normal distribution
)

// MinMargin is the least difference that counts: smaller ones come from code layout and clock jitter.
const MinMargin = 0.005

// Margin is the difference that a duel has to exceed, given the noise of a kernel against itself (see
// Duel.Noise).
func Margin(noise float64) float64 { return max(MinMargin, 2*noise) }

// ChampionFirst says whether the same side runs first in pair i as in the first one, which is the champion where
// nothing is drawn. So pairs alternate A B B A, and a drift or an effect of going second cancels.
func ChampionFirst(i int) bool { return i%2 == 0 }

// Duel compares a challenger with a champion by pairs of times taken one right after the other. Drift affects both,
// so each pair's ratio is clean; the median ratio ignores spikes.
type Duel struct {
	delta    float64
	combine  func(logs []float64) float64 // makes one of the workloads' logarithms
	base     []float64                    // by workload, what the champion's time is relative to; 0: itself
	seed     uint64
	rounds   []round
	rejected int
	look     int // pairs at which to ask for a verdict next
	judged   int // pairs that result stands on
	promotes bool
	sure     float64 // a gain that MinPairs are not waited for; 0: there is none
	result   result
}

// NewDuel starts a duel over as many workloads as there are weights, which must be positive. delta is the margin, as
// 0.005. The seed is for the bootstrap: same data and seed, same verdict.
func NewDuel(weights []float64, delta float64, seed uint64) *Duel {
	d := &Duel{delta: delta, seed: seed, look: MinPairs}
	sum := 0.0
	for _, w := range weights {
		d.rounds = append(d.rounds, round{weight: w})
		sum += w
	}
	d.base = make([]float64, len(weights))
	d.combine = func(logs []float64) float64 {
		mean := 0.0
		for i, x := range logs {
			mean += weights[i] * x
		}
		return mean / sum
	}
	return d
}

// By replaces the weighted geometric mean by another rule that combines the workloads' logarithms into one figure.
// The rule gets the logarithms of time over base, and the duel is about how much the challenger lowers its result. A
// base of 0 is the champion's own time.
func (d *Duel) By(combine func(logs []float64) float64, base []float64) *Duel {
	d.combine, d.base = combine, base
	return d
}

// Promotes says that all that matters is whether the challenger is faster: the duel ends as well where it is not,
// beyond its bounds.
func (d *Duel) Promotes() *Duel {
	d.promotes, d.look = true, minEarly
	return d
}

// Sure says that fewer than MinPairs pairs are enough for a gain that is beyond gain with its whole interval. It is for
// a question that others have answered already.
func (d *Duel) Sure(gain float64) *Duel {
	d.sure, d.look = gain, minEarly
	return d
}

// Add takes one pair at a workload: the champion's time a and the challenger's b, in the same unit. A pair that is
// not two positive numbers is dropped: a measuring fault must not decide anything.
func (d *Duel) Add(workload int, a, b float64) {
	log := math.Log(b / a)
	if !(a > 0 && b > 0) || math.IsInf(log, 0) || math.IsNaN(log) {
		d.rejected++
		return
	}
	r := &d.rounds[workload]
	r.champion, r.challenger = append(r.champion, a), append(r.challenger, b)
	at, _ := slices.BinarySearch(r.ratios, log)
	r.ratios = slices.Insert(r.ratios, at, log)
}

// Pairs is how many pairs the workload with the fewest has.
func (d *Duel) Pairs() int {
	n := math.MaxInt
	for _, r := range d.rounds {
		n = min(n, len(r.ratios))
	}
	if len(d.rounds) == 0 {
		return 0
	}
	return n
}

// More reports whether every workload needs another pair.
func (d *Duel) More() bool {
	n := d.Pairs()
	if n >= MaxPairs || d.rejected > MaxPairs || len(d.rounds) == 0 {
		return false
	}
	if n < d.look {
		return true
	}
	v, _, lo, _ := d.Verdict()
	if v != kernels.Ambiguous || d.promotes && lo > 1-d.delta {
		return false
	}
	d.look = n + pairsStep
	return true
}

// Verdict is the decision on the pairs so far, with the rule's result for the workloads' median ratios, challenger
// over champion, and its one-sided 99.5 % bounds. Before MinPairs pairs it is Ambiguous, unless Promotes or Sure say
// otherwise.
func (d *Duel) Verdict() (v kernels.Verdict, ratio, lo, hi float64) {
	n := 0
	for _, r := range d.rounds {
		n += len(r.ratios)
	}
	if d.judged != n || d.result.verdict == "" {
		d.result, d.judged = d.judge(), n
	}
	return d.result.verdict, d.result.ratio, d.result.lo, d.result.hi
}

// Range is the gain if the least ratio were the true one at every workload, and if the greatest were.
func (d *Duel) Range() (lo, hi float64) {
	gain := d.gain()
	least, most := make([]float64, len(d.rounds)), make([]float64, len(d.rounds))
	for i, r := range d.rounds {
		if n := len(r.ratios); n > 0 {
			least[i], most[i] = r.ratios[0], r.ratios[n-1]
		}
	}
	return math.Exp(gain(least)), math.Exp(gain(most))
}

// Noise is the standard error of the ratio. Margin takes that of a champion against itself.
func (d *Duel) Noise() float64 {
	_, _, lo, hi := d.Verdict()
	return (hi - lo) / (2 * tailSigma)
}

// Rounds is the result of each workload on its own. Workload and Cache are for the caller to fill in.
func (d *Duel) Rounds() []kernels.DuelRound {
	var out []kernels.DuelRound
	for i, r := range d.rounds {
		if len(r.ratios) == 0 {
			out = append(out, kernels.DuelRound{})
			continue
		}
		e := estimate(d.rounds[i:i+1], d.seed, alone)
		out = append(out, kernels.DuelRound{Pairs: len(r.ratios), Champion: Median(r.champion),
			Challenger: Median(r.challenger),
			Ratio:      e.ratio, Lo: e.lo, Hi: e.hi})
	}
	return out
}
