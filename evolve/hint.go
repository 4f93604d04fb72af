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

func bestHints(all []Hint) []Hint {
	best := slices.Clone(all)
	slices.SortStableFunc(best, func(a, b Hint) int { return cmp.Compare(a.Score, b.Score) })
	return best[:min(mostHints, len(best))]
}

// pointsOf are the hints for a space. Genes or values that a family no longer has make a hint useless, and nothing
// worse.
func pointsOf(hints []Hint, space *kernels.Space) (out []mutate.Hint) {
	for _, h := range hints {
		if h.Family != space.Family.Name {
			continue
		}
		if p, err := space.Point(h.Genes); err == nil {
			out = append(out, mutate.Hint{Point: space.Canonical(p), Score: h.Score})
		}
	}
	return out
}
