package stats

import (
	"math"

	"darwarp/kernels"
)

// How few pairs say that a challenger is not faster: of three it loses every one, of ten it wins no more than one by
// the margin. A challenger whose true ratio is at the margin wins half of its pairs by the margin, and so few of ten
// once in 93 times; one that is better, less often.
const (
	fewPairs = 3
	tenPairs = 10
)

// Hopeless reports whether so few pairs say already that the challenger is not faster by the margin. It is for duels
// about a promotion, and ends them without one. Over several workloads the pairs that favour the challenger at each
// are taken together, which ends fewer duels.
func (d *Duel) Hopeless() bool {
	switch n := d.Pairs(); {
	case n >= tenPairs && n < minEarly:
		return d.favoured(1) >= 1-d.delta
	case n >= fewPairs && n < tenPairs:
		return d.favoured(0) >= 1
	}
	return false
}

// favoured is the gain if at every workload the true ratio were the one of which so many are less.
func (d *Duel) favoured(less int) float64 {
	ratios := make([]float64, len(d.rounds))
	for i, r := range d.rounds {
		ratios[i] = r.ratios[less]
	}
	return math.Exp(d.gain()(ratios))
}

// Loss is the verdict of a Hopeless duel.
func (d *Duel) Loss() kernels.Verdict {
	switch lo, hi := d.Range(); {
	case lo > 1+d.delta:
		return kernels.Slower
	case lo >= 1-d.delta && hi <= 1+d.delta:
		return kernels.Same
	}
	return kernels.Ambiguous
}
