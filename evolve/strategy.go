package evolve

import (
	"fmt"
	"math/rand/v2"

	"darwarp/mutate"
)

// strategy is a mix of operators over one first sample. An operator is asked for a proposal whenever a
// slot is free, however many are in flight, and sees every verdict in its pool: what it proposes
// depends on nothing else, so that a strategy is resumed by resuming its verdicts.
type strategy struct {
	name     string
	about    string
	mix      []arm
	sample   bool // begins with a spread sample
	rewarded bool // an operator is asked as often as its proposals have been good
	renew    bool // starts afresh when nothing is gained for long
}

// arm is an operator with its share of the proposals; where operators are rewarded, its share before
// anything is known of them.
type arm struct {
	mutate.Operator
	share float64
}

// DefaultStrategy is what is searched with where nothing else is asked for.
const DefaultStrategy = "default"

var strategies = []strategy{
	{
		name:   DefaultStrategy,
		about:  "a forest's expected improvement, local search and evolution, weighted by their gains",
		sample: true, rewarded: true, renew: true,
		mix: []arm{
			{mutate.Surrogate{}, 0.86}, {mutate.Estimate{}, 0.04}, {mutate.Genes{}, 0.03}, {mutate.Crossover{}, 0.02},
			{mutate.Local{}, 0.03}, {mutate.Random{}, 0.02},
		},
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
		name: "local", about: "the neighbours of the best, then random points",
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

// choose draws an operator by its share.
func (s *strategy) choose(rng *rand.Rand, c *credit) mutate.Operator {
	shares := s.shares(c)
	at := rng.Float64() * sum(shares)
	for i, a := range s.mix {
		if at -= shares[i]; at < 0 {
			return a.Operator
		}
	}
	return s.mix[len(s.mix)-1].Operator
}

// shares are those of the operators by now.
func (s *strategy) shares(c *credit) []float64 {
	out := make([]float64, len(s.mix))
	for i, a := range s.mix {
		out[i] = a.share * s.weight(a.Name(), c)
	}
	return out
}

// weight is what a share is multiplied with for what was gained by it; 1 where that does not count.
func (s *strategy) weight(operator string, c *credit) float64 {
	if !s.rewarded {
		return 1
	}
	return c.weight(operator)
}

func sum(all []float64) (s float64) {
	for _, v := range all {
		s += v
	}
	return s
}
