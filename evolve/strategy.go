package evolve

import (
	"fmt"
	"math"
	"slices"

	"darwarp/mutate"
)

// strategy is a mix of operators over one first sample. An operator is asked for a proposal whenever a
// slot is free, however many are in flight, and sees every verdict in its pool: what it proposes
// depends on nothing else, so that a strategy is resumed by resuming its verdicts.
type strategy struct {
	name   string
	about  string
	mix    []arm
	sample bool // begins with a spread sample
	paid   bool // an operator is asked as often as its proposals have been good
	renew  bool // starts afresh when nothing is gained for long
}

// arm is an operator with its share of the proposals; where operators are paid, its share before
// anything is known of them.
type arm struct {
	mutate.Operator
	share float64
}

// DefaultStrategy is what is searched with where nothing else is asked for.
const DefaultStrategy = "default"

var strategies = []strategy{
	{
		name: DefaultStrategy, about: "a forest's expected improvement, local search and evolution, asked as often as they gain",
		sample: true, paid: true, renew: true,
		mix: []arm{{mutate.Surrogate{}, 0.86}, {mutate.Estimate{}, 0.04}, {mutate.Genes{}, 0.03}, {mutate.Crossover{}, 0.02}, {mutate.Local{}, 0.03}, {mutate.Random{}, 0.02}},
	},
	{
		name: "evolve", about: "steady-state evolution with restarts and immigrants",
		sample: true, renew: true,
		mix: []arm{{mutate.Genes{}, 0.46}, {mutate.Crossover{}, 0.36}, {mutate.Local{}, 0.12}, {mutate.Random{}, 0.06}},
	},
	{
		name: "tpe", about: "a Parzen estimator over genes and pairs of genes",
		sample: true,
		mix:    []arm{{mutate.Estimate{}, 0.95}, {mutate.Random{}, 0.05}},
	},
	{
		name: "surrogate", about: "a forest's expected improvement",
		sample: true,
		mix:    []arm{{mutate.Surrogate{}, 1}},
	},
	{
		name: "local", about: "the neighbours of the best, then strangers",
		sample: true, renew: true,
		mix: []arm{{mutate.Local{}, 1}},
	},
	{name: "random", about: "points by chance", mix: []arm{{mutate.Random{}, 1}}},
}

// Strategies lists what Config.Strategy may be.
func Strategies() []string {
	var out []string
	for _, s := range strategies {
		out = append(out, s.name)
	}
	return out
}

// BestOfN is no search: the naive start is shown to the advisor again and again, and all that is judged is
// what it proposes. It is what a search with an advisor has to be better than.
const BestOfN = "best-of-n"

func findStrategy(name string, advised bool) (*strategy, error) {
	if name == BestOfN && advised {
		return &strategy{name: BestOfN}, nil
	}
	for i := range strategies {
		if strategies[i].name == name {
			return &strategies[i], nil
		}
	}
	return nil, fmt.Errorf("search: unknown strategy %q: expected one of %v", name, Strategies())
}

// purse is how well operators did: how many of their proposals counted among the best twentieth of all
// verdicts when they came in. Old verdicts fade.
type purse struct {
	Uses map[string]float64 `json:"uses,omitempty"` // by operator
	Wins map[string]float64 `json:"wins,omitempty"`
}

const (
	fade  = 0.98 // of what is remembered, at every verdict
	topOf = 20   // the best 1/topOf counts as a win
)

// pay enters a verdict: its rank among so many that work, from 0; rank -1: it failed.
func (p *purse) pay(operator string, rank, of int) {
	if p.Uses == nil {
		p.Uses, p.Wins = map[string]float64{}, map[string]float64{}
	}
	for name := range p.Uses {
		p.Uses[name] *= fade
		p.Wins[name] *= fade
	}
	p.Uses[operator]++
	if rank >= 0 && rank*topOf < of {
		p.Wins[operator]++
	}
}

// wage is the rate of wins, drawn towards what is usual while little is known.
func (p *purse) wage(operator string) float64 {
	const usual, weight = 0.2, 4
	return (p.Wins[operator] + usual*weight) / (p.Uses[operator] + weight)
}

// choose draws an operator by its share.
func (s *Search) choose() mutate.Operator {
	mix := s.strategy.mix
	shares, sum := make([]float64, len(mix)), 0.0
	for i, a := range mix {
		shares[i] = a.share
		if s.strategy.paid {
			shares[i] *= s.purse.wage(a.Name())
		}
		sum += shares[i]
	}
	at := s.rng.Float64() * sum
	for i, a := range mix {
		if at -= shares[i]; at < 0 {
			return a.Operator
		}
	}
	return mix[len(mix)-1].Operator
}

// rank is a score's place among the best of a space, -1 where it failed.
func rank(best []*mutate.Individual, score float64) int {
	if math.IsInf(score, 1) {
		return -1
	}
	at, _ := slices.BinarySearchFunc(best, score, func(x *mutate.Individual, score float64) int {
		if x.Score < score {
			return -1
		}
		return 1
	})
	return at
}
