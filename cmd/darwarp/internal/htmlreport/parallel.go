package htmlreport

import (
	"slices"
	"strings"

	"darwarp/kernels"
)

// Parallel is the best candidates by the genes in which they differ.
type Parallel struct {
	Axes  []Axis      `json:"axes"`
	Lines []Candidate `json:"lines"` // best first
	Same  string      `json:"same"`  // the genes that all of them share
}

// Axis is a gene with the values that occur, in the order of numbers or letters.
type Axis struct {
	Gene   string   `json:"gene"`
	Values []string `json:"values"`
}

// Candidate is one line: a value index by axis.
type Candidate struct {
	ID       string  `json:"id"`
	Values   []int   `json:"values"`
	Speedup  float64 `json:"speedup"`
	Champion bool    `json:"champion,omitempty"`
}

const shownParallel = 50

// parallel has the champion among the best, which won its duels whatever one timing says.
func (in *Input) parallel(shown []kernels.Candidate) *Parallel {
	var best []kernels.Candidate
	family := in.family()
	for _, c := range shown {
		if c.Variant.Family == family && family != "" && (len(best) < shownParallel || in.isChampion(c)) {
			best = append(best, c)
		}
	}
	if len(best) < 2 {
		return nil
	}
	p := &Parallel{}
	for _, gene := range genesOf(best) {
		p.Axes = append(p.Axes, Axis{gene, valuesOf(best, gene)})
	}
	if len(p.Axes) == 0 {
		return nil // they are the same but for their own sources
	}
	for _, c := range best {
		line := Candidate{ID: c.ID.Short(), Speedup: round(1 / c.Score), Champion: in.isChampion(c)}
		for _, a := range p.Axes {
			line.Values = append(line.Values, slices.Index(a.Values, valueOf(c, a.Gene)))
		}
		p.Lines = append(p.Lines, line)
	}
	var same []string
	for _, gene := range sortedKeys(best[0].Variant.Genes) {
		if !slices.ContainsFunc(p.Axes, func(a Axis) bool { return a.Gene == gene }) {
			same = append(same, gene+" "+valueOf(best[0], gene))
		}
	}
	p.Same = strings.Join(same, ", ")
	return p
}

// valuesOf lists the values of a gene that occur: numbers by size, before words, before none.
func valuesOf(all []kernels.Candidate, gene string) []string {
	seen := map[string]kernels.Value{}
	for _, c := range all {
		seen[valueOf(c, gene)] = c.Variant.Genes[gene]
	}
	out := sortedKeys(seen)
	slices.SortStableFunc(out, func(a, b string) int {
		x, xIsInt := seen[a].Any().(int)
		y, yIsInt := seen[b].Any().(int)
		switch {
		case xIsInt && yIsInt:
			return x - y
		case xIsInt:
			return -1
		case yIsInt:
			return 1
		}
		return strings.Compare(a, b)
	})
	return out
}
