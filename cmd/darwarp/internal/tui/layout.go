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
	paneCount
)

var paneNames = [paneCount]string{"Leaderboard", "Curve", "Candidate", "Failures", "Operators", "Machine", "Log"}

// The least sizes: of anything, of a view with frames and tabs, and of all panes at once.
const (
	leastW, leastH   = 40, 10
	roomyH           = 13 // all three lines of the head
	framedW, framedH = 80, 20
	wideW, wideH     = 132, 36
	sideW            = 120 // leaderboard and curve side by side
)

// size is a class of terminals.
type size int

const (
	sizeNone size = iota
	sizeCompact
	sizeFramed
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

// wideLayout shows everything: what was found on the left, how the search goes on the right.
func (m *Model) wideLayout(body rect) []placed {
	left := body.w * 57 / 100
	l, r := rect{body.x, body.y, left, body.h}, rect{body.x + left, body.y, body.w - left, body.h}
	top, curve := body.h*45/100, max(12, body.h*36/100)
	machine := 4
	if s := m.board.live.machine; s != nil {
		machine = 5 + min(len(s.GPUs), max(1, body.h/8))
	}
	tables := max(6, (body.h-curve-machine)*45/100)
	a, b := r.rows(curve, tables), r.rows(curve, tables)
	a.w = r.w / 2
	b.x, b.w = r.x+a.w, r.w-a.w
	rest := curve + tables
	return []placed{
		{paneLeaders, l.rows(0, top)}, {paneCandidate, l.rows(top, body.h-top)}, {paneCurve, r.rows(0, curve)},
		{paneFailures, a}, {paneOperators, b},
		{paneMachine, r.rows(rest, machine)}, {paneLog, r.rows(rest+machine, body.h-rest-machine)},
	}
}

// draw makes the whole screen.
func (m *Model) draw() *canvas {
	c := newCanvas(m.w, m.h, m.art)
	all := c.at(rect{0, 0, m.w, m.h})
	if m.size() == sizeNone {
		m.drawTooSmall(all)
		return c
	}
	head := m.header.draw(all)
	body := rect{0, head, m.w, m.h - head - 1}
	if m.size() == sizeFramed {
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
		text = speedupOf(c) + " so far. " + text
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
		end := a.text(0, 0, string(rune('1'+p.pane))+" "+paneNames[p.pane]+" ", inkFocus)
		a.cut(end, 0, a.rect.w-end, note, inkDim)
		a = c.at(p.rect.rows(1, p.rect.h-1))
	} else {
		edge, title := inkFaint, inkTitle
		if p.pane == m.focus {
			edge, title = inkFocus, inkFocus
		}
		a.frame(paneNames[p.pane], note, edge, title)
		a = c.at(p.rect.inset())
	}
	if p.pane == m.focus {
		m.page = max(1, a.rect.h-1)
	}
	m.panes[p.pane].draw(a)
}

// drawTabs names the panes with the keys that open them.
func (m *Model) drawTabs(a area) {
	x := 1
	for p := range paneCount {
		k := inkDim
		if p == m.focus {
			k = inkFocus
		}
		x = a.text(x, 0, string(rune('1'+p))+" "+paneNames[p], k) + 2
	}
}
