package torch

import (
	"encoding/binary"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"testing"
	"time"

	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// drawing starts a Python with torch that fills tensors of a type and sends them as fp64.
func drawing(t *testing.T) *proc.Worker {
	t.Helper()
	python, err := Python()
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	if out, err := exec.Command(python, "-c", "import torch").CombinedOutput(); err != nil {
		t.Skipf("NUMBERS OF BASELINES ARE NOT TESTED: no torch: %s", out)
	}
	w, err := proc.Start(t.Context(), proc.Spec{Exe: python, Env: Environ(), Args: []string{"-c", Frames + fresh + `
import torch


def answer(body, blob):
    ((dtype, drawn),) = body.items()
    t = torch.empty(64, 64, dtype=getattr(torch, dtype))
    fresh(torch, t, drawn, "uniform" if dtype == "float64" else "normal")
    return {}, bytes(t.double().numpy())

serve(answer)
`}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// TestNumbers: what a baseline is timed on has the numbers that the problem says, in every type.
func TestNumbers(t *testing.T) {
	w := drawing(t)
	for _, c := range []struct {
		dtype string
		drawn *kernels.Drawn
		least int // different numbers
	}{
		{"bool", &kernels.Drawn{Low: 0, High: 1}, 2},
		{"uint8", &kernels.Drawn{Low: 0, High: 255}, 200},
		{"int8", &kernels.Drawn{Low: -128, High: 127}, 200},
		{"int64", &kernels.Drawn{Low: 0, High: 9}, 10},
		{"int32", &kernels.Drawn{Low: 3, High: 3}, 1},
		{"int64", &kernels.Drawn{High: 64*64 - 1, How: kernels.Permutation}, 64 * 64},
		{"int32", &kernels.Drawn{Low: 5, High: 4099, How: kernels.Lengths}, 500},
		{"int32", &kernels.Drawn{High: 100000, How: kernels.Offsets}, 4000},
		{"int32", &kernels.Drawn{Low: 8190, High: 8190, How: kernels.Offsets}, 4096},
		{"int32", &kernels.Drawn{High: 1000000, How: kernels.Skewed}, 300},
		{"int32", &kernels.Drawn{Low: 8190, High: 8190, How: kernels.Skewed}, 4096},
		{"float32", &kernels.Drawn{Low: 0.25, High: 8}, 1000},
		{"float16", &kernels.Drawn{Low: 0.25, High: 8}, 500},
		{"float8_e8m0fnu", &kernels.Drawn{Low: 1. / 64, High: 1}, 7},
		{"float64", nil, 4000},
		{"float32", nil, 4000},
		{"float8_e4m3fn", nil, 50},
		{"int32", nil, 3},
	} {
		t.Run(fmt.Sprint(c.dtype, c.drawn), func(t *testing.T) {
			var got reply
			if err := w.Call(t.Context(), NewRequest(c.dtype, c.drawn, nil), &got, time.Minute, nil); err != nil {
				t.Fatal(err)
			}
			low, high := math.Inf(-1), math.Inf(1)
			if c.dtype == "float64" {
				low, high = 0, 1
			}
			if c.drawn != nil {
				low, high = c.drawn.Low, c.drawn.High
			}
			if c.drawn != nil && slices.Contains([]kernels.Draw{kernels.Offsets, kernels.Skewed}, c.drawn.How) {
				// The range is of the lines.
				low = 0
			}
			checkNumbers(t, got.Bytes, low, high, c.least)
		})
	}
}

func checkNumbers(t *testing.T, raw []byte, low, high float64, least int) {
	t.Helper()
	values := make([]float64, len(raw)/8)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	slices.Sort(values)
	if len(values) != 64*64 || !(values[0] >= low && values[len(values)-1] <= high) {
		t.Fatalf("%d numbers from %g to %g: expected %g to %g", len(values), values[0], values[len(values)-1], low, high)
	}
	if values = slices.Compact(values); len(values) < least {
		t.Errorf("%d different numbers: expected at least %d", len(values), least)
	}
}
