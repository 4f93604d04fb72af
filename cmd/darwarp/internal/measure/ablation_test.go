package measure

import (
	"math"
	"testing"

	"darwarp/kernels"
)

// TestGained: a duel that a noisy machine ended without a pair has the ratio 1, which is no gain, and says so.
func TestGained(t *testing.T) {
	const why = "the machine stayed too noisy to tell"
	steady := func(ratio float64) []kernels.DuelRound {
		return []kernels.DuelRound{{Workload: "w", Cache: "hot", Ratio: ratio}}
	}
	for _, tt := range []struct {
		name string
		duel kernels.Duel
		want kernels.Insight
	}{
		{"measured", kernels.Duel{Ratio: 1.5, Lo: 1.4, Hi: 1.6, Rounds: steady(1.5)},
			kernels.Insight{Outcome: kernels.OK, Gain: kernels.Gain{Ratio: 1.5, Lo: 1.4, Hi: 1.6}}},
		{"noise with pairs", kernels.Duel{Ratio: 1.5, Lo: 0.4, Hi: 4, Rounds: steady(1.5), Detail: why},
			kernels.Insight{Outcome: kernels.OK, Gain: kernels.Gain{Ratio: 1.5, Lo: 0.4, Hi: 4}}},
		{"noise without a pair", kernels.Duel{Ratio: 1, Hi: math.MaxFloat64, Rounds: steady(0), Detail: why},
			kernels.Insight{Outcome: kernels.Flaky, Detail: why}},
	} {
		i := kernels.Insight{Detail: "before"}
		gained(&i, &tt.duel)
		if i.Outcome != tt.want.Outcome || i.Detail != tt.want.Detail || i.Gain != tt.want.Gain ||
			(len(i.Shapes) > 0) != (i.Outcome == kernels.OK) {
			t.Errorf("%s: %+v, want %+v", tt.name, i, tt.want)
		}
		if known := product(i) > 0; known != (i.Outcome == kernels.OK) {
			t.Errorf("%s: one by one %g", tt.name, product(i))
		}
	}
}
