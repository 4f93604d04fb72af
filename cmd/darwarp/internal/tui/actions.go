package tui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// helpKey scrolls the help where it is longer than the screen; any other key closes it.
func (p *prompts) helpKey() {
	switch p.pressed {
	case "j", "down", "pgdown":
		p.helpTop++
	case "k", "up", "pgup":
		p.helpTop = max(0, p.helpTop-1)
	default:
		p.help, p.helpTop = false, 0
	}
}

// nextView turns to the next view of a candidate, or to the one before.
func (m *Model) nextView() tea.Cmd {
	by := candidateView(1)
	if m.pressed == "left" || m.pressed == "[" {
		by = -1
	}
	m.candidate.turn(by)
	return nil
}

// move moves the cursor of the pane in focus.
func (m *Model) move(by int) { m.panes[m.focus].move(by) }

// open shows the candidate that the cursor is on.
func (m *Model) open() tea.Cmd {
	if m.focus == paneLog {
		if l := m.log.lineAtCursor(); l != nil {
			if i, ok := m.board.byID[l.id]; ok {
				m.pick(i)
				return m.openAt(m.candidate.view)
			}
		}
		return nil
	}
	if m.focus == panePortfolio {
		if i, ok := m.board.byID[m.portfolio.id()]; ok {
			m.pick(i)
			return m.openAt(m.candidate.view)
		}
		return nil
	}
	if i := m.subject(); m.focus == paneFailures && i >= 0 {
		m.pick(i)
		return m.openAt(viewFigures)
	}
	return m.openAt(m.candidate.view)
}

func (m *Model) openAt(v candidateView) tea.Cmd {
	if i := m.subject(); i >= 0 && m.focus == paneFailures {
		m.pick(i)
	}
	if m.focus != paneCandidate {
		m.pair = [2]int32{-1, -1}
	}
	m.focus, m.candidate.view = paneCandidate, v
	m.scroll[v] = 0
	return nil
}

// diff compares the two that are marked, else the candidate with its parent.
func (m *Model) diff() tea.Cmd {
	pair := [2]int32{-1, -1}
	switch len(m.marks) {
	case 2:
		pair = [2]int32{m.marks[0], m.marks[1]}
	case 1:
		if i := m.subject(); i >= 0 && i != m.marks[0] {
			pair = [2]int32{m.marks[0], i}
		}
	}
	cmd := m.openAt(viewDiff)
	m.pair = pair
	return cmd
}

// sort sorts the leaderboard, or turns its order.
func (m *Model) sort() tea.Cmd {
	if m.pressed == "S" {
		m.leaders.turnOrder()
	} else {
		m.leaders.sortNext()
	}
	return nil
}

// back undoes one thing.
func (m *Model) back() tea.Cmd {
	switch {
	case m.notice != "":
		m.notice = ""
	case m.zoom:
		m.zoom = false
	case m.focus == paneCandidate:
		m.focus = paneLeaders
		if m.picked >= 0 && m.board.rows[m.picked].score == 0 {
			m.follows = true
		}
	case m.board.ranking.filter.active():
		m.board.setFilter("")
	case m.leaders.sort.head != "":
		m.leaders.sort = sorting{}
		m.leaders.resort()
	case m.log.word.active():
		m.log.word = filter{}
	default:
		m.marks = nil
	}
	return nil
}

// interrupt is Ctrl-C, which does in the view what it does without one.
func (m *Model) interrupt() tea.Cmd {
	if m.opt.Interrupt == nil || !m.steerable() {
		if m.steerable() {
			m.left = LeftDetached
		}
		return tea.Quit
	}
	m.opt.Interrupt()
	m.say("Finishing what is in flight. Ctrl-C again ends now.", nil)
	return nil
}

// firstLine keeps an error to one line of the footer.
func firstLine(err error) error {
	if err == nil {
		return nil
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(text)
}
