package figures

import (
	"bytes"
	"strings"
	"testing"

	"darwarp/kernels"
)

func TestShowCounters(t *testing.T) {
	const tensor, dram = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "dram__bytes.sum"
	own := []kernels.Counters{{Workload: "a", Values: map[string]float64{tensor: 50, dram: 1e6}},
		{Workload: "b", Values: map[string]float64{tensor: 10}}}
	without := kernels.Insight{Genes: []kernels.GeneChange{{Gene: "mma", From: "fma", To: "wmma"}},
		Counters: []kernels.Counters{{Workload: "a", Values: map[string]float64{tensor: 1, dram: 1.01e6}},
			{Workload: "b", Values: map[string]float64{tensor: 10.5}}}}
	var out bytes.Buffer
	Counters(&out, own, []kernels.Insight{without})
	text := out.String()
	for _, want := range []string{"tensor pipe", "50.0%  10.0%", "dram bytes", "1,000,000      -",
		"mma fma -> wmma  tensor pipe", "50.0% -> 1.0%"} {
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
		{"inside", 1.06, 1.14, 1.1, "they add up"},
		{"inside what is as wide as this", 1.55, 4.65, 1.884, "too noisy to tell whether they add up"},
		{"hardly outside", 1.099, 1.100, 1.091, "they add up"},
	} {
		i := kernels.Insight{Alone: c.alone, Gain: kernels.Gain{Ratio: (c.lo + c.hi) / 2, Lo: c.lo, Hi: c.hi}}
		if got := Interaction(i); got != c.want {
			t.Errorf("%s: %s, expected %s", c.name, got, c.want)
		}
	}
}
