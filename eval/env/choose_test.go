package env

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"darwarp/kernels"
)

// machineOf has a GPU for each word: a model, and how it is.
func machineOf(words ...string) (seen []SeenGPU) {
	for i, w := range words {
		model, how, _ := strings.Cut(w, "-")
		g := SeenGPU{Index: i, Device: kernels.Device{Name: model, UUID: fmt.Sprint(i), MemoryBytes: 80<<30 + i},
			Use: &kernels.GPU{MemUsed: 1 << 30}}
		switch how {
		case "full":
			g.Use.MemUsed = 3 << 30
		case "works":
			g.Use.Util = 0.9
		case "unknown":
			g.Use = nil
		case "lost":
			g.Device, g.Use, g.Err = kernels.Device{}, nil, errors.New("it fell off the bus")
		}
		seen = append(seen, g)
	}
	return seen
}

func TestIdle(t *testing.T) {
	for _, test := range []struct {
		seen, want, left string
	}{
		{"A", "0", ""},
		{"A A A", "0 1 2", ""},
		{"A-full A A", "1 2", "GPU 0 is left out: in use: 3.0 GiB of its memory, 0% of the time"},
		{"A A-works A", "0 2", "GPU 1 is left out: in use: 1.0 GiB of its memory, 90% of the time"},
		{"A B A", "0 2", "GPU 1 is left out: B, unlike GPU 0"},
		{"A-full B A", "1", "GPU 0 is left out: A, unlike GPU 1"},
		{"A-full A-works", "0", "GPU 1 is left out: in use"},
		{"A-unknown A-unknown", "0", "GPU 1 is left out: NVML does not say"},
		{"A-lost A A", "1 2", "GPU 0 is left out: it fell off the bus"},
		{"A A-lost", "0", "GPU 1 is left out: it fell off the bus"},
	} {
		c := Idle(machineOf(strings.Fields(test.seen)...))
		var got []string
		for _, g := range c.GPUs {
			got = append(got, fmt.Sprint(g.Index))
		}
		if strings.Join(got, " ") != test.want || !strings.Contains(strings.Join(c.Left, "\n"), test.left) ||
			len(got)+len(c.Left) != len(strings.Fields(test.seen)) {
			t.Errorf("%s: %v, %q", test.seen, got, c.Left)
		}
	}
}

func TestModels(t *testing.T) {
	seen := machineOf("A", "B", "A", "A-lost", "A")
	seen[4].Device.MemoryBytes /= 2
	groups := Models(seen)
	if len(groups) != 3 || len(groups[0]) != 2 || groups[0][1].Index != 2 {
		t.Errorf("%+v", groups)
	}
}

func TestVisibleGPUs(t *testing.T) {
	for list, want := range map[string]int{"": 1, "3": 1, "0,1": 2, "GPU-a,GPU-b,GPU-c": 3} {
		t.Setenv("CUDA_VISIBLE_DEVICES", list)
		if got := VisibleGPUs(); got != want {
			t.Errorf("CUDA_VISIBLE_DEVICES=%s: %d, want %d", list, got, want)
		}
	}
}
