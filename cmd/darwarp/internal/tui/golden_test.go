package tui

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darwarp/evolve"
	"darwarp/kernels"
)

var update = flag.Bool("update", false, "write the golden views again")

// live tells a little of a running search.
func (d *driver) live() {
	d.tell(evolve.Event{Kind: evolve.KindStart,
		Start: &evolve.StartInfo{Strategy: "evolve", Budget: evolve.Budget{Evals: 1000, For: time.Hour}}})
	for range 40 {
		n := len(d.src.reigns)
		c := d.src.next()
		e := evolve.Event{Stamp: evolve.Stamp{At: c.At.Sub(began)},
			Figures: evolve.Figures{Evals: c.Seq, Rate: 3.3, ETA: 21 * time.Minute, InFlight: 8}}
		e.Kind, e.Candidate, e.ID, e.Score = evolve.KindResult, &c, c.ID, c.Score
		d.tell(e)
		if len(d.src.reigns) > n {
			e.Kind, e.Candidate = evolve.KindChampion, nil
			d.tell(e)
		}
	}
	e := d.m.board.live.last
	e.Kind, e.Duel, e.ID = evolve.KindDuel, &kernels.Duel{Champion: d.src.reigns[0].ID.Short(), Verdict: kernels.Slower,
		Ratio: 1.0213, Lo: 1.015, Hi: 1.028}, idOf(5)
	d.tell(e)
	e.Kind, e.Duel, e.Machine = evolve.KindMachine, nil,
		&kernels.Machine{Compile: kernels.Slots{Busy: 14, Total: 16}, Device: kernels.Slots{Busy: 1, Total: 1}, Queue: 5,
			GPUs: []kernels.GPU{{Index: 0, Name: "NVIDIA H200", Util: 0.87, SMClock: 1755, MemClock: 3201, Temp: 54, Power: 512,
				PowerLimit: 700, MemUsed: 9 << 30, MemTotal: 141 << 30}}}
	d.tell(e)
	d.now = d.now.Add(2 * time.Second)
}

// TestGolden compares whole screens with those in testdata. go test -run Golden -update writes them.
func TestGolden(t *testing.T) {
	for _, tt := range []struct {
		name string
		w, h int
		live bool
		n    int
		keys []string
	}{
		{"80x24", 80, 24, true, 300, nil},
		{"60x15", 60, 15, true, 300, nil},
		{"40x10", 40, 10, true, 300, nil},
		{"30x8", 30, 8, true, 300, nil},
		{"120x30", 120, 30, true, 300, nil},
		{"160x50", 160, 50, true, 300, []string{"j", "j", "space", "j"}},
		{"rest-80x24", 80, 24, false, 300, nil},
		{"empty-80x24", 80, 24, true, 0, nil},
		{"curve-time", 80, 24, true, 300, []string{"2", "z", "t", "y"}},
		{"curve-linear", 80, 24, true, 300, []string{"2", "X"}},
		{"candidate-source", 80, 24, false, 300, []string{"enter"}},
		{"candidate-diff", 80, 24, false, 300, []string{"d"}},
		{"candidate-lineage", 80, 24, false, 300, []string{"l"}},
		{"candidate-lineage-60x20", 60, 20, false, 300, []string{"l"}},
		{"candidate-figures", 80, 24, false, 300, []string{"enter", "left"}},
		{"failures", 80, 24, false, 300, []string{"4"}},
		{"failure-open", 80, 24, false, 300, []string{"4", "enter"}},
		{"operators", 80, 24, false, 300, []string{"5"}},
		{"machine", 80, 24, true, 300, []string{"6"}},
		{"log", 80, 24, true, 300, []string{"7"}},
		{"help", 80, 24, true, 300, []string{"?"}},
		{"help-60x15", 60, 15, true, 300, []string{"?"}},
		{"leave", 80, 24, true, 300, []string{"q"}},
		{"filter", 80, 24, false, 300, []string{"/", "m", "u", "t"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := open(t, tt.n, tt.w, tt.h, tt.live)
			if tt.live && tt.n > 0 {
				d.live()
			}
			d.press(tt.keys...)
			golden(t, tt.name, d.screen())
			fits(t, d.m, tt.w, tt.h)
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got+"\n" != string(want) {
		t.Errorf("the screen is not that of %s (-update writes it again):\n%s", path, got)
	}
}

// fits checks that a screen with its colours has the size of the terminal and leaves no colour on.
func fits(t *testing.T, m *Model, w, h int) {
	t.Helper()
	m.board.mu.Lock()
	defer m.board.mu.Unlock()
	lines := strings.Split(m.draw().String(), "\n")
	if len(lines) != h {
		t.Errorf("%d lines on a terminal of %d", len(lines), h)
	}
	for i, l := range lines {
		if n := ansi.StringWidth(l); n > w {
			t.Errorf("line %d is %d columns wide on a terminal of %d: %q", i, n, w, l)
		}
		if at := strings.LastIndex(l, "\x1b["); at >= 0 && !strings.HasPrefix(l[at:], "\x1b[0m") {
			t.Errorf("line %d leaves its colour on: %q", i, l)
		}
	}
}

// TestEverySize draws every pane at every size: nothing may be written outside, and nothing may panic.
func TestEverySize(t *testing.T) {
	d := open(t, 120, 80, 24, true)
	d.live()
	for w := 1; w <= 200; w += 13 {
		for _, h := range []int{1, 3, 9, 10, 13, 20, 24, 36, 70} {
			d.m.Update(tea.WindowSizeMsg{Width: w, Height: h})
			for p := range paneCount {
				d.m.focus = p
				fits(t, d.m, w, h)
			}
			d.m.help = true
			fits(t, d.m, w, h)
			d.m.help = false
			d.m.quit()
			fits(t, d.m, w, h)
			d.m.dialog = nil
		}
	}
}

// TestASCII checks that a terminal that cannot show more gets only ASCII.
func TestASCII(t *testing.T) {
	d := open(t, 300, 160, 50, true)
	d.live()
	d.m.art = localArt(false)
	d.press("2", "l")
	screen := d.screen()
	for _, r := range screen {
		if r > 0x7e {
			t.Fatalf("%q on the screen:\n%s", r, screen)
		}
	}
	golden(t, "ascii", screen)
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want []string
	}{
		{"", 5, []string{""}},
		{"stages 3 -> 4", 11, []string{"stages 3 ->", "4"}},
		{"one\ntwo", 9, []string{"one", "two"}},
		{"abcdefgh ij", 3, []string{"abc", "def", "gh", "ij"}},
		{"\u4e16\u754c", 3, []string{"\u4e16", "\u754c"}},
		{"\u4e16", 1, []string{"\u4e16"}},
	} {
		if got := wrap(tt.text, tt.n); !slices.Equal(got, tt.want) {
			t.Errorf("%q in %d columns: %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}
