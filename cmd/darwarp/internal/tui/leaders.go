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
	sort     sorting
	shown    []column // on the screen
}

// sorting is the column that the leaderboard is sorted by.
type sorting struct {
	head    string // empty: by score
	reverse bool
}

func (l *leadersPane) note() string {
	x := l.board.order()
	n := x.len()
	note := report.Count(n) + " right"
	if f := x.filter; f.active() {
		note = fmt.Sprintf("%s of %s: %s", report.Count(n), report.Count(len(x.order)), f.text)
	}
	if l.sort.head != "" {
		note = "by " + l.sort.head + ", " + note
	}
	return note
}

func (l *leadersPane) move(by int) { l.moveLeader(by) }

// draw lists those that are right, best first. Only the rows that are seen are made.
func (l *leadersPane) draw(a area) {
	n := l.board.listed()
	if n == 0 {
		text := "No candidate is right yet."
		if l.board.order().filter.active() {
			text = "Nothing passes the filter. esc shows all."
		}
		a.cut(0, 0, a.rect.w, text, inkDim)
		return
	}
	l.selected()
	top := l.leader.window(n, max(1, a.rect.h-1))
	last := min(n, top+a.rect.h-1)
	l.shown = l.columns(a.rect.w, l.widestRank(top, last))
	l.drawHeads(a)
	for i := top; i < last; i++ {
		rank := l.board.rankAt(i)
		if i == top {
			rank = l.board.rankOf(l.board.rowAt(i))
		}
		l.drawRow(a, i-top+1, i, rank)
	}
}

// widestRank is how many digits the ranks of some rows have.
func (l *leadersPane) widestRank(from, to int) int {
	most := 0
	for i := from; i < to; i++ {
		most = max(most, l.board.rankOf(l.board.rowAt(i)))
	}
	return len(fmt.Sprint(most))
}

// drawHeads names the columns, with an arrow behind the one that is sorted by.
func (l *leadersPane) drawHeads(a area) {
	at := 2
	for _, c := range l.shown {
		k := inkDim
		if c.head == l.sort.head {
			k = inkFocus
			end := at + c.width
			if c.left {
				end = at + ansi.StringWidth(c.head)
			}
			a.text(end, 0, l.art.arrow(l.sort.reverse), k)
		}
		a.cell(at, 0, c, c.head, k)
		at += c.width + 1
	}
}

// drawRow draws the n-th row; a rank of 0 is not shown: it is that of the row above.
func (l *leadersPane) drawRow(a area, y, n, rank int) {
	b := l.board
	i := b.rowAt(n)
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
	for _, c := range l.shown {
		text, k := c.cell(r, rank)
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
		head := l.timeHead()
		l.workload = (l.workload + 1) % n
		if l.sort.head == head {
			l.sort.head = l.timeHead()
		}
		l.resort()
	}
	return nil
}

// sortNext sorts by the next column on the screen; after the last, by score again.
func (l *leadersPane) sortNext() {
	next := 0
	for i, c := range l.shown {
		if c.head == l.sort.head {
			next = i + 1
		}
	}
	for next < len(l.shown) && l.shown[next].by == nil {
		next++
	}
	if l.sort = (sorting{}); next < len(l.shown) {
		l.sort.head = l.shown[next].head
	}
	l.resort()
}

// sortAt sorts by the column at a place; by the one that is sorted by, the other way round.
func (l *leadersPane) sortAt(x int) {
	at := 2
	for _, c := range l.shown {
		if x >= at && x <= at+c.width && c.by != nil {
			l.sort = sorting{c.head, l.sort.head == c.head && !l.sort.reverse}
			l.resort()
			return
		}
		at += c.width + 1
	}
}

// turnOrder sorts the other way round.
func (l *leadersPane) turnOrder() {
	if l.sort.head != "" {
		l.sort.reverse = !l.sort.reverse
		l.resort()
	}
}

// resort puts the board's rows in the order of the column, as far as there is one.
func (l *leadersPane) resort() {
	for _, c := range l.columns(1<<20, 1) {
		if c.head == l.sort.head && c.by != nil {
			by := c.by
			if l.sort.reverse {
				by = func(r, s *row) int { return c.by(s, r) }
			}
			l.board.sortBy(by)
			return
		}
	}
	l.sort = sorting{}
	l.board.sortBy(nil)
}
