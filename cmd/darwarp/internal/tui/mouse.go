package tui

import tea "charm.land/bubbletea/v2"

// wheelRows is how far one turn of the wheel moves.
const wheelRows = 3

// clicker is a pane that does something with a click at a place in it. It reports whether what was under the pointer is
// to be opened.
type clicker interface{ click(x, y int) (open bool) }

// spotAt is the pane at a place of the screen.
func (f *frame) spotAt(x, y int) (s spot, found bool) {
	for _, s := range f.spots {
		if s.rect.holds(x, y) {
			return s, true
		}
	}
	return s, false
}

// click does what a click of the left button means: the first goes to a pane and what is in it, a second opens it.
func (m *Model) click(x, y int) tea.Cmd {
	if m.help || m.dialog != nil {
		m.help, m.helpTop = false, 0 // a question is answered with a key
		return nil
	}
	for _, t := range m.tabs {
		if t.rect.holds(x, y) {
			m.focus = t.pane
			return nil
		}
	}
	s, found := m.spotAt(x, y)
	if !found {
		return nil
	}
	again := m.focus == s.pane
	m.focus = s.pane
	if !s.inner.holds(x, y) {
		if again && s.pane == paneCandidate { // its frame names the views
			m.candidate.turn(1)
		}
		return nil
	}
	if c, ok := m.panes[s.pane].(clicker); ok && c.click(x-s.inner.x, y-s.inner.y) && again {
		return m.open()
	}
	return nil
}

// wheel moves what is under the pointer, without a change of focus.
func (m *Model) wheel(x, y int, down bool) {
	by := wheelRows
	if !down {
		by = -wheelRows
	}
	if m.help {
		m.helpTop = max(0, m.helpTop+by)
		return
	}
	if s, found := m.spotAt(x, y); found && m.dialog == nil {
		m.panes[s.pane].move(by)
	}
}

// click moves a cursor to a row of the window, and reports whether it was there before.
func (l *list) click(y, n int) (same bool) {
	if y < 0 || l.top+y >= n {
		return false
	}
	same = l.at == l.top+y
	l.at = l.top + y
	return same
}

// click on a head sorts by its column.
func (l *leadersPane) click(x, y int) bool {
	if y == 0 {
		l.sortAt(x)
		return false
	}
	at := l.leader.top + y - 1
	if at >= l.board.listed() {
		return false
	}
	same := at == l.leader.at
	l.moveLeader(at - l.leader.at)
	return same
}

func (p *failuresPane) click(_, y int) bool { return p.list.click(y, len(p.board.causes.all)) }

func (p *operatorsPane) click(_, y int) bool {
	p.list.click(y-1, len(p.board.operatorsByGain()))
	return false // there is nothing in an operator to open
}

func (p *logPane) click(_, y int) bool { return p.list.click(y, p.shownLines()) }

func (p *portfolioPane) click(_, y int) bool {
	return p.has(panePortfolio) && p.list.click(y-2, len(p.board.state.Portfolio.Choices))
}
