package tui

import (
	"strings"
	"testing"

	"darwarp/kernels"
)

// TestRoom: what a size has room for is shown.
func TestRoom(t *testing.T) {
	for _, tt := range []struct {
		name   string
		w, h   int
		failed bool
		want   []string
	}{
		{"every operator column beside no failures", 200, 50, false,
			[]string{"tried     gain  won  better  right    best    cost", "Nothing has failed"}},
		{"numbers in titles", 200, 50, true, []string{"─ 1 Leaderboard ─", "─ 7 Log ─"}},
		{"all genes, and no blank half", 120, 40, true,
			[]string{"95% interval", "threads per_thread unroll", "─ Curve ─", "─ Candidate ─", "#include"}},
		{"how far and how long", 40, 12, true, []string{"340/1,000 evals 34%", "ETA 20m58s"}},
		{"how far and how long in two lines", 40, 10, true, []string{"34%", "ETA 20m58s"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := open(t, 300, tt.w, tt.h, true)
			d.live()
			if !tt.failed {
				d.m.board.failed, d.m.board.causes = 0, causes{}
			}
			d.run(d.m.candidate.need())
			d.sees(tt.want...)
			fits(t, d.m, tt.w, tt.h)
		})
	}
}

// TestPairStays: what is asked of two that are compared is about them, and not about the one under the cursor.
func TestPairStays(t *testing.T) {
	d := open(t, 300, 80, 24, true)
	d.press("space", "space") // the cursor goes on to a third
	pair := [2]int32{d.m.marks[0], d.m.marks[1]}
	third := d.m.selected()
	if third == pair[0] || third == pair[1] {
		t.Fatal("the cursor is on one of them")
	}
	second := d.m.board.rows[pair[1]].id.Short()
	d.press("d")
	d.sees(second + " · against " + d.m.board.rows[pair[0]].id.Short())
	d.press("l")
	d.sees("│" + second + " · ")
	d.misses(d.m.board.rows[third].id.Short())
	d.press("p")
	if told := d.src.told; len(told) != 1 || told[0].ID.Short() != second {
		t.Errorf("told %+v, want a pin of %s", told, second)
	}
	d.press("esc", "esc", "l") // back on the leaderboard
	d.sees(d.m.board.rows[third].id.Short() + " · ")
}

// TestPortfolio: the portfolio of a run has a pane of its own, and only then.
func TestPortfolio(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 50}, {40, 12}} {
		d := open(t, 60, size[0], size[1], false)
		d.press("8")
		if d.m.focus != paneLeaders {
			t.Fatal("there is a portfolio of nothing")
		}
		a, b := d.src.made[0].ID, d.at().id
		d.m.board.state.Portfolio = &kernels.Portfolio{Kernels: []kernels.ID{a, b}, Single: b,
			Gain: kernels.Gain{Ratio: 1.142, Lo: 1.1, Hi: 1.2}, Choices: []kernels.Choice{
				{Workload: "small", Kernel: 0, Time: 1500, Single: 2000, Gain: kernels.Gain{Ratio: 1.333, Lo: 1.3, Hi: 1.4}},
				{Workload: "large", Kernel: 1, Time: 3000, Single: 3000}, {Workload: "none", Kernel: 7}}}
		d.press("8", "j", "k")
		d.sees("8 Portfolio", "1.142x", "small", a.Short())
		fits(t, d.m, size[0], size[1])
		if size[0] > 40 {
			d.sees("1.500 us   2.000 us  1.333x [1.300, 1.400]", "the same")
			if strings.Contains(d.screen(), "0.000 ns") {
				t.Errorf("a choice that was not timed has a time:\n%s", d.screen())
			}
		}
		d.press("enter")
		if d.at().id != a || d.m.focus != paneCandidate {
			t.Errorf("opened %s on pane %d", d.at().id.Short(), d.m.focus)
		}
		d.press("7", "tab")
		if d.m.focus != panePortfolio {
			t.Errorf("after the log comes pane %d", d.m.focus)
		}
		if size[0] == 80 && !strings.Contains(d.screen(), "8 Portfolio") {
			t.Error("no tab")
		}
	}
}
