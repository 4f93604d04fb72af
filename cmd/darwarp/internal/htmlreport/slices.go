package htmlreport

import (
	"slices"

	"darwarp/kernels"
)

// Slices is the right candidates of a family by the value of each gene, as Optuna's slice plot.
type Slices struct {
	Family string       `json:"family"`
	Label  string       `json:"label"`
	Genes  []Axis       `json:"genes"` // that differ, the most important first
	Points []SlicePoint `json:"points"`
	All    int          `json:"all"`            // candidates of which Points are some
	More   int          `json:"more,omitempty"` // genes that are not shown
}

// SlicePoint is a candidate: its time, and the index of its value by gene.
type SlicePoint struct {
	ID       string  `json:"id"`
	Time     float64 `json:"time"`
	Values   []int   `json:"values"`
	Champion bool    `json:"champion,omitempty"`
}

const (
	shownSlices     = 16  // genes
	slicedBest      = 150 // candidates that are always among the points
	slicedOthers    = 350
	leastSlicePoint = 8 // candidates below which a chart by gene says nothing
)

// slicesOf draws the champion too, wherever it stands among the best.
func (in *Input) slicesOf(m measure, shown []kernels.Candidate, im *Importance, n sharing) *Slices {
	var of []kernels.Candidate
	for _, c := range shown {
		if f := in.family(); f != "" && c.Variant.Family == f && m.of(c) > 0 {
			of = append(of, c)
		}
	}
	if len(of) < leastSlicePoint {
		return nil
	}
	s := &Slices{Family: in.family(), Label: m.Label, All: len(of)}
	points := thin(of, n.part(slicedBest), n.part(slicedOthers))
	if i := slices.IndexFunc(of, in.isChampion); i >= 0 && !slices.ContainsFunc(points, in.isChampion) {
		points = append(points, of[i])
	}
	genes := byImportance(genesOf(points), im)
	s.More = max(0, len(genes)-shownSlices)
	for _, gene := range genes[:min(shownSlices, len(genes))] {
		s.Genes = append(s.Genes, Axis{gene, valuesOf(points, gene)})
	}
	for _, c := range points {
		p := SlicePoint{ID: c.ID.Short(), Time: m.of(c), Champion: in.isChampion(c)}
		for _, a := range s.Genes {
			p.Values = append(p.Values, slices.Index(a.Values, valueOf(c, a.Gene)))
		}
		s.Points = append(s.Points, p)
	}
	if len(s.Genes) == 0 {
		return nil
	}
	return s
}

func (in *Input) isChampion(c kernels.Candidate) bool {
	return in.Champion != nil && c.ID == in.Champion.ID
}

// byImportance sorts genes, given by name, by what PED-ANOVA says of them, if it says anything.
func byImportance(genes []string, im *Importance) []string {
	if im == nil {
		return genes
	}
	rank := map[string]int{}
	for i, g := range im.Genes {
		rank[g.Gene] = i + 1 - len(im.Genes) // 0 and below: before those that it does not know
	}
	slices.SortStableFunc(genes, func(a, b string) int { return order(rank, a) - order(rank, b) })
	return genes
}

func order(rank map[string]int, gene string) int {
	if r, ok := rank[gene]; ok {
		return r
	}
	return 1
}
