package tui

import (
	"testing"

	"darwarp/evolve"
	"darwarp/kernels"
)

// TestVersus: what a duel with the champion has said stands in place of what two timings say, of stored duels and of
// those that are told; what says nothing of today's champion changes nothing.
func TestVersus(t *testing.T) {
	champion, other := row{id: kernels.ID{1}, score: .5, proven: true}, row{id: kernels.ID{2}, score: .2, proven: true}
	fought := kernels.Duel{Champion: champion.id.Short(), Challenger: other.id.Short(), Ratio: 1.25, Lo: 1.2, Hi: 1.3}
	with := func(change func(*kernels.Duel)) []kernels.Duel { d := fought; change(&d); return []kernels.Duel{d} }
	twice := with(func(d *kernels.Duel) { d.Ratio = 2 })
	baseline := with(func(d *kernels.Duel) { d.ChampionKind = kernels.BaselineName })
	for _, tt := range []struct {
		name  string
		state State
		told  *kernels.Duel
		want  string
	}{
		{"no duel", State{}, nil, "2.50x"},
		{"stored", State{Duels: []kernels.Duel{fought}}, nil, "=0.80x"},
		{"told", State{}, &fought, "=0.80x"},
		{"the last counts", State{Duels: append(with(func(d *kernels.Duel) { d.Ratio = 9 }), twice...)}, nil, "=0.50x"},
		{"under other weights", State{Duels: []kernels.Duel{fought}, Steering: evolve.Steering{Void: 1}}, nil, "2.50x"},
		{"void beyond what is there", State{Steering: evolve.Steering{Void: 9}}, nil, "2.50x"},
		{"told again", State{Duels: []kernels.Duel{fought}, Replayed: true}, nil, "2.50x"},
		{"with another", State{Duels: with(func(d *kernels.Duel) { d.Champion = "0300000000" })}, nil, "2.50x"},
		{"with a baseline", State{Duels: baseline}, nil, "2.50x"},
		{"no pair", State{Duels: with(func(d *kernels.Duel) { d.Lo = 0 })}, nil, "2.50x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := NewBoard()
			b.begin(&tt.state)
			if tt.told != nil {
				b.applyNote(&evolve.Event{Kind: evolve.KindDuel, Duel: tt.told})
			}
			if got := b.versus(&champion, &other); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
