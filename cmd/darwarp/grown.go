package main

import (
	"fmt"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
)

// showGrown lists the families that language models gave to a run; nothing where there is none.
func (a *app) showGrown(r *record.Record) error {
	all, err := r.GrownFamilies()
	if err != nil || len(all) == 0 {
		return err
	}
	t := report.NewTable("lrrr", "family of a language model", "judged", "ok", "best")
	for _, g := range all {
		best := ""
		if g.Best > 0 {
			best = fmt.Sprintf("%.2fx", g.Best)
		}
		t.Row(g.Title, g.Judged, g.Ok, best)
	}
	fmt.Fprintln(a.Out)
	t.Width = console.Width(a.Out)
	t.Write(a.Out)
	return nil
}
