package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darwarp/evolve"
	"darwarp/kernels"
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
	}{{"j", 1}, {"down", 2}, {"k", 1}, {"up", 0}, {"up", 0}, {"pgdown", d.m.page}, {"pgup", 0}, {"end", len(order) - 1}, {"j", len(order) - 1}, {"home", 0}, {"G", len(order) - 1}, {"g", 0}} {
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
	for p := paneCurve; p < paneCount; p++ {
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
	d.press("y")
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

func TestSteering(t *testing.T) {
	for _, tt := range []struct {
		name  string
		keys  []string
		typed string
		want  evolve.Command
		says  string
	}{
		{"pause", []string{"P"}, "", evolve.Command{Do: "pause"}, "Paused"},
		{"pin", []string{"p"}, "", evolve.Command{Do: "pin", ID: idOf(0)}, "Pinned"},
		{"kill", []string{"x", "y"}, "", evolve.Command{Do: "kill", ID: idOf(0)}, "Killed the lineage"},
		{"evaluations", []string{"+"}, "1,500", evolve.Command{Do: "add", Evals: 1500}, "Added 1,500 evaluations"},
		{"time", []string{"+"}, "30m", evolve.Command{Do: "add", For: 30 * time.Minute}, "Added 30m00s"},
		{"stop", []string{"q", "s"}, "", evolve.Command{Do: "stop"}, "Stopping"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := open(t, 1, 80, 24, true)
			d.press(tt.keys...)
			if tt.typed != "" {
				d.write(tt.typed)
				d.press("enter")
			}
			if !slices.EqualFunc(d.src.told, []evolve.Command{tt.want}, same) {
				t.Fatalf("told %+v, want %+v", d.src.told, tt.want)
			}
			d.sees(tt.says)
		})
	}
}

func same(a, b evolve.Command) bool {
	return a.Do == b.Do && a.ID == b.ID && a.Evals == b.Evals && a.For == b.For
}

func TestSteeringRefused(t *testing.T) {
	d := open(t, 10, 80, 24, true)
	d.src.answer = errors.New("the search is ending\nmore")
	d.press("p")
	d.sees("the search is ending")
	if len(d.m.board.pins) > 0 {
		t.Error("pinned all the same")
	}
	d.press("+")
	d.write("soon")
	d.press("enter")
	d.sees(`"soon": expected a number of evaluations`)
	d.press("x", "esc", "+", "esc", "q", "esc")
	if len(d.src.told) != 1 || d.quit {
		t.Errorf("told %+v, quit %v", d.src.told, d.quit)
	}
	rest := open(t, 10, 80, 24, false)
	for _, k := range []string{"P", "+", "p", "x"} {
		rest.press(k)
		rest.sees("nothing to steer")
		rest.press("esc")
	}
}

// TestObeyed checks that what anybody asked of the search is seen.
func TestObeyed(t *testing.T) {
	d := open(t, 10, 80, 24, true)
	d.tell(evolve.Event{Kind: evolve.KindSteer, Note: "500 more", Command: &evolve.Command{Do: "add", Evals: 500}})
	d.sees("10/1,500 evals")
	id := d.at().id
	d.tell(evolve.Event{Kind: evolve.KindSteer, Note: "stays", Command: &evolve.Command{Do: "pin", ID: id}})
	d.sees("▸◆ 1 " + id.Short())
	d.tell(evolve.Event{Kind: evolve.KindSteer, Note: "does not", Command: &evolve.Command{Do: "unpin", ID: id}})
	d.misses("◆")
}

func TestPausedIsSeen(t *testing.T) {
	d := open(t, 10, 80, 24, true)
	d.tell(evolve.Event{Kind: evolve.KindPaused, Note: "nothing new is begun", Paused: true})
	d.sees("paused")
	d.press("P")
	d.tell(evolve.Event{Kind: evolve.KindResumed, Note: "going on"})
	d.sees("searching")
	if len(d.src.told) != 1 || d.src.told[0].Do != "resume" {
		t.Errorf("told %+v", d.src.told)
	}
	d.tell(evolve.Event{Kind: evolve.KindDisk, Note: "disk full: waiting for space"})
	d.sees("disk full")
	d.tell(evolve.Event{Kind: evolve.KindDisk, Note: "there is space again: going on"})
	d.sees("searching")
	d.tell(evolve.Event{Kind: evolve.KindDrain, Note: "interrupted: 3 in flight"})
	d.sees("finishing")
	d.tell(evolve.Event{Kind: evolve.KindEnd, Note: "stalled", Summary: &evolve.Summary{Reason: evolve.ReasonStall}})
	d.sees("ended: stalled")
}

func TestExport(t *testing.T) {
	d := open(t, 10, 80, 24, false)
	var got kernels.ID
	var dir string
	d.m.opt.Export = func(_ context.Context, id kernels.ID, to string) (string, error) {
		got, dir = id, to
		if to == "taken" {
			return "", errors.New("taken exists")
		}
		return "Wrote it.", nil
	}
	want := d.at().id
	d.press("e")
	d.sees("axpy-" + want.Short())
	d.press("enter")
	d.sees("Wrote it.")
	if got != want || dir != "axpy-"+want.Short() {
		t.Errorf("exported %s to %s", got.Short(), dir)
	}
	d.press("e")
	for range 40 {
		d.press("backspace")
	}
	d.write("taken")
	d.press("enter")
	d.sees("taken exists")
	d = open(t, 300, 80, 24, false)
	d.m.opt.Export = func(context.Context, kernels.ID, string) (string, error) { return "", nil }
	d.press("4", "e")
	d.sees("is not right")
}

func TestLeaving(t *testing.T) {
	for _, tt := range []struct {
		name string
		live bool
		keys []string
		left Leave
		quit bool
	}{
		{"at rest q leaves", false, []string{"q"}, LeftEnded, true},
		{"at rest ctrl-c leaves", false, []string{"ctrl+c"}, LeftEnded, true},
		{"live q asks", true, []string{"q"}, LeftEnded, false},
		{"detach", true, []string{"q", "d"}, LeftDetached, true},
		{"ctrl-c detaches", true, []string{"ctrl+c"}, LeftDetached, true},
		{"stop stays to look", true, []string{"q", "s"}, LeftStopped, false},
		{"ctrl-c in a question", true, []string{"+", "ctrl+c"}, LeftDetached, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := open(t, 10, 80, 24, tt.live)
			if d.press(tt.keys...); d.quit != tt.quit || d.m.left != tt.left {
				t.Errorf("quit %v as %d, want %v as %d", d.quit, d.m.left, tt.quit, tt.left)
			}
		})
	}
}

// TestInterruptHere checks that Ctrl-C on a search of this process does what it does without a view.
func TestInterruptHere(t *testing.T) {
	d := open(t, 10, 80, 24, true)
	pressed := 0
	d.m.opt.Interrupt, d.m.opt.Here = func() { pressed++ }, true
	d.press("ctrl+c")
	d.sees("Ctrl-C again ends now")
	d.press("ctrl+c", "q", "s")
	if pressed != 3 || d.quit || len(d.src.told) > 0 {
		t.Errorf("interrupted %d times, quit %v, told %+v", pressed, d.quit, d.src.told)
	}
}

// TestClosesAtEnd checks that the view of a search of this process goes when the search is over.
func TestClosesAtEnd(t *testing.T) {
	d := open(t, 10, 80, 24, true)
	d.m.opt.CloseAtEnd = true
	d.tell(evolve.Event{Kind: evolve.KindEnd, Summary: &evolve.Summary{}})
	d.m.board.live.watching = false
	if cmd := d.m.tick(); cmd == nil {
		t.Fatal("nothing follows")
	} else if _, ok := cmd().(tea.QuitMsg); !ok {
		t.Error("the view stays")
	}
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
