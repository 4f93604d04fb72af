package evolve

import "math"

// purse is how operators and the arms of language models are paid: by what their proposals gained for a second of the
// machine that judged them. Old verdicts fade.
type purse struct {
	All  earnings            `json:"all,omitzero"`
	Arms map[string]earnings `json:"arms,omitempty"` // by operator
}

// earnings are sums over verdicts.
type earnings struct {
	Uses float64 `json:"uses"`
	Wins float64 `json:"wins,omitempty"` // verdicts with a gain
	Gain float64 `json:"gain,omitempty"` // of log time
	Took float64 `json:"took,omitempty"` // seconds
}

const (
	fade  = 0.98 // of what is remembered, at every verdict
	topOf = 20   // what is not among the best 1/topOf is no gain
)

// gain is how far a score is ahead of the best twentieth of what was known before, as a logarithm; 0 where it is not
// among them, or failed. at gives the known scores, best first. New bests alone would be too few to learn from.
func gain(n int, at func(i int) float64, score float64) float64 {
	if n == 0 || math.IsInf(score, 1) {
		return 0
	}
	return max(0, math.Log(at(n/topOf)/score))
}

// pay enters a verdict: what it gained, and the seconds that it took to compile, check and time. The time for which a
// language model was waited for is not among them: nothing waits for it.
func (p *purse) pay(operator string, gain, took float64) {
	if p.Arms == nil {
		p.Arms = map[string]earnings{}
	}
	one := earnings{Uses: 1, Gain: gain, Took: took}
	if gain > 0 {
		one.Wins = 1
	}
	for name, e := range p.Arms {
		p.Arms[name] = e.faded()
	}
	p.All, p.Arms[operator] = p.All.faded().and(one), p.Arms[operator].and(one)
}

func (e earnings) faded() earnings {
	return earnings{fade * e.Uses, fade * e.Wins, fade * e.Gain, fade * e.Took}
}

func (e earnings) and(o earnings) earnings {
	return earnings{e.Uses + o.Uses, e.Wins + o.Wins, e.Gain + o.Gain, e.Took + o.Took}
}

// second is what a verdict takes on average; 1 where nothing is known.
func (p *purse) second() float64 {
	if !(p.All.Took > 0) {
		return 1
	}
	return p.All.Took / p.All.Uses
}

// wage is an operator's gain per second, in units of the average gain of a win over the average time of a verdict, drawn
// towards what is usual while little is known. Where all gain and take the same it is the rate of wins.
func (p *purse) wage(operator string) float64 {
	const usual, weight = 0.2, 4
	win, e := 1.0, p.Arms[operator]
	if p.All.Gain > 0 {
		win = p.All.Gain / p.All.Wins
	}
	return (e.Gain/win + usual*weight) / (e.Took/p.second() + weight)
}

// gained is the gain of a score over a population.
func (d *deme) gained(score float64) float64 {
	return gain(len(d.best), func(i int) float64 { return d.best[i].Score }, score)
}

// gained is the gain of a score over everything that works.
func (s *Search) gained(score float64) float64 {
	all := s.members()
	return gain(len(all), func(i int) float64 { return all[i].score }, score)
}
