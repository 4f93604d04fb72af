package evolve

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"darwarp/kernels"
	"darwarp/mutate"
)

// mostNiches bounds an archive: the worst niches give way.
const mostNiches = 64

// archive is the best of every niche, best first (MAP-Elites: Mouret and Clune, Illuminating search
// spaces, 2015), so that a structural idea is bred from until its numbers are tuned, however far behind
// it is. best is ordered.
func archive(best []*mutate.Individual) []*mutate.Individual {
	var out []*mutate.Individual
	in := map[string]bool{}
	for _, o := range best {
		if len(out) == mostNiches {
			break
		}
		if !in[o.Niche] {
			in[o.Niche] = true
			out = append(out, o)
		}
	}
	return out
}

// archived is an archive with one more that works, the youngest.
func archived(best []*mutate.Individual, o *mutate.Individual) []*mutate.Individual {
	rival := slices.IndexFunc(best, func(x *mutate.Individual) bool { return x.Niche == o.Niche })
	if rival >= 0 && best[rival].Score <= o.Score {
		return best
	}
	out := slices.Clone(best) // a proposal may look at it
	if rival >= 0 {
		out = slices.Delete(out, rival, rival+1)
	}
	out = insert(out, o)
	return out[:min(len(out), mostNiches)]
}

// niche names what a candidate is like and not how fast: its genes that are choices between ways to
// do something, the quarter of the device that its threads fill, and its shared memory to a power of two.
func niche(f *kernels.Family, c *kernels.Candidate) string {
	var parts []string
	for i := range f.Genes {
		g := &f.Genes[i]
		values := g.All()
		if v, ok := c.Variant.Genes[g.Name]; ok && len(values) > 1 && (values[0].Kind() != "int" || len(values) == 2) {
			parts = append(parts, fmt.Sprintf("%s=%v", g.Name, v))
		}
	}
	if r := c.Result.Resources; len(r) > 0 {
		quarters, shared := int(min(3.99, 4*r[0].Occupancy)), uint(r[0].StaticSmem+r[0].DynamicSmem)
		parts = append(parts, fmt.Sprintf("occupancy=%d/4", quarters), fmt.Sprintf("smem=2^%d", bits.Len(shared)))
	}
	return strings.Join(parts, " ")
}
