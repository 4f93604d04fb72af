package check

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/kernels"
)

// TestWild: whatever the random bits, a NaN of every float type that is told from all that a kernel computes.
func TestWild(t *testing.T) {
	seen := map[uint16]bool{}
	for r := range 1 << 16 {
		w := Wild(uint16(r))
		seen[w] = true
		two := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, Wild(uint16(r*40503))), w)
		var f [2]float64
		Decode(kernels.FP16, two, f[:])
		Decode(kernels.BF16, two[2:], f[1:])
		single := math.Float32frombits(binary.LittleEndian.Uint32(two))
		if f[0] == f[0] || f[1] == f[1] || single == single || !Unwritten(two) || !Unwritten(two[2:]) {
			t.Fatalf("%#x: %#x is %g, %g and %g", r, w, f[0], f[1], single)
		}
	}
	if len(seen) != 2*(128-3) {
		t.Errorf("%d different patterns", len(seen))
	}
}

func TestUnwritten(t *testing.T) {
	values := []float64{0, 1, -1, 65504, -3e38, 1e-40, math.NaN(), math.Inf(1), math.Inf(-1)}
	for _, d := range []kernels.DType{kernels.FP16, kernels.BF16, kernels.FP32, kernels.I32, kernels.E4M3} {
		all := Store(d, values)
		for i := range values {
			if e := all[i*d.Size() : (i+1)*d.Size()]; Unwritten(e) {
				t.Errorf("%s %g (%x) passes for unwritten", d, values[i], e)
			}
		}
	}
	for _, x86 := range []uint32{0xffc00000, 0x7fc00000} { // what the emulator's processor makes of 0/0
		if Unwritten(binary.LittleEndian.AppendUint32(nil, x86)) {
			t.Errorf("%#x passes for unwritten", x86)
		}
	}
}

// TestPalette: of the truth's signs and magnitudes, finite, and hardly ever an answer.
func TestPalette(t *testing.T) {
	truth := Truth{Value: []float64{-4, -2, math.NaN(), math.Inf(1), 8}}
	for _, d := range []kernels.DType{kernels.FP16, kernels.BF16, kernels.FP32, kernels.E4M3} {
		got, answers := make([]float64, PaletteSize), 0
		Decode(d, truth.Palette(d, rand.New(rand.NewPCG(1, 2))), got)
		for _, v := range got {
			if math.Abs(v) > 12 || v-v != 0 {
				t.Fatalf("%s: %g", d, v)
			}
			if slices.Contains(truth.Value, v) {
				answers++
			}
		}
		if answers > PaletteSize/20 && d != kernels.E4M3 { // which has no more than eight numbers from 4 to 8
			t.Errorf("%s: %d of %d are answers", d, answers, PaletteSize)
		}
	}
}
