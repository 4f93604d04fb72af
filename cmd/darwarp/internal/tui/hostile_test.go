package tui

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"darwarp/cmd/darwarp/internal/printable"
	"darwarp/evolve"
	"darwarp/kernels"
)

const evil = "e\x1b]0;owned\a\x1b[2J\u009b31m\n\t\u202e\u200b\xff"

// hostile makes every text of a story one that steers a terminal.
func (s *story) hostile(t *testing.T) {
	t.Helper()
	s.meta.Problem, s.meta.Device.Name, s.meta.Device.Toolchain, s.meta.Cache = evil, evil, evil, evil
	s.meta.Workloads[0].Name = evil
	for i := range s.made {
		c := &s.made[i]
		c.Origin.Operator, c.Origin.Note, c.Result.Detail = kernels.Arm(evil, evil), evil, evil
		c.Variant.Family, c.Variant.Genes = evil, kernels.Genome{evil: kernels.String(evil)}
		if i%2 == 0 {
			c.Variant.Family, c.Variant.Source = "", "// "+evil+"\r\nint x;\n"
		}
		for k := range c.Result.Times {
			c.Result.Times[k].Workload, c.Result.Times[k].Cache = s.meta.Workloads[k].Name, evil
			c.Result.Times[k].Tags = []string{evil}
		}
		for k := range c.Result.Resources {
			c.Result.Resources[k].Entry = evil
		}
		if c.Result.Gate != nil {
			c.Result.Gate.Where = evil
		}
	}
}

// tellHostile sends events of every kind whose texts are hostile.
func (d *driver) tellHostile() {
	ex := kernels.Exchange{At: began, Arm: kernels.Arm(evil, evil), Failed: evil, Family: evil}
	for _, k := range []evolve.Kind{evolve.KindRestart, evolve.KindLost, evolve.KindOutage, evolve.KindNoise,
		evolve.KindFamily, evolve.KindPaused, evolve.KindSteer, evolve.KindDisk, evolve.KindTrial, evolve.KindDuel,
		evolve.KindMachine, evolve.KindAdvice} {
		e := evolve.Event{Kind: k, Stamp: evolve.Stamp{At: time.Minute}, Note: evil, Family: evil,
			Duel: &kernels.Duel{Champion: evil},
			Machine: &kernels.Machine{GPUs: []kernels.GPU{{Name: evil, Throttle: []string{evil}, Temp: 50},
				{Index: 1, LeftOut: evil}}}}
		if k == evolve.KindAdvice {
			e.Exchange = &ex
		}
		d.tell(e)
	}
}

var ownSGR = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// TestHostile draws every pane, view and question of a run whose every text is hostile: what reaches the terminal is
// text and the view's own colours, in the terminal's size.
func TestHostile(t *testing.T) {
	for _, utf8 := range []bool{true, false} {
		d := open(t, 0, 160, 50, true)
		d.src.story = newStory(t)
		for range 60 {
			d.src.next()
		}
		d.src.hostile(t)
		d.m.board = NewBoard()
		d.m.board.load(stateOnly{state: d.src.state()})
		d.m.board.loading, d.m.board.live.watching, d.m.board.state.Path = false, true, evil
		d.m.art = localArt(utf8)
		d.tellHostile()
		d.m.say("", errors.New(evil))
		for _, size := range [][2]int{{200, 50}, {160, 40}, {120, 30}, {80, 24}, {60, 15}, {40, 10}, {30, 8}} {
			d.m.w, d.m.h = size[0], size[1]
			for p := range paneCount {
				for v := range viewCount {
					d.m.focus, d.m.candidate.view = p, v
					d.run(d.m.candidate.need())
					d.harmless(size[0], size[1])
				}
			}
			for _, ask := range []func(){func() { d.m.askFilter() }, func() { d.m.quit() }, func() { d.m.askExport() }} {
				if ask(); d.m.dialog != nil {
					d.m.dialog.text += evil
				}
				d.harmless(size[0], size[1])
				d.m.dialog = nil
			}
		}
		if title := d.m.View().WindowTitle; printable.Line(title) != title || !strings.Contains(title, "owned") {
			t.Errorf("title %q", title)
		}
	}
}

// harmless checks what is drawn now.
func (d *driver) harmless(w, h int) {
	d.Helper()
	d.m.board.mu.Lock()
	screen := d.m.draw().String()
	d.m.board.mu.Unlock()
	plain := ownSGR.ReplaceAllString(screen, "")
	if printable.Text(plain) != plain || strings.Contains(plain, "\t") {
		d.Fatalf("pane %v at %dx%d: %q", d.m.focus, w, h, plain)
	}
	if !d.m.art.unicode && strings.IndexFunc(plain, func(r rune) bool { return r > '~' }) >= 0 {
		d.Fatalf("pane %v at %dx%d is not ASCII: %q", d.m.focus, w, h, plain)
	}
	fits(d.TB.(*testing.T), d.m, w, h)
}
