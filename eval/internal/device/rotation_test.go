package device

import (
	"testing"

	"darwarp/kernels"
)

func matrix(n int) *Case {
	b := kernels.Buffer{DType: kernels.FP16, Shape: []int{n, n}}
	out := b
	out.Out = true
	return &Case{Buffers: []kernels.Buffer{b, b, out}}
}

func TestCalls(t *testing.T) {
	const l2 = 50 << 20
	for _, c := range []struct {
		name     string
		n        int
		estimate float64
		arenas   int
		want     int
	}{
		{"nothing known", 512, 0, 2, 2},
		{"short: as many as fill the region", 512, 10e3, 2, 20},
		{"as many on each arena", 512, 10e3, 3, 21},
		{"at most so many", 512, 100, 2, MaxCalls},
		{"beyond L2 for longer", 8192, 500e3, 1, 4},
		{"slow", 8192, 1e9, 1, 1},
		{"one for each of many arenas", 64, 1e9, 64, 64},
	} {
		if got := matrix(c.n).Calls(c.estimate, c.arenas, l2); got != c.want {
			t.Errorf("%s: %d calls, expected %d", c.name, got, c.want)
		}
	}
}

func TestRotation(t *testing.T) {
	const l2 = 50 << 20
	for _, c := range []struct {
		n, hot, cold int
	}{{64, 2, maxCold}, {1024, 2, 26}, {2048, 1, 7}, {4096, 1, 2}, {8192, 1, 2}} {
		hot, cold := matrix(c.n).Rotation("hot", 2, l2), matrix(c.n).Rotation("cold", 2, l2)
		if hot != c.hot || cold != c.cold {
			t.Errorf("%d: %d hot and %d cold arenas, expected %d and %d", c.n, hot, cold, c.hot, c.cold)
		}
	}
}
