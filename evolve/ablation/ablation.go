// Package ablation takes choices of a candidate back to its family's defaults, one or two at a time, so that what each
// of them buys can be measured.
package ablation

import (
	"cmp"
	"fmt"
	"slices"

	"darwarp/kernels"
)

// Ablation is a candidate with some of its choices taken back to the naive start's.
type Ablation struct {
	Genes    []kernels.GeneChange // taken back: From is the start's value, To the candidate's
	Repaired []kernels.GeneChange // changed with them, to be legal: From is the candidate's value
	Genome   kernels.Genome
}

// Choices are the genes of a candidate that differ from its family's defaults, in declaration order.
func Choices(f *kernels.Family, g kernels.Genome) []kernels.GeneChange {
	var out []kernels.GeneChange
	start := f.Defaults()
	for _, name := range f.GeneNames() {
		v, ok := g[name]
		if was := defaultOf(f, start, name); ok && v != was {
			out = append(out, kernels.GeneChange{Gene: name, From: was.String(), To: v.String()})
		}
	}
	return out
}

// defaultOf is a gene's default, of one too that the naive start does not have.
func defaultOf(f *kernels.Family, start kernels.Genome, name string) kernels.Value {
	if v, ok := start[name]; ok {
		return v
	}
	for i := range f.Genes {
		if f.Genes[i].Name == name {
			return kernels.ParseValue(fmt.Sprint(f.Genes[i].Default))
		}
	}
	return kernels.Value{}
}

// Repairs is how many further genes an ablation of one choice may change to be legal.
const Repairs = 3

// Ablate takes choices back, one at a time or several together. Where that is no legal point, it takes the
// nearest one that has the defaults of these genes: the fewest further genes changed, at most so many repairs,
// then the smallest steps.
func Ablate(s *kernels.Space, g kernels.Genome, repairs int, take ...kernels.GeneChange) (Ablation, error) {
	from, err := s.Point(g)
	if err != nil {
		return Ablation{}, err
	}
	names := s.Family.GeneNames()
	start, err := s.Point(s.Family.Defaults())
	if err != nil {
		return Ablation{}, err
	}
	a := &ablation{space: s, held: make([]bool, len(names)), want: slices.Clone(from), best: -1}
	for _, c := range take {
		i := slices.Index(names, c.Gene)
		a.held[i], a.want[i] = true, start[i]
	}
	for depth := 0; depth <= repairs && a.best < 0; depth++ {
		a.search(a.want, 0, depth, 0)
	}
	if a.best < 0 {
		return Ablation{}, fmt.Errorf("no point is legal with it taken back and at most %d other genes changed", repairs)
	}
	out := Ablation{Genes: take, Genome: s.Genome(s.At(a.best))}
	out.Repaired = a.repaired(names, g, out.Genome)
	return out, nil
}

// ablation is the search for the legal point nearest to one, with some genes held.
type ablation struct {
	space *kernels.Space
	held  []bool
	want  kernels.Point
	best  int // index, -1 none
	far   int // of best
}

// search changes depth genes from position at on.
func (a *ablation) search(p kernels.Point, at, depth, far int) {
	if depth == 0 {
		if i, ok := a.space.Index(a.space.Canonical(slices.Clone(p))); ok && (a.best < 0 || far < a.far) && a.holds(i) {
			a.best, a.far = i, far
		}
		return
	}
	for g := at; g < len(p); g++ {
		if a.held[g] {
			continue
		}
		for _, v := range a.space.Values(g) {
			if v != p[g] {
				next := slices.Clone(p)
				next[g] = v
				a.search(next, g+1, depth-1, far+max(int(v)-int(p[g]), int(p[g])-int(v)))
			}
		}
	}
}

// holds reports whether a point has the held genes as they were wanted.
func (a *ablation) holds(i int) bool {
	for g, v := range a.space.At(i) {
		if a.held[g] && v != a.want[g] {
			return false
		}
	}
	return true
}

// repaired names the genes that changed although nobody took them back. Those that ceased to exist with
// one that was are not among them.
func (a *ablation) repaired(names []string, was, is kernels.Genome) (out []kernels.GeneChange) {
	for g, name := range names {
		w, before := was[name]
		if v, after := is[name]; before && after && v != w && !a.held[g] {
			out = append(out, kernels.GeneChange{Gene: name, From: w.String(), To: v.String()})
		}
	}
	return out
}

// Pairs lists the pairs of choices most likely to interact: first those that one constraint of the
// family ties together, then by what they buy alone, largest first.
func Pairs(f *kernels.Family, choices []kernels.GeneChange, gain func(i int) float64) [][2]int {
	type pair struct {
		at    [2]int
		tied  bool
		worth float64
	}
	var all []pair
	for i := range choices {
		for j := i + 1; j < len(choices); j++ {
			all = append(all, pair{[2]int{i, j}, tied(f, choices[i].Gene, choices[j].Gene), gain(i) + gain(j)})
		}
	}
	slices.SortStableFunc(all, func(x, y pair) int {
		switch {
		case x.tied == y.tied:
			return cmp.Compare(y.worth, x.worth)
		case x.tied:
			return -1
		}
		return 1
	})
	var out [][2]int
	for _, p := range all {
		out = append(out, p.at)
	}
	return out
}

// tied reports whether a rule reads both genes itself.
func tied(f *kernels.Family, a, b string) bool {
	for _, c := range f.Constraints {
		if reads := c.Reads(); slices.Contains(reads, a) && slices.Contains(reads, b) {
			return true
		}
	}
	return false
}
