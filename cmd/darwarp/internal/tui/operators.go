package tui

import (
	"fmt"
	"math"
	"time"

	"darwarp/cmd/darwarp/internal/report"
)

// operatorColumns are what is told of an operator, the most wanted first.
var operatorColumns = []struct {
	head  string
	width int
	cell  func(o *operator) (string, ink)
}{
	{"tried", 7, func(o *operator) (string, ink) { return report.Count(o.tried), inkPlain }},
	{"gain", 8, func(o *operator) (string, ink) {
		if o.earned <= 0 {
			return "-", inkDim
		}
		return gainText(o.earned), inkGood
	}},
	{"won", 4, func(o *operator) (string, ink) { return fmt.Sprint(o.crowned), inkChampion }},
	{"better", 7, func(o *operator) (string, ink) { return report.Count(o.records), inkPlain }},
	{"right", 6, func(o *operator) (string, ink) {
		return fmt.Sprintf("%.0f%%", 100*float64(o.right)/float64(o.tried)), inkPlain
	}},
	{"best", 7, func(o *operator) (string, ink) { return report.Speedup(o.best), inkCurve }},
	{"cost", 7, func(o *operator) (string, ink) { return report.Duration(time.Duration(o.seconds * 1e9)), inkDim }},
}

// drawOperators says what each operator tried, and what came of it.
func (m *Model) drawOperators(a area) {
	b := m.board
	cols := operatorColumns
	name := max(8, longest(b.operators.all))
	for n, width := 0, name; n < len(cols); n++ {
		if width += cols[n].width + 1; width > a.rect.w {
			cols = cols[:n]
		}
	}
	x := name
	for _, c := range cols {
		x += c.width + 1
		a.right(x, 0, c.head, inkDim)
	}
	order := b.operatorsByGain()
	top := m.ops.window(len(order), max(1, a.rect.h-1))
	for i := top; i < min(len(order), top+a.rect.h-1); i++ {
		y, o := i-top+1, &b.ops[order[i]]
		if m.focus == paneOperators && i == m.ops.at {
			a.paint(0, y, a.rect.w, backSelect)
		}
		a.cut(0, y, name, b.operators.all[order[i]], inkPlain)
		x := name
		for _, c := range cols {
			text, k := c.cell(o)
			x += c.width + 1
			a.right(x, y, text, k)
		}
	}
}

// gainText writes a log gain as a factor, or as per cent where it is small.
func gainText(log float64) string {
	if f := math.Exp(log); f >= 2 {
		return report.Ratio(f)
	}
	return fmt.Sprintf("+%.1f%%", 100*(math.Exp(log)-1))
}
