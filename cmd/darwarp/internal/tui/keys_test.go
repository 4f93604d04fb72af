package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func (d *driver) sees(texts ...string) {
	d.Helper()
	screen := d.screen()
	for _, s := range texts {
		if !strings.Contains(screen, s) {
			d.Errorf("%q is not on the screen:\n%s", s, screen)
		}
	}
}

func (d *driver) misses(texts ...string) {
	d.Helper()
	screen := d.screen()
	for _, s := range texts {
		if strings.Contains(screen, s) {
			d.Errorf("%q is on the screen:\n%s", s, screen)
		}
	}
}

// at is the row under the leaderboard's cursor.
func (d *driver) at() *row { return &d.m.board.rows[d.m.selected()] }

// TestKeyTable checks that no key means two things in one place, and that the help lists every key that
// is not the other direction of one that it lists.
func TestKeyTable(t *testing.T) {
	m := open(t, 10, 80, 24, true).m
	for p := range paneCount {
		m.focus = p
		seen := map[string]bool{}
		for _, b := range bindings {
			for _, k := range b.keys {
				if seen[k] && b.fits(m) {
					t.Errorf("key %q means two things on pane %s", k, paneNames[p])
				}
				seen[k] = seen[k] || b.fits(m)
			}
			if b.hint && (b.show == "" || b.short == "") {
				t.Errorf("key %v has no name for the footer", b.keys)
			}
			if b.do == nil {
				t.Errorf("key %v does nothing", b.keys)
			}
		}
	}
}

func TestMoving(t *testing.T) {
	d := open(t, 300, 80, 24, false)
	best := d.at().id
	order := d.m.board.ranking.order
	d.screen()
	for _, tt := range []struct {
		key  string
		want int
	}{{"j", 1}, {"down", 2}, {"k", 1}, {"up", 0}, {"up", 0}, {"pgdown", d.m.page}, {"pgup", 0}, {"end", len(order) - 1},
		{"j", len(order) - 1}, {"home", 0}, {"G", len(order) - 1}, {"g", 0}} {
		d.press(tt.key)
		d.screen()
		if d.m.leader.at != tt.want || d.at().id != d.m.board.rows[order[tt.want]].id {
			t.Errorf("after %s the cursor is at %d, want %d", tt.key, d.m.leader.at, tt.want)
		}
	}
	if d.at().id != best || !d.m.follows {
		t.Error("at the top the cursor follows the best")
	}
}

// TestCursorStays checks that the cursor stays on its candidate while better ones come in.
func TestCursorStays(t *testing.T) {
	d := open(t, 100, 80, 24, true)
	d.press("j", "j", "j")
	was := d.at().id
	d.live()
	if d.at().id != was {
		t.Error("the cursor has moved to another candidate")
	}
	d.press("home")
	d.live()
	if d.m.leader.at != 0 {
		t.Error("at the top the cursor does not follow the best")
	}
}

func TestPanes(t *testing.T) {
	d := open(t, 100, 80, 24, true)
	for p := paneCurve; p < panePortfolio; p++ { // this run has none
		d.press("tab")
		if d.m.focus != p {
			t.Fatalf("on pane %d, want %d", d.m.focus, p)
		}
	}
	d.press("tab")
	if d.m.focus != paneLeaders {
		t.Error("tab does not come around")
	}
	d.press("shift+tab")
	if d.m.focus != paneLog {
		t.Error("shift-tab does not go back")
	}
	d.press("4")
	d.sees("╭─ Failures ")
	d.press("1", "z")
	d.sees("╭─ Leaderboard ")
	d.misses("╭─ Curve ")
	d.press("esc")
	d.sees("╭─ Curve ")
}

func TestHelp(t *testing.T) {
	d := open(t, 100, 60, 15, true)
	d.press("?")
	d.sees("this help")
	d.misses("esc        back")
	for range 40 {
		d.press("j")
	}
	d.sees("esc        back")
	d.press("x")
	d.misses("esc        back")
}

func TestOpenAndCompare(t *testing.T) {
	d := open(t, 300, 80, 24, false)
	d.press("enter")
	d.sees("[source]", "__global__ void axpy")
	d.press("right")
	d.sees("[diff]")
	d.press("right")
	d.sees("[lineage]", "the naive start")
	d.press("right")
	d.sees("[figures]", "24 checks")
	d.press("right", "left", "esc")
	if d.m.focus != paneLeaders {
		t.Fatal("esc does not lead back")
	}
	first := d.at().id.Short()
	d.press("space")
	second := d.at().id.Short()
	d.press("j", "k", "space", "d")
	d.sees("[diff]", second+".cu", first+".cu", "against "+first)
	d.press("1", "esc", "end", "d")
	d.misses("against " + first)
}

func TestFailureOpens(t *testing.T) {
	d := open(t, 300, 80, 24, false)
	d.press("4", "j", "enter")
	d.sees("[figures]", "wrong", "expected 4")
	d.press("esc")
	d.sees("▸★ 1 ")
}

func TestFilterKeys(t *testing.T) {
	d := open(t, 300, 80, 24, false)
	all := d.m.board.ranking.len()
	d.press("/")
	d.write("threads=64")
	d.sees("Filter: threads=64")
	some := d.m.board.ranking.len()
	if some == 0 || some >= all {
		t.Fatalf("%d of %d pass", some, all)
	}
	d.press("backspace", "enter", "j")
	if d.m.board.ranking.filter.text != "threads=6" || d.m.board.ranking.len() != 0 {
		t.Errorf("filter %q, %d rows", d.m.board.ranking.filter.text, d.m.board.ranking.len())
	}
	d.sees("Nothing passes the filter")
	d.press("esc")
	if d.m.board.ranking.len() != all {
		t.Error("esc does not show all again")
	}
	d.press("7", "/")
	d.write("champion")
	d.press("enter")
	d.sees("champion")
	d.press("esc", "esc")
}

func TestCurveKeys(t *testing.T) {
	d := open(t, 300, 80, 24, false)
	d.press("2")
	before := d.screen()
	d.press("t")
	d.sees("speedup over time")
	d.press("t", "y")
	if d.screen() == before {
		t.Error("y does not change the scale")
	}
	d.press("y", "X")
	d.sees("evaluations, linear")
	d.press("t")
	d.sees("time, linear")
	d.press("t", "X")
	if d.screen() != before {
		t.Error("the curve is not as before")
	}
}

func TestWorkloadKey(t *testing.T) {
	d := open(t, 300, 80, 24, false)
	d.sees("   small ")
	d.press("w")
	d.sees("   large ")
	d.press("w")
	d.sees("   small ")
}

// TestLight checks that the theme follows the terminal's background.
func TestLight(t *testing.T) {
	d := open(t, 10, 80, 24, false)
	dark := d.m.View().Content
	d.send(tea.BackgroundColorMsg{Color: white{}})
	if d.m.art.theme != lightTheme || d.m.View().Content == dark {
		t.Error("the theme is not light")
	}
	d.send(tea.BackgroundColorMsg{Color: black{}})
	if d.m.View().Content != dark {
		t.Error("the theme is not dark again")
	}
}

type white struct{}

func (white) RGBA() (r, g, b, a uint32) { return 0xffff, 0xffff, 0xffff, 0xffff }

type black struct{}

func (black) RGBA() (r, g, b, a uint32) { return 0, 0, 0, 0xffff }
