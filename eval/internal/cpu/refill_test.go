package cpu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
)

// TestRefill: what is wild counts as unwritten, what is plausible is of the palette but for its last bits, both
// differ each time, what is to be clear is, and nothing is written behind the end.
func TestRefill(t *testing.T) {
	p := harness(t)
	for _, d := range []kernels.DType{kernels.FP16, kernels.BF16, kernels.FP32, kernels.I32, kernels.E4M3} {
		unit := check.PaletteUnit(d)
		palette := memory(t, check.PaletteSize*unit)
		copy(palette, check.Truth{Value: []float64{1, -3, 700, 0.25}}.Palette(d, rand.New(rand.NewPCG(1, 2))))
		for _, elems := range []int{1, 7, 8, 3001} {
			n := elems * d.Size()
			var seen [4][]byte
			for i := range seen {
				mem := memory(t, n+16)
				var values []byte
				switch {
				case i >= 2:
					values = palette
				case d.Size() == 1: // as Session.refilling has it
					values = memory(t, len(palette))
					copy(values, check.Blanks(len(palette), rand.New(rand.NewPCG(1, 2))))
				}
				cleared := memory(t, n+16)
				copy(cleared, bytes.Repeat([]byte{7}, n+16))
				p.call(t, "dw_refill", aligned(gpu.EncodeRefills(nil, []gpu.Refilling{
					{At: uint64(address(cleared)), Bytes: n, Key: uint64(i)},
					{At: uint64(address(mem)), Bytes: n, Key: uint64(i), Palette: uint64(address(values)), Size: unit,
						Low: check.LowBits(d)},
				})))
				if bytes.Count(mem[n:], []byte{0}) != 16 || bytes.Count(cleared[n:], []byte{7}) != 16 {
					t.Fatalf("%s: written behind %d bytes", d, n)
				}
				if bytes.Count(cleared[:n], []byte{0}) != n {
					t.Errorf("%d bytes that are to be clear are not", n)
				}
				seen[i] = mem[:n]
				if why := refilled(mem[:n], values, d); why != "" {
					t.Errorf("%s, %d elements: %s", d, elems, why)
				}
			}
			if elems > 1 && (bytes.Equal(seen[0], seen[1]) || bytes.Equal(seen[2], seen[3])) {
				t.Errorf("%s, %d elements: twice the same", d, elems)
			}
		}
	}
}

// refilled says what is wrong with refilled memory.
func refilled(mem, palette []byte, d kernels.DType) string {
	word := func(b []byte) uint32 {
		switch d.Size() {
		case 1:
			return uint32(b[0])
		case 2:
			return uint32(binary.LittleEndian.Uint16(b))
		}
		return binary.LittleEndian.Uint32(b)
	}
	known := map[uint32]bool{}
	for at := 0; at < len(palette); at += d.Size() {
		known[word(palette[at:])&^check.LowBits(d)] = true
	}
	for at := 0; at < len(mem); at += d.Size() {
		e := mem[at : at+d.Size()]
		if palette == nil && !check.Unwritten(e) {
			return fmt.Sprintf("%x counts as written", e)
		}
		if palette != nil && !known[word(e)&^check.LowBits(d)] {
			return fmt.Sprintf("%x is not of the palette", e)
		}
	}
	return ""
}

// TestScratchStays: what a call has left is put back, except where scratch is clear before a first call.
func TestScratchStays(t *testing.T) {
	a, err := newArena([]int{4, 4}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer a.free()
	fill(a.buffers[0], 7)
	fill(a.buffers[1], 7)
	left := contents(a)
	fill(a.buffers[0], 1)
	clear(a.buffers[1])
	stay(a, []kernels.Scratch{{Bytes: 4}, {Bytes: 4, Once: true}}, left)
	if a.buffers[0][3] != 7 || a.buffers[1][3] != 0 {
		t.Errorf("%v and %v", a.buffers[0], a.buffers[1])
	}
	if stay(a, nil, nil); a.buffers[0][3] != 7 {
		t.Errorf("nothing was left, and scratch is %v", a.buffers[0])
	}
}

// TestFillBytes: outputs of one byte, of any number, are blank half of the time, or of the palette, and nothing is
// written behind them.
func TestFillBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	palette := check.Truth{Value: []float64{1, -3, 700, 0.25}}.Palette(kernels.E4M3, rng)
	for _, n := range []int{1, 2, 33, 4001} {
		mem := make([]byte, n, n+1)
		fillWith(mem, device.Plausible, palette, kernels.E4M3, rng)
		if why := refilled(mem, palette, kernels.E4M3); why != "" || mem[:n+1][n] != 0 {
			t.Errorf("%d bytes: %s", n, why)
		}
		fillWith(mem, device.Wild, palette, kernels.E4M3, rng)
		blank, other := bytes.Count(mem, []byte{check.Blank}), bytes.Count(mem, []byte{0x7f})
		if other > 0 || mem[:n+1][n] != 0 || n > 1000 && (blank < n*2/5 || blank > n*3/5) {
			t.Errorf("%d bytes: %d are blank, %d another NaN", n, blank, other)
		}
	}
}
