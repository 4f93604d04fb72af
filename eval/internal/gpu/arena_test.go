package gpu

import (
	"slices"
	"testing"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// covered marks the bytes of zones within a block, and fails where two of them overlap or one lies outside.
func covered(t *testing.T, b *block, zones []zone) []bool {
	t.Helper()
	bytes := make([]bool, b.bytes)
	for _, z := range zones {
		for i := range z.bytes {
			at := int(z.at-b.at) + i
			if at < 0 || at >= len(bytes) || bytes[at] {
				t.Fatalf("zone %+v overlaps another, or is outside of the block", z)
			}
			bytes[at] = true
		}
	}
	return bytes
}

// TestArena: every byte of a block is a buffer's or a guard's, to the very end of what is mapped; protected, all but
// the inputs is a guard zone.
func TestArena(t *testing.T) {
	b := &block{at: 1 << 30, bytes: 1 << 20}
	sizes := []int{1000, 1, 0, 4096}
	a := newArena(b, "case", sizes, func(i int) bool { return i == 3 })
	a.unprotected = true
	guarded := covered(t, b, a.untouchable())
	for i, n := range sizes {
		off := int(a.at[i] - b.at)
		if off%256 != 0 || slices.Contains(guarded[off:off+n], true) || !guarded[off+n] || !guarded[off-1] {
			t.Errorf("buffer %d lies at %d, unguarded or in a guard zone", i, off)
		}
		for k := range n {
			guarded[off+k] = true
		}
	}
	if slices.Contains(guarded, false) {
		t.Error("bytes that are neither a buffer's nor guarded")
	}
	a.unprotected = false
	resting := covered(t, b, a.untouchable())
	if out := int(a.at[3] - b.at); slices.Contains(resting[out:out+sizes[3]], false) {
		t.Error("an output of a protected arena is not guarded")
	}
	if in := int(a.at[0] - b.at); slices.Contains(resting[in:in+sizes[0]], true) {
		t.Error("an input is guarded, which is hashed")
	}
}

func TestFlushBufferIsAllGuard(t *testing.T) {
	b := &block{at: 4096, bytes: 1 << 16}
	if a := newArena(b, "flush", nil, nil); slices.Contains(covered(t, b, a.untouchable()), false) {
		t.Error("bytes that nobody looks at")
	}
}

func TestHome(t *testing.T) {
	small, large := kernels.Dims{"n": 8}, kernels.Dims{"n": 4096}
	cases := []device.Case{
		{Dims: large}, // a check shape of the same size
		{Workload: "large", Dims: large},
		{Workload: "large", Dims: large},
		{Workload: "large", Dims: large, Trial: true},
		{Workload: "small", Dims: small},
		{Workload: "large", Dims: large, Trial: true, Class: "wide"},
		{Workload: "near", Dims: kernels.Dims{"n": 4095}, Trial: true},
	}
	for i, want := range []int{0, 1, 2, 1, 4, 1, 6} {
		if got := home(cases, i); got != want {
			t.Errorf("case %d is run in the arena of %d, expected %d", i, got, want)
		}
	}
}

func TestOldest(t *testing.T) {
	of := func(spare bool, used int) *block { return &block{spare: spare, used: used} }
	for _, c := range []struct {
		name   string
		blocks []*block
		want   int // -1: none
	}{
		{"nothing", nil, -1},
		{"kept for good", []*block{of(false, 1)}, -1},
		{"in use", []*block{of(true, 7), of(true, 7)}, -1},
		{"the one that has rested for longest", []*block{of(true, 5), of(true, 3), of(false, 1), of(true, 4)}, 1},
	} {
		got := -1
		if b := oldest(c.blocks, 7); b != nil {
			got = slices.Index(c.blocks, b)
		}
		if got != c.want {
			t.Errorf("%s: block %d, expected %d", c.name, got, c.want)
		}
	}
}

// TestScratchBytes: blocks for scratch hold what is asked for, and few sizes serve all.
func TestScratchBytes(t *testing.T) {
	const MiB, GiB = 1 << 20, 1 << 30
	for n, want := range map[int]int{0: 2 * MiB, 1: 2 * MiB, 2 * MiB: 2 * MiB, 2*MiB + 1: 4 * MiB, 5 * MiB: 8 * MiB,
		GiB: GiB, GiB + 1: 2 * GiB, 39*GiB + 1: 40 * GiB} {
		if got := scratchBytes(n); got != want {
			t.Errorf("%d bytes of scratch in a block of %d, expected %d", n, got, want)
		}
	}
}

// TestIdleBlocksAreGivenBack: what was not used for many requests, and no more than that.
func TestIdleBlocksAreGivenBack(t *testing.T) {
	var freed []int
	m := &memory{request: 100}
	for i, b := range []block{{used: 51, spare: true}, {used: 52, spare: true}, {used: 3}, {used: 7, spare: true}} {
		b.at, b.free = cuda.Ptr(i+1), func() error { freed = append(freed, i); return nil }
		m.blocks = append(m.blocks, &b)
	}
	if err := m.giveBackIdle(); err != nil || !slices.Equal(freed, []int{3, 0}) || len(m.blocks) != 2 {
		t.Errorf("%v given back, %d left; %v", freed, len(m.blocks), err)
	}
}

// TestNoMoreThanAllowed: what does not fit beside what is held is out of memory, like what the device has not.
func TestNoMoreThanAllowed(t *testing.T) {
	m := &memory{most: 100, request: 2}
	for i, b := range []block{{bytes: 60}, {bytes: 30, spare: true, used: 1}} {
		b.at, b.free = cuda.Ptr(i+1), func() error { return nil }
		m.blocks = append(m.blocks, &b)
	}
	if _, err := m.take(41, true); !outOfMemory(err) || len(m.blocks) != 1 {
		t.Errorf("41 bytes beside 60 of 100: %v, with %d blocks held", err, len(m.blocks))
	}
}

// TestIdleArenas: what a fresh duel has taken is given back after many requests, and taken again by the next one.
func TestIdleArenas(t *testing.T) {
	f := newFaked(t)
	run := device.Run{Workload: "w", Cases: []int{1, 2, 3, 4}, Estimate: 10e3, Cache: "hot", Fresh: 2}
	for range 2 {
		before := len(f.mem.blocks)
		a, b := f.contender(t, "copy"), f.contender(t, "copy")
		got := f.ask(t, &device.Request{Duel: &device.Duel{A: a, B: b, Run: run, Pairs: 3}}).(*device.DuelReply)
		if got.Fault != nil || len(got.A.Samples) != 3 || len(f.mem.blocks) <= before {
			t.Fatalf("%+v, %d blocks after %d", got, len(f.mem.blocks), before)
		}
		for range idleRequests + 1 {
			f.gated(t, "copy")
		}
		if len(f.mem.blocks) != before || f.arenas[4].isThere() {
			t.Errorf("%d blocks are left of a duel", len(f.mem.blocks)-before)
		}
	}
}
