package tui

import (
	"fmt"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// failuresPane counts failures by cause.
type failuresPane struct {
	*scene
	list list
}

func (p *failuresPane) note() string {
	return fmt.Sprintf("%s of %s", report.Count(p.board.failed), report.Count(p.board.verdicts))
}

func (p *failuresPane) move(by int) {
	p.list.at = min(max(0, p.list.at+by), max(0, len(p.board.causes.all)-1))
}

// draw counts failures by cause.
func (p *failuresPane) draw(a area) {
	b := p.board
	all := b.causes.sorted()
	if len(all) == 0 {
		a.cut(0, 0, a.rect.w, "Nothing has failed.", inkDim)
		return
	}
	total := 0
	for _, c := range all {
		total += c.count
	}
	bar := 0
	if a.rect.w >= 60 {
		bar = 12
	}
	digits := max(5, len(report.Count(all[0].count))+1) // the most frequent is first
	top := p.list.window(len(all), a.rect.h)
	for i := top; i < min(len(all), top+a.rect.h); i++ {
		c, y := all[i], i-top
		if p.focus == paneFailures && i == p.list.at {
			a.paint(0, y, a.rect.w, backSelect)
			a.set(0, y, p.art.cursor, inkFocus)
		}
		a.right(digits, y, report.Count(c.count), inkStrong)
		x := digits + 1
		if bar > 0 {
			x = a.bar(x, y, bar, float64(c.count)/float64(total), inkBad) + 1
		}
		k := inkBad
		if c.outcome == kernels.Duplicate {
			k = inkDim
		}
		x = a.text(x, y, fmt.Sprintf("%-9s ", c.outcome), k)
		a.cut(x, y, a.rect.w-x, c.text, inkPlain)
	}
}
