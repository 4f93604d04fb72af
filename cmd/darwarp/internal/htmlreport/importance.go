package htmlreport

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"darwarp/kernels"
)

// Importance says which genes tell the best candidates from the rest: PED-ANOVA (Watanabe, Bansal and
// Hutter, "PED-ANOVA: Efficiently Quantifying Hyperparameter Importance in Arbitrary Subspaces", IJCAI 2023).
type Importance struct {
	Family string    `json:"family"`
	All    int       `json:"all"` // candidates that are right
	Top    int       `json:"top"` // the best of them
	Genes  []GeneRow `json:"genes"`
	Pairs  []Pair    `json:"pairs"`
}

// GeneRow is one gene: its share of all genes' importance, and the value that the best prefer.
type GeneRow struct {
	Gene  string  `json:"gene"`
	Share float64 `json:"share"`
	Value string  `json:"value"`
	InTop float64 `json:"in_top"` // share of the best that have the value
	InAll float64 `json:"in_all"`
}

// Pair is what two genes tell together beyond what each tells alone, as a share of all genes' importance.
type Pair struct {
	A     string  `json:"a"`
	B     string  `json:"b"`
	Share float64 `json:"share"`
}

const (
	// topShare is the paper's quantile gamma, with all candidates as the local space.
	topShare = 0.1
	// leastRight is how many right candidates there must be before shares mean anything: 4 in the top.
	leastRight = 40
	// shownPairs bounds the genes that are crossed with each other.
	crossedGenes = 10
	absent       = "(none)" // the gene does not exist in the candidate
)

// importance looks at the right candidates of one family; nil when they are too few. Values are counted
// and not smoothed: the best are some of all, so the divergence is finite, and what it would be for
// as many drawn at random is known exactly and taken off.
func importance(family string, all []kernels.Candidate) *Importance {
	var right []kernels.Candidate
	for _, c := range all {
		if c.Result.Outcome == kernels.OK && c.Variant.Family == family && family != "" {
			right = append(right, c)
		}
	}
	if len(right) < leastRight {
		return nil
	}
	slices.SortStableFunc(right, func(a, b kernels.Candidate) int { return cmp.Compare(a.Score, b.Score) })
	top := int(math.Ceil(topShare * float64(len(right))))
	for top < len(right) && right[top].Score == right[top-1].Score {
		top++ // equals are not parted
	}
	im := &Importance{Family: family, All: len(right), Top: top, Pairs: []Pair{}}
	im.fill(right)
	if len(im.Genes) == 0 {
		return nil
	}
	return im
}

func (im *Importance) fill(right []kernels.Candidate) {
	columns, alone, sum := map[string][]string{}, map[string]float64{}, 0.0
	for _, gene := range genesOf(right) {
		column := make([]string, len(right))
		for i, c := range right {
			column[i] = valueOf(c, gene)
		}
		columns[gene] = column
		alone[gene] = max(0, divergence(column, im.Top))
		sum += alone[gene]
		row := favoured(column, im.Top)
		row.Gene = gene
		im.Genes = append(im.Genes, row)
	}
	if sum == 0 {
		sum = 1 // nothing tells: all shares are 0
	}
	for i := range im.Genes {
		im.Genes[i].Share = alone[im.Genes[i].Gene] / sum
	}
	slices.SortStableFunc(im.Genes, func(a, b GeneRow) int { return cmp.Compare(b.Share, a.Share) })
	for i, a := range im.Genes[:min(crossedGenes, len(im.Genes))] {
		for _, b := range im.Genes[:i] {
			both := make([]string, len(right))
			for k := range both {
				both[k] = columns[a.Gene][k] + "\x00" + columns[b.Gene][k]
			}
			extra := divergence(both, im.Top) - alone[a.Gene] - alone[b.Gene]
			im.Pairs = append(im.Pairs, Pair{b.Gene, a.Gene, max(0, extra) / sum})
		}
	}
	slices.SortStableFunc(im.Pairs, func(a, b Pair) int { return cmp.Compare(b.Share, a.Share) })
}

// divergence is the Pearson divergence of a column's first top entries from all of it, sum over values of
// (p/q-1)^2 q (the paper's theorem 1), less what top entries drawn at random would have on average:
// (K-1)/top (n-top)/(n-1) for K values, by the variance of the hypergeometric distribution.
func divergence(column []string, top int) float64 {
	n := len(column)
	if n < 2 {
		return 0
	}
	inTop, inAll := tally(column, top)
	d := 0.0
	for _, v := range sortedKeys(inAll) {
		p, q := float64(inTop[v])/float64(top), float64(inAll[v])/float64(n)
		d += (p - q) * (p - q) / q
	}
	return d - float64(len(inAll)-1)/float64(top)*float64(n-top)/float64(n-1)
}

// favoured is the value whose share grows most from all to the best.
func favoured(column []string, top int) (row GeneRow) {
	inTop, inAll := tally(column, top)
	gain := math.Inf(-1)
	for _, v := range sortedKeys(inAll) {
		p, q := float64(inTop[v])/float64(top), float64(inAll[v])/float64(len(column))
		if p-q > gain {
			gain, row.Value, row.InTop, row.InAll = p-q, v, p, q
		}
	}
	return row
}

func tally(column []string, top int) (inTop, inAll map[string]int) {
	inTop, inAll = map[string]int{}, map[string]int{}
	for i, v := range column {
		inAll[v]++
		if i < top {
			inTop[v]++
		}
	}
	return inTop, inAll
}

// genesOf lists the genes that have more than one value among the candidates.
func genesOf(all []kernels.Candidate) []string {
	seen := map[string]bool{}
	for _, c := range all {
		for gene := range c.Variant.Genes {
			seen[gene] = true
		}
	}
	var out []string
	for _, gene := range sortedKeys(seen) {
		first := valueOf(all[0], gene)
		if slices.ContainsFunc(all, func(c kernels.Candidate) bool { return valueOf(c, gene) != first }) {
			out = append(out, gene)
		}
	}
	return out
}

func valueOf(c kernels.Candidate, gene string) string {
	if v, ok := c.Variant.Genes[gene]; ok {
		return v.String()
	}
	return absent
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
