package evolve

import "darwarp/kernels"

// ledger has what questions cost, by arm.
type ledger map[string]cost

// cost is what an arm's questions took.
type cost struct {
	asked int
	usd   float64
	out   int // tokens
}

// charge enters a question.
func (l ledger) charge(e *kernels.Exchange) {
	b := l[e.Arm]
	l[e.Arm] = cost{b.asked + 1, b.usd + e.USD, b.out + e.Tokens.Out}
}

// costWeight is what an arm's share is multiplied by for what its questions cost: the mean cost of all arms over its
// own, in USD where there is a price, else in tokens, and 0.25 to 4.
func (l ledger) costWeight(arm string) float64 {
	var all cost
	for _, b := range l {
		all.asked, all.usd, all.out = all.asked+b.asked, all.usd+b.usd, all.out+b.out
	}
	one := l[arm]
	mean := func(c cost) float64 {
		if all.usd > 0 {
			return c.usd / float64(c.asked)
		}
		return float64(c.out) / float64(c.asked)
	}
	if one.asked == 0 || mean(one) <= 0 {
		return 1
	}
	return min(4, max(0.25, mean(all)/mean(one)))
}
