package record

import (
	"cmp"
	"slices"

	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// InsightsOf is what is known of a candidate's choices, of each the last that was found.
func (r *Record) InsightsOf(id kernels.ID) ([]kernels.Insight, error) {
	all, err := r.Insights()
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	var out []kernels.Insight
	for _, i := range all {
		if i.Candidate != id {
			continue
		}
		key := figures.ChangeText(i.Genes) + i.Cache
		if k, ok := at[key]; ok {
			out[k] = i
			continue
		}
		at[key] = len(out)
		out = append(out, i)
	}
	return out, nil
}

// Cause is a reason that candidates failed for.
type Cause struct {
	Outcome kernels.Outcome `json:"outcome"`
	Detail  string          `json:"detail"`
	Count   int             `json:"count"`
	Example kernels.ID      `json:"example"`
}

// Causes counts the failures by cause, the most frequent first.
func (r *Record) Causes() (causes []*Cause, err error) {
	byText := map[string]*Cause{}
	err = r.Each(func(c kernels.Candidate) error {
		if !c.Result.Outcome.Failed() {
			return nil
		}
		key, detail := report.Cause(c.Result.Outcome, c.Result.Detail)
		if byText[key] == nil {
			byText[key] = &Cause{Outcome: c.Result.Outcome, Detail: detail, Example: c.ID}
			causes = append(causes, byText[key])
		}
		byText[key].Count++
		return nil
	})
	slices.SortStableFunc(causes, func(a, b *Cause) int { return cmp.Compare(b.Count, a.Count) })
	return causes, err
}

// LastPortfolio is the run's last portfolio of at most k kernels as it was asked for, nil where there is none.
func (r *Record) LastPortfolio(k int) (p *kernels.Portfolio, err error) {
	all, err := r.Portfolios()
	for i := range all {
		if all[i].K == k {
			p = &all[i]
		}
	}
	return p, err
}

// FamilyTitle names a candidate's family, and says what it is where a language model wrote it.
func (r *Record) FamilyTitle(c kernels.Candidate) string {
	if f, err := r.Bundle.Family(c.Variant.Family); err == nil {
		return f.Title()
	}
	return c.Variant.Family
}

// Grown is a family that a language model wrote, with what became of it.
type Grown struct {
	Title      string
	Judged, Ok int
	Best       float64 // speedup over the naive start
}

// GrownFamilies counts what became of the families that language models gave to a run.
func (r *Record) GrownFamilies() ([]Grown, error) {
	by := map[string]*Grown{}
	var out []*Grown
	for _, f := range r.Bundle.Families {
		if kernels.Grown(f.Name) {
			by[f.Name] = &Grown{Title: f.Title()}
			out = append(out, by[f.Name])
		}
	}
	if len(by) == 0 {
		return nil, nil
	}
	pace, err := r.Pace()
	if err != nil {
		return nil, err
	}
	err = r.Each(func(c kernels.Candidate) error {
		g := by[c.Variant.Family]
		if g == nil {
			return nil
		}
		if g.Judged++; c.Result.Outcome == kernels.OK && c.Score > 0 {
			g.Ok++
			g.Best = max(g.Best, pace.Speedup(c.Score))
		}
		return nil
	})
	counts := make([]Grown, len(out))
	for i, g := range out {
		counts[i] = *g
	}
	return counts, err
}
