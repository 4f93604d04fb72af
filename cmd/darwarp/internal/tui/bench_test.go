package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"darwarp/evolve"
)

// BenchmarkScreen is one turn of the screen on a run of 200,000 candidates: two results have come in, the
// order is brought up to date and everything that is seen at 160 by 50 is drawn. 60 turns a second leave
// 16 ms each; there are 10.
func BenchmarkScreen(b *testing.B) {
	for _, keys := range []struct {
		name string
		keys []string
	}{{"top", nil}, {"end", []string{"end"}}, {"filter", []string{"/", "3", "2", "enter"}}} {
		b.Run(keys.name, func(b *testing.B) {
			d := open(b, 200_000, 160, 50, true)
			d.press(keys.keys...)
			d.m.View()
			for b.Loop() {
				b.StopTimer()
				for range 2 {
					c := d.src.next()
					d.m.board.do(func() error {
						d.m.board.apply(&evolve.Event{Kind: evolve.KindResult, Candidate: &c, ID: c.ID})
						return nil
					})
				}
				b.StartTimer()
				d.m.Update(tickMsg{})
				d.m.View()
			}
		})
	}
}

// BenchmarkKey is one press of a key and the screen after it.
func BenchmarkKey(b *testing.B) {
	d := open(b, 200_000, 160, 50, true)
	for b.Loop() {
		d.m.Update(tea.KeyPressMsg{Code: 'j', Text: "j"})
		d.m.View()
	}
}

// BenchmarkArrival is one result that comes in.
func BenchmarkArrival(b *testing.B) {
	d := open(b, 200_000, 160, 50, true)
	for b.Loop() {
		b.StopTimer()
		c := d.src.next()
		b.StartTimer()
		d.m.board.do(func() error {
			d.m.board.apply(&evolve.Event{Kind: evolve.KindResult, Candidate: &c, ID: c.ID})
			return nil
		})
	}
}
