package cpu

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
)

// TestMain makes the test binary the compile worker that it starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "worker" {
		os.Exit(compile.MainCXX(os.Args[3:]))
	}
	os.Exit(m.Run())
}

// harness is the GPU's trusted device code, compiled for this processor, without the part that asks a
// GPU's clocks.
func harness(t *testing.T) *program {
	t.Helper()
	source, _, found := strings.Cut(gpu.HarnessSource, "// dw_clock records")
	if !found {
		t.Fatal("harness.cu has changed: where does dw_clock begin?")
	}
	entries := kernels.Call{Launches: []kernels.Launch{{Entry: "dw_fill"}, {Entry: "dw_guard"}, {Entry: "dw_guard_check"}, {Entry: "dw_hash"}}}
	return programOf(t, source, entries)
}

func (p *program) call(t *testing.T, entry string, mem []byte, args ...uint64) {
	t.Helper()
	w := &work{program: p}
	w.add("memory", mem, true)
	l := newLaunch(p, kernels.Launch{Entry: entry, Grid: [3]int{4, 1, 1}, Block: [3]int{256, 1, 1}, Cluster: [3]int{1, 1, 1}})
	l.args = append([]uint64{uint64(address(mem))}, args...)
	w.launches = []*launch{l}
	if err := w.do(runOptions{}); err != nil {
		t.Fatalf("%s: %v", entry, err)
	}
}

func memory(t *testing.T, n int) []byte {
	t.Helper()
	a, err := newArena([]int{n}, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.free() })
	return a.buffers[0]
}

// TestSameInputsAsTheGPU holds the Go generator, guards and hash against the device code that they are
// a port of.
func TestSameInputsAsTheGPU(t *testing.T) {
	p := harness(t)
	const rows, cols, n, seed = 11, 161, 11 * 161, 0x123456789abcdef
	for _, class := range append(slices.Clone(gpu.Classes), gpu.Mixed) {
		for d, dtype := range map[kernels.DType]uint64{kernels.FP16: 0, kernels.BF16: 1, kernels.FP32: 2, kernels.I32: 3} {
			one := kernels.Buffer{DType: d, Shape: []int{rows, cols}}
			c := &gpu.Case{Class: class, Mix: []string{"lead", "tiny", "huge", "needles", "special"}, Buffers: []kernels.Buffer{one, one},
				Terms: []gpu.Terms{{Axis: 1, Neutral: math.Float32bits(-3)}}}
			if d == kernels.I32 && (class == "special" || class == "huge" || class == "extreme" || class == gpu.Mixed) {
				continue // what an int does not hold
			}
			for tensor := range 2 {
				f, err := c.Fill(tensor)
				if err != nil {
					t.Fatal(err)
				}
				theirs := memory(t, n*d.Size())
				p.call(t, "dw_fill", theirs, n, dtype, uint64(f.Classes), uint64(tensor), seed, uint64(f.Inner), uint64(f.Len), uint64(f.Neutral))
				got, want := filled(t, c, tensor, seed), make([]float64, n)
				check.Decode(d, theirs, want)
				near(t, class, got, want, d)
			}
		}
	}
}

// near wants equal values, except where a logarithm, a cosine or a power is in them: those may differ by
// a rounding, and near a zero of the cosine by that of its argument.
func near(t *testing.T, class string, got, want []float64, d kernels.DType) {
	t.Helper()
	relative, absolute := 0.0, 0.0
	switch class {
	case "huge", gpu.Mixed: // normal numbers times 2^24
		absolute, relative = 1e-5*0x1p24, 0x1p-6
	case "uniform", "cancel", "exact", "denormal":
	default:
		absolute = 1e-5
		fallthrough
	case "wide", "large":
		relative = map[kernels.DType]float64{kernels.FP16: 0x1p-9, kernels.BF16: 0x1p-6, kernels.FP32: 1e-5}[d]
	}
	for i := range want {
		if got[i] == want[i] || got[i] != got[i] && want[i] != want[i] {
			continue
		}
		if !(math.Abs(got[i]-want[i]) <= relative*math.Abs(want[i])+absolute) {
			t.Fatalf("%s %s element %d: %g here, %g there", class, d, i, got[i], want[i])
		}
	}
}

func TestSameGuardsAndHashesAsTheGPU(t *testing.T) {
	p := harness(t)
	for _, n := range []int{8, 13, 1000, 4099} {
		theirs, ours := memory(t, n), make([]byte, n)
		p.call(t, "dw_guard", theirs, uint64(n), 99)
		if guard(ours, 99); !bytes.Equal(theirs, ours) {
			t.Errorf("guard of %d bytes differs", n)
		}
		ours[n/2], ours[n-1] = ours[n/2]+1, ours[n-1]+1
		copy(theirs, ours)
		sums := memory(t, 16)
		p.call(t, "dw_guard_check", theirs, uint64(n), 99, uint64(address(sums)))
		p.call(t, "dw_hash", theirs, uint64(n), 5<<48, uint64(address(sums[8:])))
		word := func(b []byte) (v uint64) {
			for i := 7; i >= 0; i-- {
				v = v<<8 | uint64(b[i])
			}
			return v
		}
		if got, want := guardDamage(ours, 99), int(word(sums)); got != want || got == 0 {
			t.Errorf("%d bytes: %d changed here, %d there", n, got, want)
		}
		if got, want := hash(ours, 5<<48), word(sums[8:]); got != want {
			t.Errorf("hash of %d bytes: %x here, %x there", n, got, want)
		}
	}
}
