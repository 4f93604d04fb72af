package tui

import (
	"cmp"
	"math"
	"slices"
)

// keyGenes are the genes worth a column: those that say most about the times of the best candidates.
type keyGenes struct {
	genes []int
	upTo  int // rows that were right when they were chosen
}

// keyRows is how many of the best are looked at, a quarter of all at most.
const keyRows = 200

// columns gives the key genes, most telling first. They are chosen again when there is a tenth more to go
// by, so that columns do not jump.
func (b *Board) columns() []int {
	b.ranking.settle()
	n := len(b.ranking.order)
	if k := &b.keys; n > k.upTo+k.upTo/10 {
		k.upTo = n
		weights := b.geneWeights(b.ranking.order[:min(n, keyRows, max(8, n/4))])
		k.genes = k.genes[:0]
		for g, w := range weights {
			if w > 0 {
				k.genes = append(k.genes, g)
			}
		}
		slices.SortStableFunc(k.genes, func(x, y int) int { return cmp.Compare(weights[y], weights[x]) })
	}
	return b.keys.genes
}

// geneWeights is the variance of the log score between the values of each gene: what knowing the gene says
// about the time (the numerator of eta squared).
func (b *Board) geneWeights(rows []int32) []float64 {
	mean := 0.0
	for _, i := range rows {
		mean += math.Log(b.rows[i].score) / float64(len(rows))
	}
	out := make([]float64, len(b.genes.values))
	for g := 1; g < len(out); g++ {
		n, sum := map[string]float64{}, map[string]float64{}
		for _, i := range rows {
			v := b.genes.text(b.rows[i].genes, g)
			n[v], sum[v] = n[v]+1, sum[v]+math.Log(b.rows[i].score)-mean
		}
		for v := range n {
			if len(n) > 1 {
				out[g] += sum[v] * sum[v] / n[v]
			}
		}
	}
	return out
}
