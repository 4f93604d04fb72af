package listing

import (
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// shapesTable has a line for every shape of every candidate.
func (to Lister) shapesTable(r *record.Record, best []report.Placed) error {
	var t *report.Table
	for _, c := range best {
		f, all, err := shapesOf(r, c.Candidate)
		if err != nil {
			return err
		}
		if t == nil {
			head, align := f.ShapeHead()
			t = report.NewTable("rl"+align, append([]string{"#", "id"}, head...)...)
		}
		for j, s := range all {
			cells := []any{"", ""}
			if j == 0 {
				cells = []any{c.Shown, c.ID.Short()}
			}
			t.Row(append(cells, f.ShapeCells(s)...)...)
		}
	}
	t.Write(to.Out)
	to.Sayf("\nwaves: blocks over what the device holds at once; scaling: work per second relative to the " +
		"candidate's best shape")
	return nil
}

// shapesOf are a candidate's figures, and those of every shape.
func shapesOf(r *record.Record, c kernels.Candidate) (figures.Figures, []figures.Shape, error) {
	f, err := r.Figures(c)
	if err != nil {
		return f, nil, err
	}
	all, err := f.Shapes()
	return f, all, err
}

// shapesJSON is shapesTable for programs.
func (to Lister) shapesJSON(r *record.Record, n int) error {
	type entry struct {
		ID      kernels.ID      `json:"id"`
		Score   float64         `json:"score"`
		Speedup float64         `json:"speedup"`
		Shapes  []figures.Shape `json:"shapes"`
	}
	pace, err := r.Pace()
	if err != nil {
		return err
	}
	return to.PrintList(func(add func(any) error) error {
		return eachBest(r, n, func(c kernels.Candidate) error {
			_, all, err := shapesOf(r, c)
			if err != nil {
				return err
			}
			return add(entry{c.ID, c.Score, pace.Speedup(c.Score), all})
		})
	})
}
