// Package scoring runs search strategies on recorded spaces and scores what they find.
package scoring

import (
	"errors"
	"math"
	"slices"
)

// Landscape is what a score knows of a recorded space: every configuration's value, less is better,
// and what it cost.
//
// The score is that of Willemsen et al., "A methodology for comparing optimization algorithms for
// auto-tuning" (2024): 0 is what random search is expected to find, 1 is the optimum from the start.
type Landscape struct {
	Values []float64 // of the configurations that work, worst first
	Total  int       // configurations, those that fail too
	CutOff int       // evaluations until random search is expected 95 % of the way from median to optimum
	Limit  float64   // the same in seconds

	start float64 // seconds: where the score by time begins
	pace  float64 // seconds that random search takes for a configuration that works, its failures included
}

// cutOff is how far down from the median to the optimum the score looks.
const cutOff = 0.95

// gridSize is how many points in time a score is the mean of.
const gridSize = 1000

// NewLandscape takes the values and seconds of all configurations; the value of one that fails is NaN.
func NewLandscape(values, seconds []float64) (*Landscape, error) {
	l := &Landscape{Total: len(values)}
	var all, good, bad []float64
	for i, v := range values {
		if !math.IsNaN(v) {
			l.Values = append(l.Values, v)
		}
		switch s := seconds[i]; {
		case s <= 0: // not known
			continue
		case math.IsNaN(v):
			bad = append(bad, s)
		default:
			good = append(good, s)
		}
		all = append(all, seconds[i])
	}
	if len(l.Values) < 2 {
		return nil, errors.New("fewer than two configurations work: there is nothing to find")
	}
	slices.Sort(l.Values)
	slices.Reverse(l.Values)
	l.CutOff = l.expected(cutOff)
	slices.Sort(all)
	if len(all) > 0 {
		failed := 1 - float64(len(l.Values))/float64(l.Total)
		each := Quantile(all, 0.5)
		l.start, l.Limit = float64(l.expected(0))*each, float64(l.CutOff)*each
		l.pace = mean(good) + failed*mean(bad)
	}
	return l, nil
}

// Optimum is the best value.
func (l *Landscape) Optimum() float64 { return l.Values[len(l.Values)-1] }

// expected is the number of evaluations after which random search is expected to be such a part of
// the way from the median to the optimum.
func (l *Landscape) expected(part float64) int {
	n, opt := len(l.Values), l.Optimum()
	median := (l.Values[(n-1)/2] + l.Values[n/2]) / 2
	goal := opt + (median-opt)*(1-part)
	i := slices.IndexFunc(l.Values, func(v float64) bool { return v <= goal })
	if l.Values[i] == opt && i > 0 {
		i-- // the optimum itself would take random search for ever
	}
	return max(1, int(math.Ceil(float64(i)/float64(n+1-i))))
}

// random is the best value that random search is expected to have after so many evaluations that work.
func (l *Landscape) random(evals int) float64 {
	n := len(l.Values)
	i := math.RoundToEven(float64(evals) * float64(n+1) / float64(evals+1))
	return l.Values[min(n-1, int(i))]
}

// randomAt is random after so many seconds: smooth between whole evaluations.
func (l *Landscape) randomAt(seconds float64) float64 {
	x := max(1, seconds/l.pace)
	m := int(x)
	var y [4]float64
	for i := range y {
		y[i] = l.random(max(1, m-1+i))
	}
	return pchip(y, x-float64(m), m == 1)
}

// pchip interpolates between y[1] and y[2] without overshooting, at x in [0, 1); the four values are
// one apart, first says that there is none before y[1]. Fritsch and Butland, "A method for
// constructing local monotone piecewise cubic interpolants" (1984).
func pchip(y [4]float64, x float64, first bool) float64 {
	before, here, after := y[1]-y[0], y[2]-y[1], y[3]-y[2]
	d1, d2 := slope(before, here), slope(here, after)
	if first {
		d1 = (3*here - after) / 2
		if d1*here <= 0 {
			d1 = 0
		} else if here*after < 0 && math.Abs(d1) > 3*math.Abs(here) {
			d1 = 3 * here
		}
	}
	x2, x3 := x*x, x*x*x
	return y[1]*(2*x3-3*x2+1) + d1*(x3-2*x2+x) + y[2]*(3*x2-2*x3) + d2*(x3-x2)
}

func slope(a, b float64) float64 {
	if a*b <= 0 {
		return 0
	}
	return 2 * a * b / (a + b)
}

// Score is the mean performance of some runs of a strategy, over evaluations up to CutOff and over
// time up to Limit: of the median run, as part of the way from random search to the optimum. It is
// NaN by time when no costs were recorded.
func (l *Landscape) Score(runs []Run) (evals, seconds float64) {
	opt := l.Optimum()
	part := func(random, found float64) (float64, bool) {
		return (random - found) / (random - opt), random > opt
	}
	var sum mean1
	for m := 1; m <= l.CutOff; m++ {
		p, ok := part(l.random(m), l.median(runs, func(s Step) bool { return s.Evals <= m }))
		sum.add(p, ok)
	}
	if l.Limit == 0 {
		return sum.mean(), math.NaN()
	}
	var timed mean1
	for k := range gridSize {
		t := l.start + (l.Limit-l.start)*float64(k)/(gridSize-1)
		p, ok := part(l.randomAt(t), l.median(runs, func(s Step) bool { return s.Seconds <= t }))
		timed.add(p, ok)
	}
	return sum.mean(), timed.mean()
}

// median is the middle value of what the runs have by then; a run with nothing yet has the worst.
func (l *Landscape) median(runs []Run, by func(Step) bool) float64 {
	found := make([]float64, len(runs))
	for i, r := range runs {
		found[i] = min(l.Values[0], r.best(by))
	}
	slices.Sort(found)
	return Quantile(found, 0.5)
}

// RandomSearch gives what random search has after so many evaluations, exactly: the quantiles of
// optimum over best found, by share of searches from the worst, and the chance of the optimum.
func (l *Landscape) RandomSearch(evals int, shares ...float64) (quantiles []float64, found float64) {
	for _, share := range shares {
		quantiles = append(quantiles, l.Optimum()/l.Values[l.reached(evals, 1-share)])
	}
	ties := len(l.Values) - slices.Index(l.Values, l.Optimum())
	return quantiles, 1 - l.missed(evals, ties)
}

// reached is the best index that at least this share of random searches has reached or passed.
func (l *Landscape) reached(evals int, share float64) int {
	for top := 1; top < len(l.Values); top++ {
		if 1-l.missed(evals, top) >= share {
			return len(l.Values) - top
		}
	}
	return 0
}

// missed is the chance that so many draws have none of the top configurations.
func (l *Landscape) missed(evals, top int) float64 {
	p := 1.0
	for k := range min(top, l.Total) {
		p *= max(0, float64(l.Total-evals-k)) / float64(l.Total-k)
	}
	return p
}

// mean1 is a mean of what counts.
type mean1 struct {
	sum float64
	n   int
}

func (m *mean1) add(v float64, counts bool) {
	if counts {
		m.sum, m.n = m.sum+v, m.n+1
	}
}

func (m *mean1) mean() float64 { return m.sum / float64(max(1, m.n)) }

func mean(v []float64) float64 {
	var m mean1
	for _, x := range v {
		m.add(x, true)
	}
	return m.mean()
}

// Quantile interpolates in sorted values.
func Quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	lo := int(at)
	hi := min(lo+1, len(sorted)-1)
	return sorted[lo] + (at-float64(lo))*(sorted[hi]-sorted[lo])
}
