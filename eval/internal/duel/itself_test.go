package duel

import (
	"slices"
	"testing"

	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/stats"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// TestUnseenTooSlow: a kernel that takes longer for inputs that are new has kept something of the others; a few
// percent, or an interval that is wide, say nothing.
func TestUnseenTooSlow(t *testing.T) {
	for _, c := range []struct {
		lo, ratio float64
		suspect   bool
	}{{1.6, 1.8, true}, {1.11, 1.12, true}, {1.05, 1.2, false}, {0.99, 1, false}, {0.7, 0.9, false}} {
		if why := unseenTooSlow("large", kernels.DuelRound{Lo: c.lo, Ratio: c.ratio}); (why != "") != c.suspect {
			t.Errorf("%g, at least %g: %q", c.ratio, c.lo, why)
		}
	}
}

// TestSettledIsFinal: where six pairs are enough, the worst of four more would not have found anything; where they are
// not, it might.
func TestSettledIsFinal(t *testing.T) {
	p := New(verdict.NewSession(&rig.Rig{Cfg: rig.Config{Workloads: []kernels.Workload{{Name: "w", Weight: 1}}}}))
	of := func(ratios, repeats []float64) *fight {
		f := &fight{Duel: stats.NewDuel([]float64{1}, 0, 1), ratios: ratios, repeat: make([][2][]float64, 1)}
		for _, r := range ratios {
			f.Add(0, 1e6, 1e6*r)
		}
		f.repeat[0] = [2][]float64{repeats[:len(ratios)], repeats[len(ratios):]}
		return f
	}
	found := func(f *fight) bool {
		all := repeats{slices.Concat(f.repeat[0][0], f.repeat[0][1]), 1e6}
		return p.repeatsTooFast("w", all, 1, most) != "" || unseenTooSlow("w", f.Rounds()[0]) != ""
	}
	same := func(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }
	for _, c := range []struct {
		name            string
		ratios, repeats []float64
		settled         bool
	}{
		{"keeps nothing", same(1, 6), same(1, 12), true},
		{"as far as it may be", same(1.1, 6), append(same(0.9501, 6), same(0.1, 6)...), true},
		{"five honest repeats", same(1, 6), append(same(1, 5), same(0.1, 7)...), false},
		{"one new input took long", append(same(1, 5), 1.2), same(1, 12), false},
		{"repeats all", same(1, 6), same(0.2, 12), false},
	} {
		f := of(c.ratios, c.repeats)
		if got := p.settled(f); got != c.settled {
			t.Errorf("%s: settled %v", c.name, got)
		}
		if worst := of(append(c.ratios, same(9, 4)...), append(c.repeats, same(0.01, 8)...)); c.settled &&
			(found(f) || found(worst)) {
			t.Errorf("%s: more pairs find something", c.name)
		}
	}
}
