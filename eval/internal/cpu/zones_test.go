package cpu

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
)

// watched are zones in one stretch of memory that begin and end at any byte, some of them longer than a block looks
// at in one go.
func watched(mem []byte) (zones [][]byte) {
	for _, z := range [][2]int{{3, 4}, {8, 16}, {21, 99}, {128, 70001}, {70001, 70001}, {70013, 200000}} {
		zones = append(zones, mem[z[0]:z[1]])
	}
	return zones
}

func regions(zones [][]byte, kind int) []byte {
	var list []gpu.Region
	for i, z := range zones {
		list = append(list, gpu.Region{At: uint64(address(z)), Bytes: len(z), Key: 77, Kind: kind, Counter: i})
	}
	arg, _ := gpu.EncodeRegions(nil, list)
	return arg
}

// inspect is what dw_inspect counts in each zone.
func (p *program) inspect(t *testing.T, zones [][]byte, kind int) []uint64 {
	t.Helper()
	arg, counters := aligned(regions(zones, kind)), memory(t, 8*len(zones))
	p.call(t, "dw_inspect", arg, uint64(address(counters)))
	got := make([]uint64, len(zones))
	for i := range got {
		got[i] = binary.LittleEndian.Uint64(counters[8*i:])
	}
	return got
}

// TestGuards: dw_guard writes zones and nothing beside them, and dw_inspect finds every byte that has changed in
// them, and none that has not.
func TestGuards(t *testing.T) {
	p := harness(t)
	mem := memory(t, 200100)
	zones := watched(mem)
	p.call(t, "dw_guard", aligned(regions(zones, gpu.GuardKind)))
	outside := slices.Clone(mem)
	for _, z := range [][2]int{{3, 4}, {8, 16}, {21, 99}, {128, 70001}, {70013, 200000}} {
		clear(outside[z[0]:z[1]])
	}
	if bytes.Count(outside, []byte{0}) != len(outside) {
		t.Error("something beside the zones was written")
	}
	if zones[3][1000] == zones[3][1008] && zones[3][1001] == zones[3][1009] && zones[3][1002] == zones[3][1010] {
		t.Error("the pattern repeats itself")
	}
	if got := p.inspect(t, zones, gpu.GuardKind); !slices.Equal(got, make([]uint64, len(zones))) {
		t.Errorf("%d bytes have changed by themselves", got)
	}
	zones[0][0]++
	zones[3][65536]++
	for i := range 3 {
		zones[5][129984+i]++
	}
	if got, want := p.inspect(t, zones, gpu.GuardKind), []uint64{1, 0, 0, 1, 0, 3}; !slices.Equal(got, want) {
		t.Errorf("%d changed bytes are found: expected %d", got, want)
	}
	clear(mem)
	zones[1][7], zones[2][70], zones[5][0] = 1, 2, 3
	if got, want := p.inspect(t, zones, gpu.ZeroKind), []uint64{0, 1, 1, 0, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("%d bytes that are not zero are found: expected %d", got, want)
	}
}

// TestHashes: every byte and its place count, where the bytes lie does not, and the Go hash is a port of it.
func TestHashes(t *testing.T) {
	p := harness(t)
	const n = 70001
	mem := memory(t, 4*device.Align(n))
	at := func(i int) []byte { return mem[i*device.Align(n):][:n] }
	for i := range n {
		at(0)[i] = byte(i * i >> 3)
	}
	for i := 1; i < 4; i++ {
		copy(at(i), at(0))
	}
	at(2)[n-1]++
	copy(at(3)[32:64], at(0)[64:96])
	copy(at(3)[64:96], at(0)[32:64])
	got := p.inspect(t, [][]byte{at(0), at(1), at(2), at(3)}, gpu.HashKind)
	if got[0] != got[1] || got[0] == got[2] || got[0] == got[3] || got[0] == 0 {
		t.Errorf("%x: expected two equal hashes and two others", got)
	}
	for _, end := range []int{1, 8, 12, 16, 24, 29, 65536, 65544, n} {
		if got, want := p.inspect(t, [][]byte{at(0)[:end]}, gpu.HashKind)[0], hash(at(0)[:end], 77); got != want {
			t.Errorf("hash of %d bytes: %x there, %x here", end, got, want)
		}
	}
}

// TestEveryByteIsWatched changes one byte after the other at the edges of zones that begin and end anywhere.
func TestEveryByteIsWatched(t *testing.T) {
	p := harness(t)
	mem := memory(t, 1024)
	for _, start := range []int{0, 1, 8, 15, 16} {
		for _, n := range []int{1, 8, 15, 17, 31, 33, 64} {
			zone := mem[start:][:n]
			for kind, write := range map[int]func(){
				gpu.GuardKind: func() { p.call(t, "dw_guard", aligned(regions([][]byte{zone}, gpu.GuardKind))) },
				gpu.ZeroKind:  func() { clear(zone) },
			} {
				write()
				for i := range zone {
					if i >= 18 && i < n-18 {
						continue
					}
					zone[i] ^= 0x40
					if got := p.inspect(t, [][]byte{zone}, kind)[0]; got != 1 {
						t.Fatalf("kind %d, %d bytes from %d: %d changes found of byte %d", kind, n, start, got, i)
					}
					zone[i] ^= 0x40
				}
				for i := range mem { // what lies beside the zone is not looked at
					if i < start || i >= start+n {
						mem[i]++
					}
				}
				if got := p.inspect(t, [][]byte{zone}, kind)[0]; got != 0 {
					t.Fatalf("kind %d, %d bytes from %d: %d changes found beside them", kind, n, start, got)
				}
			}
		}
	}
}

// TestCopies: what is copied is all of what is hashed and nothing else, and the hash is that of its key's upper bits.
func TestCopies(t *testing.T) {
	p := harness(t)
	const most = 70001
	mem := memory(t, 2*device.Align(most)+256)
	from, to := mem[:most], mem[device.Align(most):]
	for i := range from {
		from[i] = byte(i*i>>3) + 1
	}
	for _, n := range []int{1, 7, 8, 12, 16, 24, 29, 65536, 65544, most} {
		clear(to)
		arg, _ := gpu.EncodeRegions(nil, []gpu.Region{{At: uint64(address(from)), Bytes: n, Kind: gpu.CopyKind,
			Key: device.Salt(5) | uint64(address(to))}})
		counters := memory(t, 8)
		p.call(t, "dw_inspect", aligned(arg), uint64(address(counters)))
		if got, want := binary.LittleEndian.Uint64(counters), hash(from[:n], device.Salt(5)); got != want {
			t.Errorf("hash of %d bytes: %x there, %x here", n, got, want)
		}
		if !bytes.Equal(to[:n], from[:n]) || bytes.Count(to[n:], []byte{0}) != len(to)-n {
			t.Errorf("%d bytes: the copy differs, or more was written", n)
		}
	}
}

// TestTurn: a launch that looks at one stretch and fills another finds in the first what dw_inspect does, and leaves in
// the other what dw_refill does, with as many threads a block as it has on a GPU.
func TestTurn(t *testing.T) {
	p := harness(t)
	const n = 150001
	looked, filled, alike, copied := memory(t, n), memory(t, n), memory(t, n), memory(t, n)
	for i := range looked {
		looked[i] = byte(i*i>>3) + 1
	}
	palette := memory(t, 4*check.PaletteSize)
	copy(palette, check.Truth{Value: []float64{1, -3, 700}}.Palette(kernels.FP32, rand.New(rand.NewPCG(1, 2))))
	fill := func(mem []byte) []byte {
		return aligned(gpu.EncodeRefills(nil, []gpu.Refilling{
			{At: uint64(address(mem)), Bytes: 70001, Key: 3, Palette: uint64(address(palette)), Size: 4, Low: 7},
			{At: uint64(address(mem[70016:])), Bytes: n - 70016, Key: 4, Size: 2}}))
	}
	arg, _ := gpu.EncodeRegions(nil, []gpu.Region{
		{At: uint64(address(looked)), Bytes: n, Key: 77, Kind: gpu.HashKind},
		{At: uint64(address(looked)), Bytes: n, Key: device.Salt(5) | uint64(address(copied)), Kind: gpu.CopyKind,
			Counter: 1},
		{At: uint64(address(looked[5:])), Bytes: 99999, Kind: gpu.ZeroKind, Counter: 2}})
	counters := memory(t, 24)
	w := &work{program: p}
	for _, m := range [][]byte{looked, filled, copied, palette} {
		w.add("memory", m, true)
	}
	l := newLaunch(p, kernels.Launch{Entry: "test_turn", Grid: [3]int{4, 1, 1}, Block: [3]int{1024, 1, 1},
		Cluster: [3]int{1, 1, 1}})
	regions, refills := aligned(arg), fill(filled)
	l.args = []uint64{uint64(address(regions)), uint64(address(counters)), uint64(address(refills))}
	if w.launches = []*launch{l}; w.do(runOptions{}) != nil {
		t.Fatal("test_turn fails")
	}
	runtime.KeepAlive([][]byte{regions, refills})
	p.call(t, "dw_refill", fill(alike))
	zeros := bytes.Count(looked[5:][:99999], []byte{0})
	for i, want := range []uint64{hash(looked, 77), hash(looked, device.Salt(5)), uint64(99999 - zeros)} {
		if got := binary.LittleEndian.Uint64(counters[8*i:]); got != want {
			t.Errorf("counter %d: %x, expected %x", i, got, want)
		}
	}
	if !bytes.Equal(copied, looked) || !bytes.Equal(filled, alike) || bytes.Count(filled[:70001], []byte{0}) > n/2 {
		t.Error("what was copied or filled is not what other launches make")
	}
}
