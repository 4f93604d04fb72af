package tui

// pane is a part of the view.
type pane int

const (
	paneLeaders pane = iota
	paneCurve
	paneCandidate
	paneFailures
	paneOperators
	paneMachine
	paneLog
	panePortfolio // where the run has one
	paneCount
)

var paneNames = [paneCount]string{"Leaderboard", "Curve", "Candidate", "Failures", "Operators", "Machine", "Log",
	"Portfolio"}

// title is a pane's name with the key that opens it.
func (p pane) title() string { return string(rune('1'+p)) + " " + paneNames[p] }

// The least sizes: of anything, of a view with frames and tabs, and of all panes at once.
const (
	leastW, leastH   = 40, 10
	roomyH           = 12 // all three lines of the head
	framedW, framedH = 80, 20
	wideW, wideH     = 132, 36
	sideW            = 120 // two panes side by side
	highH            = 36  // leaderboard, curve and candidate
)

// size is a class of terminals.
type size int

const (
	sizeNone size = iota
	sizeCompact
	sizeFramed
	sizeHigh
	sizeWide
)

// content is what a pane shows.
type content interface {
	note() string // on its frame, besides the name
	draw(area)
	move(by int) // the cursor, by rows
}

// placed is a pane with its rectangle.
type placed struct {
	pane pane
	rect rect
}

// layout places the panes of the body.
func (m *Model) layout(body rect) []placed {
	switch {
	case m.size() == sizeWide:
		return m.wideLayout(body)
	case m.size() == sizeHigh && m.focus <= paneCandidate:
		return m.highLayout(body)
	case m.size() == sizeCompact || m.zoom || m.focus != paneLeaders && m.focus != paneCurve:
		return []placed{{m.focus, body}}
	case body.w >= sideW:
		left := body.w * 6 / 10
		return []placed{{paneLeaders, rect{body.x, body.y, left, body.h}},
			{paneCurve, rect{body.x + left, body.y, body.w - left, body.h}}}
	}
	top := max(7, body.h*2/5)
	return []placed{{paneCurve, body.rows(0, top)}, {paneLeaders, body.rows(top, body.h-top)}}
}

// highLayout gives the leaderboard the whole width, for it has many columns, and as many lines as it needs.
func (m *Model) highLayout(body rect) []placed {
	top := min(max(8, m.board.listed()+3), body.h/2)
	below := body.rows(top, body.h-top)
	left, right := below, below
	left.w = body.w / 2
	right.x, right.w = body.x+left.w, body.w-left.w
	return []placed{{paneLeaders, body.rows(0, top)}, {paneCurve, left}, {paneCandidate, right}}
}

// wideLayout shows everything: what was found on the left, how the search goes on the right.
func (m *Model) wideLayout(body rect) []placed {
	left := body.w * 57 / 100
	l, r := rect{body.x, body.y, left, body.h}, rect{body.x + left, body.y, body.w - left, body.h}
	top, curve := body.h*45/100, max(12, body.h*36/100)
	machine := 4
	if s := m.board.live.machine; s != nil {
		machine = 5 + min(len(s.GPUs), max(1, body.h/8))
	}
	if m.machine.host != nil {
		machine++
	}
	tables := max(6, (body.h-curve-machine)*45/100)
	a, b := r.rows(curve, tables), r.rows(curve, tables)
	b.w = m.operatorsWidth(r.w)
	a.w = r.w - b.w
	b.x = r.x + a.w
	rest, low := curve+tables, m.portfolioHeight(body.h)
	all := []placed{
		{paneLeaders, l.rows(0, top)}, {paneCandidate, l.rows(top, body.h-top-low)}, {paneCurve, r.rows(0, curve)},
		{paneFailures, a}, {paneOperators, b},
		{paneMachine, r.rows(rest, machine)}, {paneLog, r.rows(rest+machine, body.h-rest-machine)},
	}
	if low > 0 {
		all = append(all, placed{panePortfolio, l.rows(body.h-low, low)})
	}
	return all
}

// operatorsWidth is what the operators get of the width that they share with the failures: all columns where there is
// room, and half of it at least.
func (m *Model) operatorsWidth(width int) int {
	failures := 21 // "Nothing has failed."
	if m.board.failed > 0 {
		failures = width * 2 / 5
	}
	return max(width-width/2, min(m.operators.width(), width-failures))
}

// portfolioHeight is what the portfolio gets of the height, 0 where there is none.
func (m *Model) portfolioHeight(height int) int {
	if !m.has(panePortfolio) {
		return 0
	}
	return min(4+len(m.board.state.Portfolio.Choices), height/4)
}

// draw makes the whole screen.
func (m *Model) draw() *canvas {
	c := newCanvas(m.w, m.h, m.art)
	all := c.at(rect{0, 0, m.w, m.h})
	if m.size() == sizeNone {
		m.drawTooSmall(all)
		return c
	}
	m.spots, m.tabs = m.spots[:0], m.tabs[:0]
	head := m.header.draw(all)
	body := rect{0, head, m.w, m.h - head - 1}
	if m.size() == sizeFramed || m.size() == sizeHigh {
		m.drawTabs(c.at(rect{0, head, m.w, 1}))
		body = body.rows(1, body.h-1)
	}
	for _, p := range m.layout(body) {
		m.drawPane(c, p)
	}
	m.drawFooter(c.at(rect{0, m.h - 1, m.w, 1}))
	if m.help {
		m.drawHelp(all)
	}
	if m.dialog != nil {
		m.drawDialog(all)
	}
	return c
}

// drawTooSmall says in one sentence what matters, and what would help.
func (m *Model) drawTooSmall(a area) {
	text := "The view needs 40x10; enlarge the terminal or use --plain."
	if c := m.board.champion(); c != nil {
		text = m.board.speedupOf(c) + " so far. " + text
	}
	for i, l := range wrap(text, a.rect.w) {
		a.text(0, i, l, inkPlain)
	}
}

// drawPane draws a pane in its frame; without room for frames its name is on a line of its own.
func (m *Model) drawPane(c *canvas, p placed) {
	a := c.at(p.rect)
	note := m.panes[p.pane].note()
	if m.size() == sizeCompact {
		end := a.text(0, 0, p.pane.title()+" ", inkFocus)
		a.cut(end, 0, a.rect.w-end, note, inkDim)
		a = c.at(p.rect.rows(1, p.rect.h-1))
	} else {
		edge, title := inkFaint, inkTitle
		if p.pane == m.focus {
			edge, title = inkFocus, inkFocus
		}
		name := paneNames[p.pane]
		if m.size() == sizeWide { // else the tabs have the numbers
			name = p.pane.title()
		}
		a.frame(name, note, edge, title)
		a = c.at(p.rect.inset())
	}
	m.spots = append(m.spots, spot{p.pane, p.rect, a.rect})
	if p.pane == m.focus {
		m.page = max(1, a.rect.h-1)
	}
	m.panes[p.pane].draw(a)
}

// drawTabs names the panes with the keys that open them; where there is no room, only the one in focus whole.
func (m *Model) drawTabs(a area) {
	wide := -1
	for p := range paneCount {
		if m.has(p) {
			wide += len(p.title()) + 2
		}
	}
	x := 1
	for p := range paneCount {
		if !m.has(p) {
			continue
		}
		k, title := inkDim, p.title()
		switch {
		case p == m.focus:
			k = inkFocus
		case wide > a.rect.w-1:
			title = title[:min(6, len(title))]
		}
		end := a.text(x, 0, title, k)
		m.tabs = append(m.tabs, spot{p, rect{a.x + x, a.y, end - x, 1}, rect{}})
		x = end + 2
	}
}
