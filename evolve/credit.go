package evolve

import "math"

// credit is what operators and the arms of language models have earned: what their proposals gained for a second of the
// machine that judged them. Old verdicts fade.
type credit struct {
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
// among them, or failed. at gives the n known scores, best first. New bests alone would be too few to learn from.
func gain(n int, at func(i int) float64, score float64) float64 {
	if n == 0 || math.IsInf(score, 1) {
		return 0
	}
	return max(0, math.Log(at(n/topOf)/score))
}

// reward enters a verdict: what it gained, and the seconds that it took to compile, check and time. How long a language
// model took to answer does not count: nothing waits for it.
func (c *credit) reward(operator string, gain, took float64) {
	if c.Arms == nil {
		c.Arms = map[string]earnings{}
	}
	one := earnings{Uses: 1, Gain: gain, Took: took}
	if gain > 0 {
		one.Wins = 1
	}
	for name, e := range c.Arms {
		c.Arms[name] = e.faded()
	}
	c.All, c.Arms[operator] = c.All.faded().and(one), c.Arms[operator].and(one)
}

// charge enters a proposal that was refused before it was judged. It costs as much as a kernel that fails, for
// proposing nothing must not be cheaper than proposing something.
func (c *credit) charge(operator string) { c.reward(operator, 0, c.second()) }

func (e earnings) faded() earnings {
	return earnings{fade * e.Uses, fade * e.Wins, fade * e.Gain, fade * e.Took}
}

func (e earnings) and(o earnings) earnings {
	return earnings{e.Uses + o.Uses, e.Wins + o.Wins, e.Gain + o.Gain, e.Took + o.Took}
}

// second is what a verdict takes on average; 1 where nothing is known.
func (c *credit) second() float64 {
	if !(c.All.Took > 0) {
		return 1
	}
	return c.All.Took / c.All.Uses
}

// weight is an operator's gain per second, in units of the average gain of a win over the average time of a
// verdict, drawn towards what is usual while little is known. Where all gain and take the same it is the rate of
// wins.
func (c *credit) weight(operator string) float64 {
	const usual, weight = 0.2, 4
	win, e := 1.0, c.Arms[operator]
	if c.All.Gain > 0 {
		win = c.All.Gain / c.All.Wins
	}
	return (e.Gain/win + usual*weight) / (e.Took/c.second() + weight)
}
