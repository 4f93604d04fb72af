package tui

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darwarp/evolve"
	"darwarp/kernels"
)

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

// TestSteeringByFile: what needs arguments takes them as the command line does.
func TestSteeringByFile(t *testing.T) {
	d := open(t, 10, 80, 24, true)
	var got [][]string
	d.m.opt.Command = func(do string, args []string) (evolve.Command, error) {
		got = append(got, append([]string{do}, args...))
		if args[0] == "nosuch" {
			return evolve.Command{}, errors.New("nosuch: no such file")
		}
		return evolve.Command{Do: do}, nil
	}
	d.press("W")
	d.sees("> small=1 large=2_")
	d.write(" small=3")
	d.press("enter")
	d.sees("All scores follow")
	d.press("i")
	d.write("my genes.toml")
	d.press("enter")
	d.sees("Injected")
	d.press("i")
	d.write("nosuch")
	d.press("enter")
	d.sees("nosuch: no such file")
	want := [][]string{{"weigh", "small=1", "large=2", "small=3"}, {"inject", "my genes.toml"}, {"inject", "nosuch"}}
	if !slices.EqualFunc(got, want, slices.Equal) || len(d.src.told) != 2 || d.src.told[0].Do != "weigh" ||
		d.src.told[1].Do != "inject" {
		t.Errorf("asked for %q, told %+v", got, d.src.told)
	}
}

// TestBudgetAsked: only what has a limit can be added to.
func TestBudgetAsked(t *testing.T) {
	for want, b := range map[string]evolve.Budget{
		"evaluations, as in 500":                        {Evals: 5},
		"time, as in 30m or 2h":                         {For: time.Hour},
		"evaluations, as in 500, or time, as in 30m or": {Evals: 5, For: time.Hour},
	} {
		d := open(t, 1, 80, 24, true)
		d.m.board.budget = b
		d.press("+")
		d.sees("│ " + want + " ")
	}
}

// TestNobody: keys about a candidate say that there is none.
func TestNobody(t *testing.T) {
	d := open(t, 0, 80, 24, true)
	for _, k := range []string{"p", "x", "e"} {
		d.m.notice = ""
		d.press(k)
		if d.m.notice != "no candidate is right yet" || d.m.dialog != nil {
			t.Errorf("%s: %q, a question: %v", k, d.m.notice, d.m.dialog != nil)
		}
	}
}

// TestKilled: a lineage that was killed is seen as such, also what came of it later, and by a view that comes later.
func TestKilled(t *testing.T) {
	d := open(t, 30, 132, 40, true)
	root := d.src.made[0].ID
	d.tell(evolve.Event{Kind: evolve.KindSteer, Note: "bred from no more", Command: &evolve.Command{Do: "kill", ID: root}})
	d.sees("✗")
	late := d.src.next()
	late.Origin.Parents = []kernels.ID{root}
	d.tell(evolve.Event{Kind: evolve.KindResult, Candidate: &late})
	if b := d.m.board; !b.killed[b.byID[root]] || !b.killed[b.byID[late.ID]] {
		t.Errorf("killed: %v", b.killed)
	}
	d.src.asked = evolve.Steering{Killed: []kernels.ID{root}}
	b := NewBoard()
	b.load(d.src)
	if n := len(b.killed); n < 2 || n != len(b.family(b.byID[root])) {
		t.Errorf("%d killed", n)
	}
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

// TestObeyedBefore checks that what was asked of an earlier session, or before this view came, is seen.
func TestObeyedBefore(t *testing.T) {
	d := open(t, 10, 80, 24, true)
	id := d.at().id
	d.src.asked = evolve.Steering{Pins: []kernels.ID{id}, Budget: &evolve.Budget{Evals: 1500}}
	b := NewBoard()
	b.load(d.src)
	if i := b.byID[id]; !b.pins[i] || len(b.pins) != 1 || b.budget.Evals != 1500 {
		t.Errorf("pins %v, budget %+v", b.pins, b.budget)
	}
}

func TestPausedIsSeen(t *testing.T) {
	d := open(t, 10, 80, 24, true)
	d.tell(evolve.Event{Kind: evolve.KindPaused, Note: "nothing new is begun", Figures: evolve.Figures{Paused: true}})
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
