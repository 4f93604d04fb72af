package device

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDrawTurn: each set once at most, every set in every place, and another order each time.
func TestDrawTurn(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[[2]int]int{}
	for range 4000 {
		turn := DrawTurn(rng, 5, 8)
		if len(turn) != 5 || len(slices.Compact(slices.Sorted(slices.Values(turn)))) != 5 {
			t.Fatalf("turn %v", turn)
		}
		for place, set := range turn {
			seen[[2]int{place, set}]++
		}
	}
	if least := slices.Min(slices.Collect(maps.Values(seen))); len(seen) != 5*8 || least < 400 { // of 500
		t.Errorf("%d of 40 places of sets are drawn, one of them %d times", len(seen), least)
	}
	if turn := DrawTurn(rng, 8, 2); len(turn) != 2 {
		t.Errorf("%v of two sets", turn)
	}
}

func TestTurnOf(t *testing.T) {
	for phase, want := range map[string]int{Turn("4096", 0): 1, Turn("4096", 1): 2, "duel 4096": 0,
		"gate the challenger": 0, "time x, the challenger": 0, "": 0} {
		if got := TurnOf(phase); got != want {
			t.Errorf("%q: %d, expected %d", phase, got, want)
		}
	}
}
