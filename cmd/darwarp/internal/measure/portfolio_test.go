package measure

import (
	"testing"

	"darwarp/kernels"
)

// TestFillPortfolio has a kernel that was chosen for a shape and is not faster there after all.
func TestFillPortfolio(t *testing.T) {
	workloads := []kernels.Workload{{Name: "a", Weight: 1}, {Name: "b", Weight: 1}}
	base := map[string]float64{"a": 100, "b": 100}
	round := func(w string, ratio float64) kernels.DuelRound {
		return kernels.DuelRound{Workload: w, Champion: 50, Challenger: 50 * ratio, Ratio: ratio, Lo: ratio * 0.99,
			Hi: ratio * 1.01}
	}
	duel := &kernels.Duel{Rounds: []kernels.DuelRound{round("a", 0.5), round("b", 1.2)}}
	p := &kernels.Portfolio{Objective: kernels.Geomean}
	fillPortfolio(p, workloads, base, []*kernels.Duel{nil, duel}, []int{1, 1}, 0)
	if p.Choices[0].Kernel != 1 || p.Choices[1].Kernel != 0 || p.Choices[0].Time != 25 || p.Choices[1].Time != 50 {
		t.Errorf("choices %+v", p.Choices)
	}
	if g := p.Gain; g.Ratio < 1.413 || g.Ratio > 1.415 || !(g.Lo < g.Ratio && g.Ratio < g.Hi) {
		t.Errorf("gain %+v, expected the square root of 2", p.Gain)
	}
	worst := &kernels.Portfolio{Objective: kernels.Worst}
	fillPortfolio(worst, workloads, base, []*kernels.Duel{nil, duel}, []int{1, 1}, 0)
	if worst.Gain.Ratio != 1 {
		t.Errorf("gain %+v: the worst shape gains nothing", worst.Gain)
	}
}
