package tui

import (
	"fmt"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// portfolioPane shows which kernel a run's portfolio takes at each workload.
type portfolioPane struct {
	*scene
	list list
}

func (p *portfolioPane) note() string {
	if !p.has(panePortfolio) {
		return ""
	}
	return report.Quantity(len(p.board.state.Portfolio.Kernels), "kernel")
}

func (p *portfolioPane) move(by int) {
	if p.has(panePortfolio) {
		p.list.at = min(max(0, p.list.at+by), max(0, len(p.board.state.Portfolio.Choices)-1))
	}
}

// id is the kernel under the cursor, zero: there is none.
func (p *portfolioPane) id() kernels.ID {
	if all := p.board.state.Portfolio; p.list.at < len(all.Choices) {
		return kernelOf(all, p.list.at)
	}
	return kernels.ID{}
}

// kernelOf is the kernel of a portfolio's n-th choice, zero where a file names one that is not there.
func kernelOf(all *kernels.Portfolio, n int) kernels.ID {
	if k := all.Choices[n].Kernel; k >= 0 && k < len(all.Kernels) {
		return all.Kernels[k]
	}
	return kernels.ID{}
}

// draw lists the workloads below what the portfolio gains.
func (p *portfolioPane) draw(a area) {
	if !p.has(panePortfolio) {
		a.cut(0, 0, a.rect.w, "No portfolio was measured.", inkDim)
		return
	}
	all := p.board.state.Portfolio
	a.cut(0, 0, a.rect.w, fmt.Sprintf("%s over the best single kernel %s (%s)",
		report.Gain(all.Gain.Ratio, all.Gain.Lo, all.Gain.Hi), all.Single.Short(), all.Objective), inkPlain)
	const columns = "%-10s  %9s  %9s  %s"
	name := max(8, a.rect.w-58)
	a.cut(2, 1, name, "workload", inkDim)
	a.cut(3+name, 1, a.rect.w-3-name, fmt.Sprintf(columns, "kernel", "time", "single", "gain"), inkDim)
	top := p.list.window(len(all.Choices), max(1, a.rect.h-2))
	for i := top; i < min(len(all.Choices), top+a.rect.h-2); i++ {
		c, y := all.Choices[i], i-top+2
		if p.focus == panePortfolio && i == p.list.at {
			a.paint(0, y, a.rect.w, backSelect)
			a.set(0, y, p.art.cursor, inkFocus)
		}
		gain := "the same"
		if kernelOf(all, i) != all.Single {
			gain = report.Gain(c.Gain.Ratio, c.Gain.Lo, c.Gain.Hi)
		}
		a.cut(2, y, name, c.Workload, inkPlain)
		a.cut(3+name, y, a.rect.w-3-name, fmt.Sprintf(columns, kernelOf(all, i).Short(), p.time(c.Time),
			p.time(c.Single), gain), inkStrong)
	}
}

// time writes a time; a dash where a portfolio of one kernel was not timed.
func (p *portfolioPane) time(ns float64) string {
	if !(ns > 0) {
		return "-"
	}
	return report.Time(ns)
}
