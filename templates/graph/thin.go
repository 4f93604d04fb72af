package graph

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"darwarp/kernels"
)

// pipelineBits is how many bits the number of a point has at most: places of values in a space are numbered in 64.
// mostGenes is how many genes a family has.
const (
	pipelineBits = 52
	mostGenes    = 64
)

// thin leaves out values of genes until all stages together have a space that can be numbered: every other one of the
// gene with most values, of the stage with most points. Where that is not enough, the stages with the least work have
// the point that they are likely to be fast with, and no genes.
func thin(stages []*stage, mostBits float64) {
	for _, s := range stages {
		s.keeps = 1
		if len(stages) <= 3 {
			s.keeps = mostStarts
		}
	}
	for {
		bits, genes, most := 0., 0, stages[0]
		for _, s := range stages {
			bits, genes = bits+s.bits(), genes+len(s.family.Genes)
			if s.bits() > most.bits() {
				most = s
			}
		}
		switch {
		case bits <= mostBits && genes <= mostGenes:
			return
		case genes > mostGenes || !most.thinOnce():
			leastWork(stages).freeze()
		}
	}
}

// bits is how many bits the number of a point of a stage has.
func (s *stage) bits() (n float64) {
	for i := range s.family.Genes {
		n += math.Log2(float64(len(s.family.Genes[i].Values)))
	}
	return n
}

// leastWork is the stage with genes that computes least.
func leastWork(stages []*stage) (found *stage) {
	for _, s := range stages {
		if len(s.family.Genes) > 0 && (found == nil || s.work() < found.work()) {
			found = s
		}
	}
	return found
}

// work is about how many operations a stage takes.
func (s *stage) work() int {
	p := s.program
	n, _ := p.graph.size(product(append(p.lengths(true), p.lengths(false)...)))
	if p.product != nil {
		terms, _ := p.graph.size(p.product.lengths[termsAt])
		n *= max(terms, 1)
	}
	return n
}

// thinOnce leaves out values of the gene that has most, more than two and some that are not tried first. Where no gene
// has, fewer points are tried first.
func (s *stage) thinOnce() bool {
	var genes []*kernels.Gene
	for i := range s.family.Genes {
		if g := &s.family.Genes[i]; len(g.Values) > 2 {
			genes = append(genes, g)
		}
	}
	slices.SortStableFunc(genes, func(a, b *kernels.Gene) int { return len(b.Values) - len(a.Values) })
	for ; s.keeps > 0; s.keeps-- {
		for _, g := range genes {
			had := len(g.Values)
			if s.thinGene(g); len(g.Values) < had {
				return true
			}
		}
	}
	s.keeps = 1
	return false
}

// thinGene leaves out every other value of a gene, and at least one, but for those that are tried first.
func (s *stage) thinGene(g *kernels.Gene) {
	kept := []any{g.Default}
	for _, point := range s.family.Start[:min(s.keeps, len(s.family.Start))] {
		kept = append(kept, point[g.Name])
	}
	odd := false
	values := slices.DeleteFunc(slices.Clone(g.Values), func(v any) bool {
		odd = !odd
		return odd && !slices.Contains(kept, v)
	})
	if len(values) == len(g.Values) {
		values = slices.DeleteFunc(values, func(v any) bool { return !slices.Contains(kept, v) })
	}
	g.Values, g.OptIn = values, nil
}

// mostStarts is how many points a pipeline says to try first at most.
const mostStarts = 4

// startsOf are the points of a pipeline that are tried first: the first ones of all stages, then their second ones,
// where a stage has such a point and its values are left.
func startsOf(stages []*stage) (list []map[string]any) {
	for k := range mostStarts {
		point, more := map[string]any{}, k == 0
		for _, s := range stages {
			f := s.family
			if len(f.Start) == 0 {
				continue
			}
			own := f.Start[0]
			if k < len(f.Start) && s.has(f.Start[k]) {
				own, more = f.Start[k], true
			}
			maps.Copy(point, own)
		}
		if more && len(point) > 0 {
			list = append(list, point)
		}
	}
	return list
}

// has reports whether a stage's genes have all values of a point.
func (s *stage) has(point map[string]any) bool {
	return !slices.ContainsFunc(s.family.Genes, func(g kernels.Gene) bool {
		v, said := point[g.Name]
		return said && !slices.Contains(g.Values, v)
	})
}

// freeze leaves a stage no genes: each is a name for the value that is tried first.
func (s *stage) freeze() {
	f, lets := s.family, []kernels.Let{}
	for i := range f.Genes {
		g := &f.Genes[i]
		v := g.Default
		if len(f.Start) > 0 && f.Start[0][g.Name] != nil {
			v = f.Start[0][g.Name]
		}
		text := fmt.Sprint(v)
		if word, ok := v.(string); ok {
			text = "'" + word + "'"
		}
		lets = append(lets, kernels.Let{Name: g.Name, Value: text})
	}
	f.Genes, f.Start, f.Lets = nil, nil, append(lets, f.Lets...)
	f.Constraints = slices.DeleteFunc(f.Constraints, func(c kernels.Constraint) bool {
		return !strings.Contains(c.Rule, "device.") // its values keep the others
	})
}
