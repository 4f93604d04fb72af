package main

import (
	"fmt"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/kernels"
)

// showTrial lists what a champion stood, where it can be doubted.
func (a *app) showTrial(r *record.Record, c kernels.Candidate) {
	t, word := r.Standing(c)
	if word == "" {
		return
	}
	fmt.Fprintf(a.Out, "\ntrial\n")
	table := figures.Trial(t)
	table.Indent, table.Width = "  ", console.Width(a.Out)
	table.Write(a.Out)
}
