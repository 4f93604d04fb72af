package evolve

import (
	"cmp"
	"slices"

	"darwarp/kernels"
	"darwarp/mutate"
)

// Hint is a candidate that worked in another run: on other shapes, another GPU, an older version of the
// family. A search begins with the best of them and measures them itself.
type Hint struct {
	Family string         `json:"family"`
	Genes  kernels.Genome `json:"genes"`
	Score  float64        `json:"score"` // lower is better, compared within its run
}

// HintOf makes a hint of another run's candidate; ok is false where it did not work or has no genes.
func HintOf(c *kernels.Candidate) (h Hint, ok bool) {
	if c.Variant.Family == "" || c.Result.Outcome != kernels.OK {
		return h, false
	}
	return Hint{c.Variant.Family, c.Variant.Genes, c.Score}, true
}

// mostHints is how many hints a search keeps: they are part of every checkpoint.
const mostHints = 64

// hints keeps the best.
func hints(all []Hint) []Hint {
	best := slices.Clone(all)
	slices.SortStableFunc(best, func(a, b Hint) int { return cmp.Compare(a.Score, b.Score) })
	return best[:min(mostHints, len(best))]
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
		s.demes = append(s.demes, newDeme(space, mutate.NewRecall(known)))
	}
	s.niches = s.newNiches()
}
