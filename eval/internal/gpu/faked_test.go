package gpu

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
)

// TestFakedGate: what each of the driver's candidates does is found out and said of it alone, and its outputs are
// handed out.
func TestFakedGate(t *testing.T) {
	f := newFaked(t)
	for _, c := range []struct {
		kernel string
		why    string // strays, or the fault
		same   bool
	}{
		{"copy", "", true},
		{"strays", "check: wrote 1 bytes outside of its buffers (3 more like it)", true},
		{"mutates", "check: wrote to its input x (3 more like it)", true},
		{"leaves", "check: left 1 bytes in scratch s that every call must leave cleared (7 more like it)", true},
		{"copy", "", true},
	} {
		got := f.gated(t, c.kernel)
		why := ""
		if got.Strays != nil {
			why = got.Strays.Why()
		}
		if got.Fault != nil || why != c.why || len(got.Cases) != 5 || !got.Cases[3].Ran || got.Cases[4].Ran ||
			!about(got.Cases[3].Nanos, 10e3) || got.Cases[0].Nanos != 0 {
			t.Errorf("%s: %q, expected %q; %+v", c.kernel, why, c.why, got)
		}
		x := make([]byte, 4*elems)
		for k, i := range []int{0, 1, 2, 3} {
			for j := range x {
				x[j] = byte(31*int(f.prep.Cases[i].Seed) + j)
			}
			if c.kernel == "copy" && !slices.Equal(f.out[f.prep.SlotBytes+k*f.prep.Cases[i].OutBytes():][:len(x)], x) {
				t.Errorf("case %d: its outputs are not in the slot", i)
			}
		}
	}
	if got := f.gated(t, "fails"); got.Fault == nil || !got.Fault.Sticky || got.Fault.Launch {
		t.Errorf("%+v", got.Fault)
	}
}

// TestLosesStep: between two runs of a candidate are not as many launches each time, so that the numbers of its
// launches have no pattern.
func TestLosesStep(t *testing.T) {
	f := newFaked(t)
	f.gated(t, "copy")
	f.driver.Log()
	f.ask(t, &device.Request{Disturb: &device.Disturb{Cubin: []byte("k"), Calls: fakedCalls("copy"),
		Cases: slices.Repeat([]int{1}, 40), Expect: make([]uint64, 5)}})
	apart := map[int]bool{}
	idle := 0
	for _, line := range f.driver.Log() {
		switch {
		case strings.HasPrefix(line, "dw_nothing"):
			idle++
		case strings.HasPrefix(line, "copy"):
			apart[idle], idle = true, 0
		}
	}
	if len(apart) < 4 {
		t.Errorf("launches of nothing between two runs: %v", slices.Collect(maps.Keys(apart)))
	}
}

// TestUnloadLater: a gated or timed program stays loaded until its request is answered, and no longer than to the next.
func TestUnloadLater(t *testing.T) {
	f := newFaked(t)
	unloads := func() (n int) {
		for _, line := range f.driver.Log() {
			if line == "unload" {
				n++
			}
		}
		return n
	}
	req := &device.Time{Contender: f.contender(t, "copy"), Count: 1,
		Runs: []device.Run{{Workload: "w", Cases: []int{1, 2, 3}, Estimate: 10e3, Cache: "hot"}}}
	if err := f.Finish(); err != nil || unloads() != 1 {
		t.Fatalf("the gate's program is still loaded: %v", err)
	}
	for range 3 {
		f.ask(t, &device.Request{Time: req})
		if n := unloads(); n != 0 {
			t.Errorf("%d programs unloaded before the reply", n)
		}
		if err := f.Finish(); err != nil || unloads() != 1 || f.Finish() != nil || unloads() != 0 {
			t.Errorf("not unloaded once after the reply: %v", err)
		}
	}
	f.gated(t, "copy")
	f.driver.Log()
	f.ask(t, &device.Request{Time: req})
	if n := unloads(); n != 1 {
		t.Errorf("%d programs unloaded before the next request, expected 1", n)
	}
}

// TestFakedLimit: the first of the sets that takes longer than the limit is run once and is the last, with its outputs
// handed out; one within the limit is run like any other.
func TestFakedLimit(t *testing.T) {
	f := newFaked(t)
	for _, c := range []struct {
		kernel string
		limit  float64
		ran    int
		lost   bool
		stray  bool
	}{
		{"copy", 5e3, 2, true, false},
		{"copy", 20e3, 4, false, false},
		{"copy", 0, 4, false, false},
		{"strays", 5e3, 2, true, true},
		{"errs", 5e3, 2, true, false},
	} {
		clear(f.out)
		f.driver.BadEvery(map[bool]int{true: 3}[c.kernel == "errs"])
		got := f.ask(t, &device.Request{Gate: &device.Gate{Cubin: []byte("k"), Calls: fakedCalls(c.kernel), Slot: 1,
			Limit: c.limit, Sets: []int{1, 2, 3}}}).(*device.GateReply)
		ran := 0
		for _, r := range got.Cases {
			if r.Ran {
				ran++
			}
		}
		if got.Fault != nil || ran != c.ran || got.Lost != c.lost || (got.Strays != nil) != c.stray ||
			!about(got.Cases[1].Nanos, 10e3) || !got.Cases[1].Same {
			t.Errorf("%s beyond %g: %d cases, %+v", c.kernel, c.limit, ran, got)
		}
		at := f.prep.SlotBytes + f.prep.Cases[0].OutBytes()
		x := byte(31 * int(f.prep.Cases[1].Seed))
		if c.kernel == "errs" {
			x ^= 1
		}
		if f.out[at] != x {
			t.Errorf("%s beyond %g: its output begins with %d, expected %d", c.kernel, c.limit, f.out[at], x)
		}
	}
}

// TestFakedTwice: who is too slow in both runs on the first of the sets is run on no other, and whether the two gave
// the same bits is told of it like of any; once quick enough, or too slow at short calls alone, it is run on all.
func TestFakedTwice(t *testing.T) {
	f := newFaked(t)
	for _, c := range []struct {
		kernel       string
		limit, twice float64
		bad          int // every so many-th call, of which two are the check shape's
		ran          int
		lost, same   bool
	}{
		{"copy", 20e3, 5e3, 0, 2, true, true},
		{"copy", 20e3, 15e3, 0, 4, false, true},
		{"copy", 0, 5e3, 0, 4, false, true},
		{"copy", 20e3, 0, 0, 4, false, true},
		{"near", 20e3, 11e3, 0, 4, false, true},
		{"near", 11e3, 5e3, 0, 2, true, true},
		{"errs", 20e3, 5e3, 3, 2, true, false},
		{"errs", 20e3, 5e3, 4, 2, true, false},
		{"strays", 20e3, 5e3, 0, 2, true, true},
	} {
		f.driver.BadEvery(c.bad)
		got := f.ask(t, &device.Request{Gate: &device.Gate{Cubin: []byte("k"), Calls: fakedCalls(c.kernel), Slot: 1,
			Limit: c.limit, Twice: c.twice, Sets: []int{1, 2, 3}}}).(*device.GateReply)
		ran := 0
		for _, r := range got.Cases {
			if r.Ran {
				ran++
			}
		}
		if got.Fault != nil || ran != c.ran || got.Lost != c.lost || got.Cases[1].Same != c.same ||
			(got.Strays != nil) != (c.kernel == "strays") {
			t.Errorf("%s beyond %g, twice %g: %d cases, %+v", c.kernel, c.limit, c.twice, ran, got)
		}
	}
}

// TestFakedCopies: outputs get to memory of the device as they are hashed, without copies of their own, where a kernel
// of ours can reach it; and their hashes are the same.
func TestFakedCopies(t *testing.T) {
	f := newFaked(t)
	want := f.gated(t, "copy")
	other := make([]byte, len(f.out))
	copy(other, f.out)
	for i, at := range []cuda.Ptr{cuda.Ptr(uintptr(unsafe.Pointer(&f.out[0]))), 0} {
		clear(f.out)
		f.driver.Log()
		f.Session.out = outputs{dev: &cuda.Range{At: at}}
		if at == 0 { // elsewhere
			f.Session.out = outputs{host: cuda.Pinned(f.out)}
		}
		got := f.gated(t, "copy")
		if !reflect.DeepEqual(got.Cases, want.Cases) || !bytes.Equal(f.out, other) {
			t.Errorf("memory %d: %+v, expected %+v", i, got.Cases, want.Cases)
		}
	}
	o := outputs{dev: &cuda.Range{At: copyEnd - 512}}
	if o.reach(256, 256) != copyEnd-256 || o.reach(256, 257) != 0 || (&outputs{}).reach(0, 1) != 0 {
		t.Error("copies go beyond what an inspection reaches")
	}
}
