package mutate

import (
	"math"
	"math/rand/v2"
)

// Surrogate fits a random forest to the log times of all verdicts and proposes the point that is
// expected to improve most on the best (Jones et al., Efficient Global Optimization, 1998; with a
// forest as in SMAC, Hutter et al., 2011). Where time is what a search has to spend, it is the
// improvement per expected second. With other points in flight it is a confidence bound: see acquisition.
type Surrogate struct{}

// Name is "surrogate".
func (Surrogate) Name() string { return "surrogate" }

// Propose needs something to have worked.
func (Surrogate) Propose(rng *rand.Rand, pool *Pool) (Proposal, bool) {
	o := pool.Outlook
	if !o.lasts(pool) {
		o = look(rng, pool)
	}
	if len(o.points) == 0 {
		return Proposal{}, false
	}
	if pool.Outlook != nil {
		o.kept = pool.Outlook.kept
		*pool.Outlook = *o
	}
	rate := acquisition(rng, pool, o.best)
	at, top := o.points[0].index, math.Inf(-1)
	for _, p := range o.points {
		if gain := rate(p.mean, p.deviation) - p.cost; gain > top && !pool.Known(p.index) {
			at, top = p.index, gain
		}
	}
	return pool.closest(at), true
}

// acquisition rates predictions, more is better: by the logarithm of the expected improvement on best, as is right for
// one proposal at a time. With others in flight it would look for the next one beside them, because they teach nothing
// before they are answered. Then it is the lower confidence bound, and the weight of the deviation is drawn from Exp(1)
// for each proposal: one looks where it is good, the next where it is uncertain (Hutter, Hoos, Leyton-Brown, "Parallel
// Algorithm Configuration", 2012).
func acquisition(rng *rand.Rand, pool *Pool, best float64) func(mean, deviation float64) float64 {
	if len(pool.Pending) == 0 {
		return func(mean, deviation float64) float64 { return math.Log(improvement(best, mean, deviation)) }
	}
	weight := rng.ExpFloat64()
	return func(mean, deviation float64) float64 { return weight*deviation - mean }
}

// improvement is the expected improvement on best of something normal, in units of y.
func improvement(best, mean, deviation float64) float64 {
	z := (best - mean) / deviation
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	below := 0.5 * math.Erfc(-z/math.Sqrt2)
	return max(1e-300, (best-mean)*below+deviation*density)
}

// closest makes a proposal of a point: its parent is the elite that it differs from the least.
func (p *Pool) closest(i int) Proposal {
	at := p.Space.At(i)
	parent := p.Best[0]
	for _, o := range p.Best[:min(elites, len(p.Best))] {
		if distance(at, o.Point) < distance(at, parent.Point) {
			parent = o
		}
	}
	return Proposal{i, describe(p.Space, parent.Point, at), []*Individual{parent}}
}
