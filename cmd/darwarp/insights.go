package main

import (
	"fmt"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/kernels"
)

// insights are what is known of a candidate's choices, of each the last that was found.
func (r *record) insights(id kernels.ID) ([]kernels.Insight, error) {
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

// showInsights lists what explain found out about a candidate.
func (a *app) showInsights(r *record, c kernels.Candidate) error {
	all, err := r.insights(c.ID)
	if err != nil || len(all) == 0 {
		return err
	}
	fmt.Fprintf(a.Out, "\nwhat each choice buys (darwarp explain; time without it over time with it)\n")
	t := figures.Insights(r.Meta().Objective, r.Meta().Workloads, all)
	t.Indent, t.Width = "  ", console.Width(a.Out)
	t.Write(a.Out)
	return nil
}
