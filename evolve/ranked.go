package evolve

import (
	"darwarp/kernels"
	"darwarp/mutate"
	"maps"
	"math"
	"slices"
)

// byShape reports whether each shape may get a kernel of its own.
func (p *population) byShape() bool { return len(p.niches) > 0 }

// bar is the time to beat by workload, ns.
func (p *population) bar(champion *member) map[string]float64 {
	if p.byShape() {
		return p.bestTimes()
	}
	return p.scale.bar(champion)
}

// ownBar is a member's own times.
func (p *population) ownBar(m *member) *kernels.Bar { return kernels.NewBar(p.scale.bar(m)) }

// weights are those of all workloads, with some of them replaced.
func (p *population) weights(change map[string]float64) (map[string]float64, error) {
	if err := p.scale.checkWeights(change); err != nil {
		return nil, err
	}
	return p.scale.weights(change), nil
}

// weigh brings weights into force; rescore follows.
func (p *population) weigh(weights map[string]float64) { p.scale.weigh(weights) }

// weighing lists the weights.
func (p *population) weighing() string { return p.scale.String() }

// rescored is the score of a stored candidate under the weights in force.
func (p *population) rescored(c *kernels.Candidate) float64 { return p.scale.rescore(c) }

// storeScores stores every candidate's score under the weights in force.
func (p *population) storeScores() func(keeper, []byte) error {
	workloads := p.workloads()
	return func(k keeper, state []byte) error { return k.Weigh(workloads, p.scale.rescore, state) }
}

// ranked are the members that may be bred from, best first.
func (p *population) ranked() (all []*member) {
	for id, m := range p.members {
		if !p.dead[id] {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, (*member).before)
	return all
}

// leastClaim is the share of the champion's score that a claimer must stay below. A duel asks for a gain of half a
// percent, and half of that is left for what changes between two measurements. Without it a memory-bound kernel, whose
// rivals are all within 0.3 %, fought without a break: softmax on an H200 had 78 duels in a minute and won none.
const leastClaim = 0.9975

// claimer is the best member that claims to be faster than the champion: that was measured faster by more than its own
// noise and by more than leastClaim. Those that have lost against it claim nothing. None is asked who is not ahead by
// that much: on a device whose memory decides, thousands are a little ahead of the champion in a long search.
func (p *population) claimer(champion *member, beaten func(kernels.ID) bool) (best *member) {
	bar := leastClaim * champion.score
	for _, d := range p.all() {
		for _, o := range d.ranked() {
			if o.Score >= bar || best != nil && o.Score >= best.score {
				break
			}
			if m := p.members[o.ID]; m.upper < bar && !beaten(m.id) {
				best = m
				break
			}
		}
	}
	return best
}

// bestTimes are the least times known by workload, ns, where several kernels are wanted.
func (p *population) bestTimes() map[string]float64 {
	best := map[string]float64{}
	for i, w := range p.niches {
		ratio := math.Inf(1)
		for _, d := range p.demes {
			ratio = min(ratio, d.bestAlone(i))
		}
		if !math.IsInf(ratio, 1) {
			best[w] = ratio * p.base()[w]
		}
	}
	return best
}

// rescore brings new weights into force, orders everything by them, and gives the best score.
func (p *population) rescore() (best float64) {
	for _, m := range slices.SortedFunc(maps.Values(p.members), func(a, b *member) int { return a.born - b.born }) {
		m.score = p.scale.scoreOr(m.timings, m.score)
		m.upper = max(m.score, p.scale.scoreOr(uppers(m.timings), m.score))
		if m.code != "" {
			p.codes[m.code] = m.score
		}
		if best == 0 || m.score < best {
			best = m.score
		}
	}
	for _, d := range p.all() {
		d.rank(func(o *mutate.Individual) float64 {
			if m := p.members[o.ID]; m != nil {
				return m.score
			}
			return p.codes[p.twins[o.ID]]
		})
	}
	return best
}
