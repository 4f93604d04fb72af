package gpu

import (
	"encoding/binary"
	"reflect"
	"slices"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// TestEncodeRegions holds the bytes against struct Regions of harness.cu.
func TestEncodeRegions(t *testing.T) {
	list := []Region{
		{At: 0x1122334455667788, Bytes: 1, Key: 7, Kind: GuardKind, Counter: 64},
		{At: 2, Bytes: chunkBytes, Key: 8, Kind: HashKind, Counter: 0x1fff},
		{At: 3, Bytes: 3*chunkBytes + 1, Key: 9, Kind: ZeroKind, Counter: 1},
	}
	arg, chunks := EncodeRegions(nil, list)
	if len(arg) != 64*32+8 || chunks != 1+1+4 {
		t.Fatalf("%d bytes, %d chunks", len(arg), chunks)
	}
	le := binary.LittleEndian
	for i, r := range list {
		at := arg[32*i:]
		first := []uint32{0, 1, 2}[i]
		if le.Uint64(at) != r.At || le.Uint64(at[8:]) != uint64(r.Bytes) || le.Uint64(at[16:]) != r.Key ||
			le.Uint32(at[24:]) != first ||
			le.Uint16(at[28:]) != uint16(r.Kind) || le.Uint16(at[30:]) != uint16(r.Counter) {
			t.Errorf("region %d is % x", i, at[:32])
		}
	}
	if le.Uint32(arg[64*32:]) != 3 || le.Uint32(arg[64*32+4:]) != 6 {
		t.Errorf("it ends with % x", arg[64*32:])
	}
}

// TestEncodedAgain: what a launch is told is the same whatever the one before it was told.
func TestEncodedAgain(t *testing.T) {
	var regions []Region
	var refills []Refilling
	for i := range regionsPerLaunch {
		regions = append(regions, Region{At: uint64(i + 1), Bytes: chunkBytes, Key: 5, Kind: CopyKind, Counter: 70 + i})
	}
	for i := range refillsPerLaunch {
		refills = append(refills, Refilling{At: uint64(i + 1), Bytes: 3, Key: 4, Palette: 5, Size: 2, Low: 1})
	}
	again, filled := make([]byte, regionsBytes), []byte(nil)
	for _, n := range []int{2, 16, 1, 0, 3} {
		want, chunks := EncodeRegions(nil, regions[:n])
		if _, got := EncodeRegions(again, regions[:n]); got != chunks || !slices.Equal(again, want) {
			t.Errorf("%d regions, %d chunks, in place of %d: % x", n, got, chunks, again)
		}
		if filled = EncodeRefills(filled, refills[:n]); !slices.Equal(filled, EncodeRefills(nil, refills[:n])) {
			t.Errorf("%d refillings: % x", n, filled)
		}
	}
}

func buffers() []kernels.Buffer {
	buffer := func(name string, out bool) kernels.Buffer {
		return kernels.Buffer{Name: name, DType: kernels.FP32, Shape: []int{100}, Out: out}
	}
	return []kernels.Buffer{buffer("a", false), buffer("b", false), buffer("y", true)}
}

// TestInspection: whose doing a counter is, and what is repaired.
func TestInspection(t *testing.T) {
	c := &device.Case{Name: "gemm", Buffers: buffers()}
	make1 := func(name string, holds int) *arena {
		a := newArena(&block{at: 1 << 21, bytes: 1 << 21}, name, device.Sizes(c.Buffers), func(i int) bool { return i == 2 })
		a.holds = holds
		return a
	}
	first, other, scratch := make1("first", 0), make1("other", 1), make1("first", -1)
	v := &inspection{next: 64}
	for _, a := range []*arena{first, other} {
		v.guards(a)
		v.inputs(c, a)
	}
	v.outputs(c, first)
	v.left(scratch, []kernels.Scratch{{Name: "sums", Bytes: 8}}) // nothing to look at
	v.left(scratch, []kernels.Scratch{{Name: "counters", Once: true, Bytes: 4}, {Name: "none", Once: true},
		{Name: "flags", Once: true, Bytes: 4}})
	// counters: first's guards, a, b; other's guards, a, b; first's outputs; scratch
	want := [][]uint64{{11, 12, 0}, {21, 22, 0}}
	clean := []uint64{0, 11, 12, 0, 21, 22, 99, 0}
	for _, x := range []struct {
		name  string
		at    int // counter from the first on; -1: none
		value uint64
		found *device.Strays
		dirty []*arena
	}{
		{"nothing", -1, 0, nil, nil},
		{"around the first", 0, 3, &device.Strays{Where: "first", Bytes: 3}, []*arena{first}},
		{"an input of the first", 2, 13, &device.Strays{Where: "first", Input: "b"}, []*arena{first}},
		{"around the other", 3, 1, &device.Strays{Where: "other", Bytes: 1}, []*arena{other}},
		{"an input of the other", 4, 20, &device.Strays{Where: "other", Input: "a"}, []*arena{other}},
		{"outputs are not judged here", 6, 1, nil, nil},
		{"scratch is left", 7, 2, &device.Strays{Where: "first", Left: 2, Scratch: "counters or flags"}, []*arena{scratch}},
	} {
		got := slices.Concat(make([]uint64, 64), clean)
		if x.at >= 0 {
			got[64+x.at] = x.value
		}
		found, dirty := v.judge(got, want)
		if !reflect.DeepEqual(found, x.found) || !slices.Equal(dirty, x.dirty) {
			t.Errorf("%s: %+v in %d arenas, expected %+v", x.name, found, len(dirty), x.found)
		}
	}
}

// TestInspectionRemembersWhatWasHeld: what an arena held when it was looked at counts, not what it holds by now.
func TestInspectionRemembersWhatWasHeld(t *testing.T) {
	c := &device.Case{Buffers: buffers()}
	a := newArena(&block{at: 1 << 21, bytes: 1 << 21}, "a", device.Sizes(c.Buffers), func(i int) bool { return i == 2 })
	a.holds = 0
	v := &inspection{}
	v.inputs(c, a)
	a.holds = 1
	if found, _ := v.judge([]uint64{11, 12}, [][]uint64{{11, 12, 0}, {21, 22, 0}}); found != nil {
		t.Errorf("%+v", found)
	}
}
