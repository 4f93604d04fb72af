package htmlreport

import (
	"cmp"
	"slices"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// Family is what became of the candidates of one family, or of those that came as sources of their own.
type Family struct {
	Name         string
	Count, Right int
	Best         string // speedup over the naive start; empty: none is right and has a figure
}

// shownFamilies bounds the table: language models may send many.
const shownFamilies = 50

// sources is the name for candidates without a family.
const sources = "sources of their own"

// families are those of a run that has more than one, the one with the best candidate first. shown has the right
// candidates with figures, best first.
func families(all, shown []kernels.Candidate) []Family {
	var out []Family
	at, rank := map[string]int{}, map[string]int{}
	for _, c := range all {
		name := cmp.Or(c.Variant.Family, sources)
		if _, ok := at[name]; !ok {
			at[name], rank[name] = len(out), len(shown)
			out = append(out, Family{Name: name})
		}
		f := &out[at[name]]
		f.Count++
		if c.Result.Outcome == kernels.OK {
			f.Right++
		}
	}
	if len(out) < 2 {
		return nil
	}
	for i, c := range shown {
		if f := &out[at[cmp.Or(c.Variant.Family, sources)]]; f.Best == "" {
			f.Best, rank[f.Name] = report.Speedup(c.Score), i
		}
	}
	slices.SortStableFunc(out, func(a, b Family) int { return cmp.Compare(rank[a.Name], rank[b.Name]) })
	return out[:min(shownFamilies, len(out))]
}
