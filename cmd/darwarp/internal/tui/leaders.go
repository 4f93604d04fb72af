package tui

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"darwarp/cmd/darwarp/internal/report"
)

// column is one column of a table.
type column struct {
	head  string
	width int
	left  bool
	cell  func(r *row, rank int) (string, ink)
}

// full is the width from which on intervals are written out.
const full = 100

// leaderColumns are the columns that find room, the most wanted first and then as they are read.
func (m *Model) leaderColumns(width, ranks int) []column {
	cols := []column{
		{"#", max(2, ranks), false, func(_ *row, rank int) (string, ink) { return fmt.Sprint(rank), inkDim }},
		{"id", 10, true, func(r *row, _ int) (string, ink) { return r.id.Short(), inkPlain }},
		{m.timeHead(), 8, false, func(r *row, _ int) (string, ink) { return m.timeCell(r), inkStrong }},
	}
	if width >= full {
		cols = append(cols, column{"95% interval", 16, true, func(r *row, _ int) (string, ink) {
			return m.intervalCell(r), inkDim
		}})
	} else {
		cols = append(cols, column{m.art.plusMinus, 5, false, func(r *row, _ int) (string, ink) {
			return m.spreadCell(r), inkDim
		}})
	}
	cols = append(cols, column{"speedup", 7, false, func(r *row, _ int) (string, ink) { return speedupOf(r), inkCurve }})
	return fitting(append(append(cols, m.comparisons()...), m.traits()...), width)
}

// comparisons are the columns that hold a candidate against something else.
func (m *Model) comparisons() (cols []column) {
	b := m.board
	for _, x := range b.baselines {
		cols = append(cols, column{"vs " + x.name, max(6, 3+len(x.name)), false, func(r *row, _ int) (string, ink) {
			return provenRatio(r, x.score), inkBaseline
		}})
	}
	if c := b.champion(); c != nil {
		cols = append(cols, column{"vs " + string(m.art.champion), 5, false, func(r *row, _ int) (string, ink) {
			return provenRatio(r, c.score), inkDim
		}})
	}
	if b.roofline() > 0 {
		cols = append(cols, column{"roof", 5, false, func(r *row, _ int) (string, ink) { return m.roofCell(r), inkRoofline }})
	}
	cols = append(cols, column{"gate", 5, true, func(r *row, _ int) (string, ink) { return m.gateCell(r), inkGood }})
	return cols
}

// traits are the columns of where a candidate comes from.
func (m *Model) traits() (cols []column) {
	b := m.board
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
		return endOf(shortArm(b.operators.all[r.op]), 20, m.art.ellipsis), inkDim
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
func (m *Model) timeHead() string {
	if ws := m.board.workloads(); len(ws) > 1 {
		return ansi.Truncate(ws[m.workload].Name, 8, m.art.ellipsis)
	}
	return "time"
}

func (m *Model) span(r *row) *span {
	if m.workload < len(r.times) && r.proven {
		return &r.times[m.workload]
	}
	return nil
}

func (m *Model) timeCell(r *row) string {
	if t := m.span(r); t != nil {
		return report.Time(float64(t.median))
	}
	return "-"
}

// intervalCell is the interval in the unit of the median.
func (m *Model) intervalCell(r *row) string {
	t := m.span(r)
	if t == nil {
		return "-"
	}
	text := report.Interval(float64(t.median), float64(t.lo), float64(t.hi))
	for i := range text {
		if text[i] == '[' {
			return text[i:]
		}
	}
	return text
}

func (m *Model) spreadCell(r *row) string {
	t := m.span(r)
	if t == nil || t.median == 0 {
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

func (m *Model) roofCell(r *row) string {
	if share := m.board.share(r, m.workload); share > 0 && r.proven {
		return fmt.Sprintf("%.1f%%", 100*share)
	}
	return "-"
}

// gateCell is the badge of a candidate that passed every check, with how many there were.
func (m *Model) gateCell(r *row) string {
	if r.checks == 0 {
		return m.art.check
	}
	return fmt.Sprintf("%s%d", m.art.check, r.checks)
}

// drawLeaders lists those that are right, best first. Only the rows that are seen are made.
func (m *Model) drawLeaders(a area) {
	x := &m.board.ranking
	n := x.len()
	if n == 0 {
		text := "No candidate is right yet."
		if x.filter.active() {
			text = "Nothing passes the filter. esc shows all."
		}
		a.cut(0, 0, a.rect.w, text, inkDim)
		return
	}
	m.selected()
	top := m.leader.window(n, max(1, a.rect.h-1))
	last := min(n, top+a.rect.h-1)
	cols := m.leaderColumns(a.rect.w, len(fmt.Sprint(x.rank(x.position(max(0, last-1))))))
	at := 2
	for _, c := range cols {
		m.cell(a, at, 0, c, c.head, inkDim)
		at += c.width + 1
	}
	for i := top; i < last; i++ {
		m.drawLeader(a, i-top+1, cols, i)
	}
}

func (m *Model) drawLeader(a area, y int, cols []column, n int) {
	b := m.board
	p := b.ranking.position(n)
	i := b.ranking.order[p]
	r := &b.rows[i]
	if n == m.leader.at {
		a.paint(0, y, a.rect.w, backSelect)
		if m.focus == paneLeaders {
			a.set(0, y, m.art.cursor, inkFocus)
		}
	}
	champion := r == b.champion()
	switch {
	case b.killed[i]:
		a.set(1, y, m.art.killed, inkBad)
	case b.pins[i]:
		a.set(1, y, m.art.pinned, inkAccent)
	case m.isMarked(i):
		a.set(1, y, m.art.marked, inkAccent)
	case champion:
		a.set(1, y, m.art.champion, inkChampion)
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
		m.cell(a, at, y, c, text, k)
		at += c.width + 1
	}
}

// cell writes one cell of a table, cut at its column.
func (m *Model) cell(a area, x, y int, c column, text string, k ink) {
	if !c.left {
		x += max(0, c.width-ansi.StringWidth(text))
	}
	a.cut(x, y, c.width, text, k)
}

func (m *Model) isMarked(i int32) bool {
	for _, x := range m.marks {
		if x == i {
			return true
		}
	}
	return false
}
