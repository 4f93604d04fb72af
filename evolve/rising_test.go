package evolve

import (
	"testing"

	"darwarp/mutate"
)

// TestRisingFamily: a family whose best is far behind is bred from as long as it rises, and then no longer.
func TestRisingFamily(t *testing.T) {
	x := mustSearch(t, toyConfig(t, "hills", "plain"), newFake(1, true), &memory{}).proposer
	ahead, behind := x.pop.points()[0], x.pop.points()[1]
	add := func(d *pointDeme, scores ...float64) {
		for _, s := range scores {
			d.add(&mutate.Individual{Index: len(d.seen), Score: s}, false)
		}
	}
	share := func() float64 {
		n := 0.0
		for range 1000 {
			if x.pickDeme() == behind {
				n++
			}
		}
		return n / 1000
	}
	add(ahead, 1)
	for i := range 40 {
		add(ahead, 1.1)
		if add(behind, 10-float64(i)/10); i < 39 {
			continue
		}
		if got := share(); got < 0.65 || got > 0.75 {
			t.Errorf("while it rises it gets %.2f of the proposals: expected %g", got, risingShare)
		}
	}
	for range 41 {
		add(behind, 11)
	}
	if got := share(); got != 0 {
		t.Errorf("when it rises no more it gets %.2f of the proposals: expected none", got)
	}
}
