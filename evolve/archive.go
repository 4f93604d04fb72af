package evolve

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"darwarp/kernels"
	"darwarp/mutate"
)

// archive keeps the best of every niche (MAP-Elites: Mouret and Clune, Illuminating search spaces,
// 2015), so that a structural idea is bred from until its numbers are tuned, however far behind it is.
type archive map[string]*mutate.Individual

// mostNiches bounds an archive: the worst gives way.
const mostNiches = 64

func (a archive) add(niche string, o *mutate.Individual) {
	if old := a[niche]; old == nil || o.Score < old.Score {
		a[niche] = o
	}
	if len(a) <= mostNiches {
		return
	}
	worst := ""
	for name, x := range a {
		if y := a[worst]; y == nil || x.Score > y.Score || x.Score == y.Score && name > worst {
			worst = name
		}
	}
	delete(a, worst)
}

// best lists the niches' best, best first.
func (a archive) best() []*mutate.Individual {
	out := make([]*mutate.Individual, 0, len(a))
	for _, o := range a {
		out = append(out, o)
	}
	slices.SortFunc(out, func(x, y *mutate.Individual) int {
		switch {
		case x.Score < y.Score:
			return -1
		case x.Score > y.Score:
			return 1
		}
		return x.Index - y.Index
	})
	return out
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
		parts = append(parts, fmt.Sprintf("occupancy=%d/4", int(min(3.99, 4*r[0].Occupancy))), fmt.Sprintf("smem=2^%d", bits.Len(uint(r[0].StaticSmem+r[0].DynamicSmem))))
	}
	return strings.Join(parts, " ")
}

// Niche is a way to write the kernel with the best candidate found of it.
type Niche struct {
	Family    string            `json:"family"`
	Behaviour string            `json:"behaviour"` // structure genes, occupancy, shared memory
	Tried     int               `json:"tried"`
	Best      kernels.Candidate `json:"best"`
}

// Niches sorts the candidates of a run that work into niches, best first: what a portfolio or a model
// that writes kernels chooses from. Families are those of the run.
func Niches(families []*kernels.Family, candidates []kernels.Candidate) []Niche {
	at := map[string]int{}
	var out []Niche
	for _, c := range candidates {
		i := slices.IndexFunc(families, func(f *kernels.Family) bool { return f.Name == c.Variant.Family })
		if i < 0 || c.Result.Outcome != kernels.OK {
			continue
		}
		b := niche(families[i], &c)
		k, ok := at[c.Variant.Family+" "+b]
		if !ok {
			k = len(out)
			at[c.Variant.Family+" "+b] = k
			out = append(out, Niche{Family: c.Variant.Family, Behaviour: b, Best: c})
		}
		out[k].Tried++
		if c.Score < out[k].Best.Score {
			out[k].Best = c
		}
	}
	slices.SortStableFunc(out, func(a, b Niche) int {
		switch {
		case a.Best.Score < b.Best.Score:
			return -1
		case a.Best.Score > b.Best.Score:
			return 1
		}
		return 0
	})
	return out
}
