package figures

import (
	"fmt"
	"io"

	"darwarp/cmd/darwarp/internal/printable"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// Portfolio is a portfolio for people.
func Portfolio(w io.Writer, dev kernels.Device, p *kernels.Portfolio) {
	fmt.Fprintf(w, "\nportfolio of %s: %s over the best single kernel %s (%s)\n",
		report.Quantity(len(p.Kernels), "kernel"), GainText(p.Gain), p.Single.Short(), printable.Line(p.Objective.String()))
	if len(p.Kernels) < p.K {
		fmt.Fprintf(w, "  %d were requested; more than these gain nothing\n", p.K)
	}
	label := ""
	if dev.Kind == "cpu" {
		label = " (CPU time)"
	}
	t := report.NewTable("lllrrr", "workload", "kernel", "id", "time"+label, "best single", "gain")
	t.Indent = "  "
	for _, c := range p.Choices {
		id := p.Kernels[c.Kernel]
		gain := GainText(c.Gain)
		if id == p.Single {
			gain = "the same"
		}
		t.Row(c.Workload, c.Kernel, id.Short(), timeOrDash(c.Time), timeOrDash(c.Single), gain)
	}
	t.Write(w)
}

func timeOrDash(ns float64) string {
	if !(ns > 0) {
		return "-"
	}
	return report.Time(ns)
}
