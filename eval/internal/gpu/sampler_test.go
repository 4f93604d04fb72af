package gpu

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/kernels"
)

func matrix(n int) *Case {
	return &Case{Buffers: []kernels.Buffer{{DType: kernels.FP16, Shape: []int{n, n}}, {DType: kernels.FP16, Shape: []int{n, n}}, {DType: kernels.FP16, Shape: []int{n, n}, Out: true}}}
}

func TestCallsOf(t *testing.T) {
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
		if got := callsOf(matrix(c.n), c.estimate, c.arenas, l2); got != c.want {
			t.Errorf("%s: %d calls, expected %d", c.name, got, c.want)
		}
	}
}

func TestRotation(t *testing.T) {
	const l2 = 50 << 20
	for _, c := range []struct {
		n, hot, cold int
	}{{64, 2, maxCold}, {1024, 2, 26}, {2048, 1, 7}, {4096, 1, 2}, {8192, 1, 2}} {
		if hot, cold := matrix(c.n).Rotation("hot", 2, l2), matrix(c.n).Rotation("cold", 2, l2); hot != c.hot || cold != c.cold {
			t.Errorf("%d: %d hot and %d cold arenas, expected %d and %d", c.n, hot, cold, c.hot, c.cold)
		}
	}
}

// TestDrawTurn: each set once at most, every set in every place, and another order each time.
func TestDrawTurn(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[[2]int]int{}
	for range 4000 {
		turn := DrawTurn(rng, 5, 8)
		if len(turn) != 5 || len(slices.Compact(slices.Sorted(slices.Values(turn)))) != 5 {
			t.Fatalf("turn %v", turn)
		}
		for place, set := range turn {
			seen[[2]int{place, set}]++
		}
	}
	if least := slices.Min(slices.Collect(maps.Values(seen))); len(seen) != 5*8 || least < 400 { // of 500
		t.Errorf("%d of 40 places of sets are drawn, one of them %d times", len(seen), least)
	}
	if turn := DrawTurn(rng, 8, 2); len(turn) != 2 {
		t.Errorf("%v of two sets", turn)
	}
}

func TestTurnOf(t *testing.T) {
	for phase, want := range map[string]int{Turn("4096", 0): 1, Turn("4096", 1): 2, "duel 4096": 0, "gate the challenger": 0, "time x, the challenger": 0, "": 0} {
		if got := TurnOf(phase); got != want {
			t.Errorf("%q: %d, expected %d", phase, got, want)
		}
	}
}

func TestTape(t *testing.T) {
	p := &Prepare{Cases: packed(), Slots: 3, SlotBytes: 2000} // outputs of 256, 512 and 768 bytes
	rng := rand.New(rand.NewPCG(3, 4))
	if got := (*Tape)(nil); got.Take([]int{0}, rng, nil) != nil || got.Cases() != nil {
		t.Error("no tape records")
	}
	tape := p.NewTape(&Record{Slots: [2]int{2, 1}}, 1, 2)
	var places []int
	put := func(_, at int) error { places = append(places, at); return nil }
	tape.Pause(true)
	err1 := tape.Take([]int{0, 1}, rng, put)
	tape.Pause(false)
	err2 := tape.Take([]int{0, 1}, rng, put)    // both fit half of the slot
	err3 := tape.Take([]int{1, 1, 1}, rng, put) // of these one does
	cases := tape.Cases()
	offsets, total := Pack(p.Cases, cases)
	for i := range offsets {
		offsets[i] += 2000
	}
	if err := errors.Join(err1, err2, err3); err != nil || len(cases) != 3 || cases[2] != 1 || total > 2000 || !slices.Equal(places, offsets) {
		t.Errorf("%v at %v, %v", cases, places, err)
	}
	full := p.NewTape(&Record{}, 0, 1)
	if err := full.Take([]int{2, 2, 2, 2}, rng, func(_, at int) error { return nil }); err != nil || len(full.Cases()) != 2 {
		t.Errorf("%v in a slot that has room for two, %v", full.Cases(), err)
	}
}

func TestSoilFrame(t *testing.T) {
	for stack, want := range map[int]int{1: 256, 256: 256, 257: 1024, 4096: 4096, 5000: 16384, 1 << 20: 16384} {
		if got := soilFrame(stack); got != want {
			t.Errorf("%d bytes of stack: %d are soiled, expected %d", stack, got, want)
		}
	}
}

func TestDipped(t *testing.T) {
	usual := []float64{1980, 1970, 1980, 1990, 1980}
	for _, c := range []struct {
		mhz   float64
		usual []float64
		want  bool
	}{{1980, usual, false}, {1790, usual, false}, {1700, usual, true}, {0, usual, false}, {100, usual[:4], false}} {
		if got := dipped(c.mhz, c.usual); got != c.want {
			t.Errorf("%g MHz after %v: %v", c.mhz, c.usual, got)
		}
	}
}

func TestReadingCompares(t *testing.T) {
	var r reading
	r.compare(5, []uint64{5, 6}, 0)
	r.compare(5, []uint64{5, 6}, 1)
	r.compare(5, nil, 0) // nobody knows
	if r.checked != 2 || r.wrong != 1 {
		t.Errorf("%d of %d wrong", r.wrong, r.checked)
	}
}

// TestGather: each output finds its own palette, that of the first case of its size, and else one of its type.
func TestGather(t *testing.T) {
	out := func(d kernels.DType) kernels.Buffer { return kernels.Buffer{DType: d, Shape: []int{8}, Out: true} }
	cases := []Case{
		{Dims: kernels.Dims{"n": 8}, Buffers: []kernels.Buffer{{DType: kernels.FP16, Shape: []int{8}}, out(kernels.FP16), out(kernels.FP32)}},
		{Dims: kernels.Dims{"n": 9}, Buffers: []kernels.Buffer{out(kernels.BF16)}},
		{Dims: kernels.Dims{"n": 8}, Buffers: []kernels.Buffer{out(kernels.FP16), out(kernels.FP32)}},
	}
	half, single := check.PaletteSize*2, check.PaletteSize*4
	ordinary := func(d kernels.DType) []byte { return make([]byte, check.PaletteSize*d.Size()) }
	prep := &Prepare{Cases: cases, Palettes: map[int][]byte{0: slices.Repeat([]byte{7}, half+single)}}
	all, of, err := gather(prep, ordinary)
	if err != nil {
		t.Fatal(err)
	}
	p := &palettes{block: &block{}, of: of}
	first, second := int(p.output(cases, 2, 0, kernels.FP16)), int(p.output(cases, 2, 1, kernels.FP32))
	if all[first] != 7 || all[second] != 7 || second-first != half || len(all) != second+single {
		t.Errorf("palettes at %d and %d of %d", first, second, len(all))
	}
	if at := p.output(cases, 1, 0, kernels.BF16); at != p.ordinary(kernels.BF16) || all[at] != 0 {
		t.Errorf("no palette of its own, and it takes %d", at)
	}
	prep.Palettes[0] = prep.Palettes[0][1:]
	if _, _, err := gather(prep, ordinary); err == nil {
		t.Error("a palette that is too short")
	}
}
