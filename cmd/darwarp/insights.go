package main

import (
	"fmt"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/kernels"
)

// showInsights lists what explain found out about a candidate.
func (a *app) showInsights(r *record.Record, c kernels.Candidate) error {
	all, err := r.InsightsOf(c.ID)
	if err != nil || len(all) == 0 {
		return err
	}
	fmt.Fprintf(a.Out, "\nwhat each choice buys (darwarp explain; time without it over time with it)\n")
	t := figures.Insights(r.Meta().Objective, r.Meta().Workloads, all)
	t.Indent, t.Width = "  ", console.Width(a.Out)
	t.Write(a.Out)
	return nil
}
