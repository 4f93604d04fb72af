package htmlreport

import (
	"fmt"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// Choices is what each choice of the champion buys: how much slower it is with the choice taken back.
type Choices struct {
	Columns []string `json:"columns"` // the objective, where it looks at several workloads, and the workloads
	Rows    []Choice `json:"rows"`
}

// Choice is one row: a gain by column, as figures for the chart and as text for the table.
type Choice struct {
	Choice string         `json:"choice"`
	Gains  []kernels.Gain `json:"gains"`
	Cells  []string       `json:"-"`
	Note   string         `json:"note,omitempty"`
}

// ShapeColumns says which columns of the table of shapes have anything in them.
type ShapeColumns struct{ Waves, Scaling bool }

func columnsOf(all []Shape) (c ShapeColumns) {
	for _, s := range all {
		c.Waves = c.Waves || s.Waves != "" && s.Waves != "-"
		c.Scaling = c.Scaling || s.Scaling != ""
	}
	return c
}

// Portfolio is the kernels of which a dispatcher takes one by shape.
type Portfolio struct {
	About string
	Rows  []PortfolioRow
}

// PortfolioRow is the kernel of one workload.
type PortfolioRow struct{ Workload, ID, Time, Single, Gain string }

func (in *Input) portfolio() *Portfolio {
	p := in.Portfolio
	if p == nil {
		return nil
	}
	out := &Portfolio{About: fmt.Sprintf("%s with a dispatcher by shape: %s over the best single kernel, %s "+
		"(%s, %s).",
		report.Quantity(len(p.Kernels), "kernel"), gainText(p.Gain), p.Single.Short(), p.Objective, p.Cache)}
	for _, c := range p.Choices {
		row := PortfolioRow{Workload: c.Workload, ID: p.Kernels[c.Kernel].Short(), Time: timeText(c.Time),
			Single: timeText(c.Single), Gain: gainText(c.Gain)}
		if p.Kernels[c.Kernel] == p.Single {
			row.Gain = "the same"
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func gainText(g kernels.Gain) string { return report.Gain(g.Ratio, g.Lo, g.Hi) }

func timeText(ns float64) string {
	if !(ns > 0) {
		return "-"
	}
	return report.Time(ns)
}
