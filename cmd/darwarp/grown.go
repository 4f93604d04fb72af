package main

import (
	"fmt"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// familyTitle names a candidate's family, and says what it is where a language model wrote it.
func (r *record) familyTitle(c kernels.Candidate) string {
	if f, err := r.bundle.Family(c.Variant.Family); err == nil {
		return f.Title()
	}
	return c.Variant.Family
}

// grownCount is a family that a language model wrote, with what became of it.
type grownCount struct {
	judged, ok int
	best       float64 // speedup over the naive start
}

// showGrown lists the families that language models gave to a run; nothing where there is none.
func (a *app) showGrown(r *record) error {
	by := map[string]*grownCount{}
	for _, f := range r.bundle.Families {
		if kernels.Grown(f.Name) {
			by[f.Name] = &grownCount{}
		}
	}
	if len(by) == 0 {
		return nil
	}
	err := r.Each(func(c kernels.Candidate) error {
		g := by[c.Variant.Family]
		if g == nil {
			return nil
		}
		if g.judged++; c.Result.Outcome == kernels.OK && c.Score > 0 {
			g.ok++
			g.best = max(g.best, 1/c.Score)
		}
		return nil
	})
	if err != nil {
		return err
	}
	t := report.NewTable("lrrr", "family of a language model", "judged", "ok", "best")
	for _, f := range r.bundle.Families {
		if g := by[f.Name]; g != nil {
			best := ""
			if g.best > 0 {
				best = fmt.Sprintf("%.2fx", g.best)
			}
			t.Row(f.Title(), g.judged, g.ok, best)
		}
	}
	fmt.Fprintln(a.Out)
	t.Width = console.Width(a.Out)
	t.Write(a.Out)
	return nil
}
