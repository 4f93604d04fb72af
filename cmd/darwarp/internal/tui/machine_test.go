package tui

import (
	"strings"
	"testing"

	"darwarp/evolve"
	"darwarp/kernels"
)

// TestMachineOfIslands: each kind of device of a fleet has a line with its champion, and a fleet that nobody works for
// says what to do.
func TestMachineOfIslands(t *testing.T) {
	d := open(t, 5, 100, 30, true)
	d.tell(evolve.Event{Kind: evolve.KindMachine, Machine: &kernels.Machine{Idle: "no workers are left; join with: X",
		Islands: []kernels.Island{{Device: "NVIDIA H200", Evals: 120, Champion: kernels.ID{0xab}, Speedup: 2.5},
			{Device: "NVIDIA A100", Evals: 3}}}})
	d.press("6")
	d.sees("no workers are left; join with: X", "NVIDIA H200 2.50x", "champion ab00", "120 verdicts",
		"NVIDIA A100 no champion yet", "3 verdicts")
}

// TestIdleIsWhole: the line by which a worker joins can be copied from a narrow screen.
func TestIdleIsWhole(t *testing.T) {
	d := open(t, 5, 60, 20, true)
	const pin = "adcb82bc54df6909a163244091b840e7ff00f0624e21b1d2a5f292d13fa82fee"
	idle := "no workers are left; join with: darwarp join nats://host:4222/" + pin + " --token-file token"
	d.tell(evolve.Event{Kind: evolve.KindMachine, Machine: &kernels.Machine{Idle: idle}})
	d.press("6")
	var lines []string
	for l := range strings.SplitSeq(d.screen(), "\n") {
		lines = append(lines, strings.TrimSpace(l))
	}
	if whole := strings.Join(lines, ""); !strings.Contains(whole, pin+" --token-file token") {
		t.Errorf("it is cut:\n%s", d.screen())
	}
}

// TestMachineOfSeveralGPUs: each GPU has a line, and one that is left out says why.
func TestMachineOfSeveralGPUs(t *testing.T) {
	d := open(t, 5, 100, 30, true)
	d.tell(evolve.Event{Kind: evolve.KindMachine, Machine: &kernels.Machine{Device: kernels.Slots{Busy: 1, Total: 2},
		GPUs: []kernels.GPU{{Index: 0, Name: "NVIDIA H200", Util: 0.87, Temp: 54},
			{Index: 2, Name: "NVIDIA H200", Util: -1, LeftOut: "it is gone after 4 tries in a row\nand more"},
			{Index: 3, Name: "NVIDIA H200", Util: 0.5, Temp: 61}}}})
	d.press("6")
	d.sees("GPU 0", "87%", "54 C", "GPU 2 left out: it is gone after 4 tries in a row", "GPU 3", "61 C", "1/2")
	d.misses("and more")
}
