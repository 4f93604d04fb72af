package gpu

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

func TestPoisonFrame(t *testing.T) {
	for stack, want := range map[int]int{1: 256, 256: 256, 257: 1024, 4096: 4096, 5000: 16384, 1 << 20: 16384} {
		if got := poisonFrame(stack); got != want {
			t.Errorf("%d bytes of stack: %d are poisoned, expected %d", stack, got, want)
		}
	}
}

// TestGather: each output finds its own palette, that of the first case of its size, and else one of its type.
func TestGather(t *testing.T) {
	out := func(d kernels.DType) kernels.Buffer { return kernels.Buffer{DType: d, Shape: []int{8}, Out: true} }
	cases := []device.Case{
		{Dims: kernels.Dims{"n": 8}, Buffers: []kernels.Buffer{{DType: kernels.FP16, Shape: []int{8}}, out(kernels.FP16),
			out(kernels.FP32)}},
		{Dims: kernels.Dims{"n": 9}, Buffers: []kernels.Buffer{out(kernels.BF16)}},
		{Dims: kernels.Dims{"n": 8}, Buffers: []kernels.Buffer{out(kernels.FP16), out(kernels.FP32)}},
	}
	half, single := check.PaletteSize*2, check.PaletteSize*4
	ordinary := func(d kernels.DType) []byte { return make([]byte, check.PaletteSize*d.Size()) }
	prep := &device.Prepare{Cases: cases, Palettes: map[int][]byte{0: slices.Repeat([]byte{7}, half+single)}}
	all, of, err := gather(prep, ordinary, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	p := &palettes{block: &block{}, of: of, first: firstOfSize(cases)}
	first, second := int(p.output(2, 0, kernels.FP16)), int(p.output(2, 1, kernels.FP32))
	if all[first] != 7 || all[second] != 7 || second-first != half || len(all) != second+single {
		t.Errorf("palettes at %d and %d of %d", first, second, len(all))
	}
	if at := p.output(1, 0, kernels.BF16); at != p.ordinary(kernels.BF16) || all[at] != 0 {
		t.Errorf("no palette of its own, and it takes %d", at)
	}
	if _, found := of[paletteKey{-2, 0, kernels.E4M3}]; found {
		t.Error("something for outputs of one byte, which there are not")
	}
	prep.Palettes[0] = prep.Palettes[0][1:]
	if _, _, err := gather(prep, ordinary, rand.New(rand.NewPCG(1, 2))); err == nil {
		t.Error("a palette that is too short")
	}
}

// TestGatherBytes: outputs of one byte find their own palette, an ordinary one, and what is blank, each of whole pairs.
func TestGatherBytes(t *testing.T) {
	out := kernels.Buffer{DType: kernels.E4M3, Shape: []int{8}, Out: true}
	cases := []device.Case{{Dims: kernels.Dims{"n": 8}, Buffers: []kernels.Buffer{out}},
		{Dims: kernels.Dims{"n": 9}, Buffers: []kernels.Buffer{out}}}
	pairs := check.PaletteSize * 2
	ordinary := func(d kernels.DType) []byte { return make([]byte, check.PaletteSize*check.PaletteUnit(d)) }
	prep := &device.Prepare{Cases: cases, Palettes: map[int][]byte{0: slices.Repeat([]byte{7}, pairs)}}
	all, of, err := gather(prep, ordinary, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	p := &palettes{block: &block{}, of: of, first: firstOfSize(cases)}
	own, ordinary8 := p.output(0, 0, kernels.E4M3), p.output(1, 0, kernels.E4M3)
	for at, want := range map[cuda.Ptr]byte{own: 7, ordinary8: 0} {
		if got := all[at : int(at)+pairs]; at%4 != 0 || !bytes.Equal(got, slices.Repeat([]byte{want}, pairs)) {
			t.Errorf("at %d: %x..., expected %x", at, got[0], want)
		}
	}
	at := int(p.blank(kernels.E4M3))
	if n := bytes.Count(all[at:at+pairs], []byte{check.Blank}); at%4 != 0 || n < pairs/3 || n > pairs*2/3 {
		t.Errorf("at %d: %d of %d are NaN", at, n, pairs)
	}
}
