package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"
)

// on is where a text stands on the screen.
func (d *driver) on(text string) (x, y int) {
	d.Helper()
	for y, l := range strings.Split(d.screen(), "\n") {
		if at := strings.Index(l, text); at >= 0 {
			return ansi.StringWidth(l[:at]), y
		}
	}
	d.Fatalf("%q is not on the screen:\n%s", text, d.screen())
	return 0, 0
}

// click clicks on a text.
func (d *driver) click(text string) {
	d.Helper()
	x, y := d.on(text)
	d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
}

// TestMouse: a click goes to what is under it, a second opens it, and the wheel moves what it turns over.
func TestMouse(t *testing.T) {
	d := open(t, 300, 160, 50, true)
	d.live()
	third := d.m.board.rows[d.m.board.rowAt(2)].id
	d.click(third.Short())
	if d.at().id != third || d.m.focus != paneLeaders {
		t.Fatalf("the cursor is on %s on pane %d", d.at().id.Short(), d.m.focus)
	}
	d.click(third.Short())
	if d.m.focus != paneCandidate {
		t.Errorf("a second click opens pane %d", d.m.focus)
	}
	d.click("3 Candidate") // its frame turns the views
	d.sees("[diff]")
	d.click("speedup vs cublas")
	d.sees("by speedup, ", "speedup▴")
	d.click("speedup▴")
	d.sees("speedup▾")
	d.click("compile   kernel")
	d.click("wrong     z[2]")
	if d.m.focus != paneFailures || d.m.panes[paneFailures].(*failuresPane).list.at != 1 {
		t.Errorf("pane %d", d.m.focus)
	}
	d.click("wrong     z[2]")
	d.sees("[figures]")
	if d.m.focus != paneCandidate {
		t.Errorf("a failure opens pane %d", d.m.focus)
	}
}

// TestMouseElsewhere: what is no click on a pane moves no focus.
func TestMouseElsewhere(t *testing.T) {
	d := open(t, 300, 160, 50, true)
	d.press("3")
	d.send(tea.MouseClickMsg{X: 0, Y: 0, Button: tea.MouseLeft})
	d.send(tea.MouseClickMsg{X: 3, Y: 5, Button: tea.MouseRight})
	if d.m.focus != paneCandidate {
		t.Errorf("a click beside the panes, or of another button, goes to %d", d.m.focus)
	}
	x, y := d.on("crossover")
	for range 2 {
		d.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
	}
	d.send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelUp})
	if at := d.m.operators.list.at; at != 1 || d.m.focus != paneCandidate {
		t.Errorf("the wheel moves to %d on pane %d", at, d.m.focus)
	}
	d.press("?")
	d.click("Keys")
	d.misses("Keys")
	d.press("q")
	d.click("3 Candidate")
	if d.m.dialog == nil {
		t.Error("a click answers a question")
	}
}

// TestMouseTabs: tabs are clicked where there are some.
func TestMouseTabs(t *testing.T) {
	d := open(t, 300, 80, 24, false)
	for p := panePortfolio - 1; p >= 0; p-- {
		d.click(p.title())
		if d.m.focus != p {
			t.Errorf("%s opens pane %d", p.title(), d.m.focus)
		}
	}
	if v := d.m.View(); v.MouseMode != tea.MouseModeCellMotion {
		t.Error("the mouse is not asked for")
	}
}
