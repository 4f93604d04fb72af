package main

import (
	"bytes"
	"strings"
	"testing"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/kernels"
)

func TestShowCounters(t *testing.T) {
	const tensor, dram = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "dram__bytes.sum"
	own := []kernels.Counters{{Workload: "a", Values: map[string]float64{tensor: 50, dram: 1e6}}, {Workload: "b", Values: map[string]float64{tensor: 10}}}
	without := kernels.Insight{Genes: []kernels.GeneChange{{Gene: "mma", From: "fma", To: "wmma"}},
		Counters: []kernels.Counters{{Workload: "a", Values: map[string]float64{tensor: 1, dram: 1.01e6}}, {Workload: "b", Values: map[string]float64{tensor: 10.5}}}}
	var out bytes.Buffer
	(&app{Console: &console.Console{Out: &out}}).showCounters(own, []kernels.Insight{without})
	text := out.String()
	for _, want := range []string{"tensor pipe", "50.0%  10.0%", "dram bytes", "1,000,000      -", "mma fma -> wmma  tensor pipe", "50.0% -> 1.0%"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	if strings.Contains(text, "1,010,000") || strings.Contains(text, "10.5%") {
		t.Errorf("what hardly moved is listed:\n%s", text)
	}
}

func TestInteraction(t *testing.T) {
	for _, c := range []struct {
		name          string
		lo, hi, alone float64
		want          string
	}{
		{"more is lost together", 1.3, 1.4, 1.1, "each does part of the other's work"},
		{"less is lost together", 1.0, 1.05, 1.2, "they need each other"},
		{"inside", 1.0, 1.2, 1.1, "they add up"},
		{"hardly outside", 1.099, 1.100, 1.091, "they add up"},
	} {
		i := kernels.Insight{Alone: c.alone, Gain: kernels.Gain{Ratio: (c.lo + c.hi) / 2, Lo: c.lo, Hi: c.hi}}
		if got := interaction(i); got != c.want {
			t.Errorf("%s: %s, expected %s", c.name, got, c.want)
		}
	}
}

// TestSettlePortfolio has a kernel that was chosen for a shape and is not faster there after all.
func TestSettlePortfolio(t *testing.T) {
	workloads := []kernels.Workload{{Name: "a", Weight: 1}, {Name: "b", Weight: 1}}
	base := map[string]float64{"a": 100, "b": 100}
	round := func(w string, ratio float64) kernels.DuelRound {
		return kernels.DuelRound{Workload: w, Champion: 50, Challenger: 50 * ratio, Ratio: ratio, Lo: ratio * 0.99, Hi: ratio * 1.01}
	}
	duel := &kernels.Duel{Rounds: []kernels.DuelRound{round("a", 0.5), round("b", 1.2)}}
	p := &kernels.Portfolio{Objective: kernels.Geomean}
	settlePortfolio(p, workloads, base, []*kernels.Duel{nil, duel}, []int{1, 1}, 0)
	if p.Choices[0].Kernel != 1 || p.Choices[1].Kernel != 0 || p.Choices[0].Time != 25 || p.Choices[1].Time != 50 {
		t.Errorf("choices %+v", p.Choices)
	}
	if g := p.Gain; g.Ratio < 1.413 || g.Ratio > 1.415 || !(g.Lo < g.Ratio && g.Ratio < g.Hi) {
		t.Errorf("gain %+v, expected the square root of 2", p.Gain)
	}
	worst := &kernels.Portfolio{Objective: kernels.Worst}
	settlePortfolio(worst, workloads, base, []*kernels.Duel{nil, duel}, []int{1, 1}, 0)
	if worst.Gain.Ratio != 1 {
		t.Errorf("gain %+v: the worst shape gains nothing", worst.Gain)
	}
}
