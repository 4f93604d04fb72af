package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darwarp/cmd/darwarp/internal/report"
)

// leadersPane lists the candidates that are right.
type leadersPane struct {
	*selection
	workload int // whose times are listed
}

func (l *leadersPane) note() string {
	x := &l.board.ranking
	n := x.len()
	if f := x.filter; f.active() {
		return fmt.Sprintf("%s of %s: %s", report.Count(n), report.Count(len(x.order)), f.text)
	}
	return report.Count(n) + " right"
}

func (l *leadersPane) move(by int) { l.moveLeader(by) }

// column is one column of a table.
type column struct {
	head  string
	width int
	left  bool
	cell  func(r *row, rank int) (string, ink)
}

// full is the width from which on intervals are written out.
const full = 100

// columns are the columns that find room, the most wanted first and then as they are read.
func (l *leadersPane) columns(width, ranks int) []column {
	cols := []column{
		{"#", max(2, ranks), false, func(_ *row, rank int) (string, ink) { return fmt.Sprint(rank), inkDim }},
		{"id", 10, true, func(r *row, _ int) (string, ink) { return r.id.Short(), inkPlain }},
		{l.timeHead(), 8, false, func(r *row, _ int) (string, ink) { return l.timeCell(r), inkStrong }},
	}
	if width >= full {
		cols = append(cols, column{"95% interval", 16, true, func(r *row, _ int) (string, ink) {
			return l.intervalCell(r), inkDim
		}})
	} else {
		cols = append(cols, column{l.art.plusMinus, 5, false, func(r *row, _ int) (string, ink) {
			return l.spreadCell(r), inkDim
		}})
	}
	cols = append(cols, column{"speedup", 7, false, func(r *row, _ int) (string, ink) { return speedupOf(r), inkCurve }})
	return fitting(append(append(cols, l.comparisons()...), l.traits()...), width)
}

// comparisons are the columns that hold a candidate against something else.
func (l *leadersPane) comparisons() (cols []column) {
	b := l.board
	for _, x := range b.baselines {
		cols = append(cols, column{"vs " + x.name, max(6, 3+len(x.name)), false, func(r *row, _ int) (string, ink) {
			return provenRatio(r, x.score), inkBaseline
		}})
	}
	if c := b.champion(); c != nil {
		cols = append(cols, column{"vs " + string(l.art.champion), 5, false, func(r *row, _ int) (string, ink) {
			return provenRatio(r, c.score), inkDim
		}})
	}
	if b.roofline() > 0 {
		cols = append(cols, column{"roof", 5, false, func(r *row, _ int) (string, ink) { return l.roofCell(r), inkRoofline }})
	}
	cols = append(cols, column{"gate", 5, true, func(r *row, _ int) (string, ink) { return l.gateCell(r), inkGood }})
	return cols
}

// traits are the columns of where a candidate comes from.
func (l *leadersPane) traits() (cols []column) {
	b := l.board
	if len(b.families.all) > 2 {
		cols = append(cols, column{"family", longest(b.families.all), true, func(r *row, _ int) (string, ink) {
			return b.families.all[r.family], inkPlain
		}})
	}
	for _, g := range b.columns() {
		name := b.genes.genes.all[g]
		cols = append(cols, column{name, max(len(name), longest(b.genes.values[g].all)), true,
			func(r *row, _ int) (string, ink) { return b.genes.text(r.genes, g), inkPlain }})
	}
	cols = append(cols, column{"origin", min(20, longest(b.operators.all)), true, func(r *row, _ int) (string, ink) {
		return endOf(shortArm(b.operators.all[r.op]), 20, l.art.ellipsis), inkDim
	}})
	return cols
}

// fitting are the columns that find room; one that is too wide leaves its place to the next.
func fitting(all []column, width int) (cols []column) {
	used := 2
	for _, c := range all {
		if used+c.width <= width {
			cols, used = append(cols, c), used+c.width+1
		}
	}
	return cols
}

func longest(all []string) int {
	n := 0
	for _, s := range all {
		n = max(n, ansi.StringWidth(s))
	}
	return n
}

// timeHead names the workload of the times where there are several.
func (l *leadersPane) timeHead() string {
	if ws := l.board.workloads(); len(ws) > 1 {
		return ansi.Truncate(ws[l.workload].Name, 8, l.art.ellipsis)
	}
	return "time"
}

func (l *leadersPane) span(r *row) *span {
	if l.workload < len(r.times) && r.proven {
		return &r.times[l.workload]
	}
	return nil
}

func (l *leadersPane) timeCell(r *row) string {
	if t := l.span(r); t != nil {
		return report.Time(float64(t.median))
	}
	return "-"
}

// intervalCell is the interval in the unit of the median.
func (l *leadersPane) intervalCell(r *row) string {
	t := l.span(r)
	if t == nil {
		return "-"
	}
	text := report.Interval(float64(t.median), float64(t.lo), float64(t.hi))
	for i := range text {
		if text[i] == '[' {
			return text[i:]
		}
	}
	return "-"
}

func (l *leadersPane) spreadCell(r *row) string {
	t := l.span(r)
	if t == nil || t.median == 0 || !(t.hi > t.lo) { // one sample has no interval
		return "-"
	}
	spread := 100 * float64(t.hi-t.lo) / 2 / float64(t.median)
	if spread >= 99.95 {
		return fmt.Sprintf("%.0f%%", min(spread, 9999))
	}
	return fmt.Sprintf("%.1f%%", spread)
}

// provenRatio is how many times as fast a row is as something else.
func provenRatio(r *row, other float64) string {
	switch x := other / r.score; {
	case !r.proven:
		return "-"
	case x >= 9.995 && x < 99.95: // its column has five places
		return fmt.Sprintf("%.1fx", x)
	default:
		return report.Ratio(x)
	}
}

func (l *leadersPane) roofCell(r *row) string {
	if share := l.board.share(r, l.workload); share > 0 && r.proven {
		return fmt.Sprintf("%.1f%%", 100*share)
	}
	return "-"
}

// gateCell is the badge of a candidate that passed every check, with how many there were.
func (l *leadersPane) gateCell(r *row) string {
	if r.checks == 0 {
		return l.art.check
	}
	return fmt.Sprintf("%s%d", l.art.check, r.checks)
}

// draw lists those that are right, best first. Only the rows that are seen are made.
func (l *leadersPane) draw(a area) {
	x := &l.board.ranking
	n := x.len()
	if n == 0 {
		text := "No candidate is right yet."
		if x.filter.active() {
			text = "Nothing passes the filter. esc shows all."
		}
		a.cut(0, 0, a.rect.w, text, inkDim)
		return
	}
	l.selected()
	top := l.leader.window(n, max(1, a.rect.h-1))
	last := min(n, top+a.rect.h-1)
	cols := l.columns(a.rect.w, len(fmt.Sprint(x.rank(x.position(max(0, last-1))))))
	at := 2
	for _, c := range cols {
		a.cell(at, 0, c, c.head, inkDim)
		at += c.width + 1
	}
	for i := top; i < last; i++ {
		l.drawRow(a, i-top+1, cols, i)
	}
}

func (l *leadersPane) drawRow(a area, y int, cols []column, n int) {
	b := l.board
	p := b.ranking.position(n)
	i := b.ranking.order[p]
	r := &b.rows[i]
	if n == l.leader.at {
		a.paint(0, y, a.rect.w, backSelect)
		if l.focus == paneLeaders {
			a.set(0, y, l.art.cursor, inkFocus)
		}
	}
	champion := r == b.champion()
	switch {
	case b.killed[i]:
		a.set(1, y, l.art.killed, inkBad)
	case b.pins[i]:
		a.set(1, y, l.art.pinned, inkAccent)
	case l.isMarked(i):
		a.set(1, y, l.art.marked, inkAccent)
	case champion:
		a.set(1, y, l.art.champion, inkChampion)
	}
	at := 2
	for _, c := range cols {
		text, k := c.cell(r, b.ranking.rank(p))
		switch {
		case champion && (k == inkPlain || k == inkStrong):
			k = inkChampion
		case b.killed[i]:
			k = inkDim
		}
		a.cell(at, y, c, text, k)
		at += c.width + 1
	}
}

// cell writes one cell of a table, cut at its column.
func (a area) cell(x, y int, c column, text string, k ink) {
	if !c.left {
		x += max(0, c.width-ansi.StringWidth(text))
	}
	a.cut(x, y, c.width, text, k)
}

func (l *leadersPane) nextWorkload() tea.Cmd {
	if n := len(l.board.workloads()); n > 0 {
		l.workload = (l.workload + 1) % n
	}
	return nil
}
