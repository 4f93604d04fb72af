package evolve

import (
	"slices"

	"darwarp/kernels"
	"darwarp/mutate"
)

// Hint is a candidate of another run: on other shapes, another GPU, an older version of the family.
// What it says is weighed by how well it agrees with what is measured now.
type Hint struct {
	Family string         `json:"family"`
	Genes  kernels.Genome `json:"genes"`
	Score  float64        `json:"score,omitempty"` // lower is better, compared within its run; 0: it failed
}

// HintOf makes a hint of another run's candidate; ok is false where it says nothing about genes.
func HintOf(c *kernels.Candidate) (h Hint, ok bool) {
	if c.Variant.Family == "" || c.Result.Outcome != kernels.OK && !c.Result.Outcome.Failed() {
		return h, false
	}
	return Hint{c.Variant.Family, c.Variant.Genes, c.Score}, true
}

// mostHints is how many hints a search keeps: they are part of every checkpoint.
const mostHints = 200

// hints keeps the best quarter of the bound, and of the others every n-th, so that a model sees bad
// points too.
func hints(all []Hint) []Hint {
	if len(all) <= mostHints {
		return all
	}
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b Hint) int {
		switch x, y := a.Score, b.Score; {
		case x == y:
			return 0
		case y == 0 || x != 0 && x < y:
			return -1
		}
		return 1
	})
	out, rest := order[:mostHints/4:mostHints/4], order[mostHints/4:]
	n := mostHints - len(out)
	for i := range n {
		out = append(out, rest[i*len(rest)/n])
	}
	return out
}

// inhabit makes empty populations that know the hints. Genes or values that a family no longer has
// make a hint useless, and nothing worse.
func (s *Search) inhabit(all []Hint) {
	s.hints, s.demes = all, nil
	for _, space := range s.cfg.Spaces {
		var known []mutate.Hint
		for _, h := range all {
			if h.Family != space.Family.Name {
				continue
			}
			if p, err := space.Point(h.Genes); err == nil {
				known = append(known, mutate.Hint{Point: space.Canonical(p), Score: h.Score})
			}
		}
		s.demes = append(s.demes, newDeme(space, mutate.NewPrior(known)))
	}
	s.niches = s.newNiches()
}
