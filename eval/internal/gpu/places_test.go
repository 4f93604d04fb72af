package gpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"darwarp/eval/internal/device"
)

// biasOf is by how much a kernel's times are above its own in one duel, by the mean of the logarithms, and by how much
// the sides are apart in a pair of the first half and in the same one of the second.
func (f *faked) biasOf(t *testing.T, d *device.Duel) (mean, before, after float64) {
	t.Helper()
	got := f.ask(t, &device.Request{Duel: d}).(*device.DuelReply)
	if got.Fault != nil || len(got.A.Samples) != 20 || len(got.B.Samples) != 20 {
		t.Fatalf("%+v", got)
	}
	var logs []float64
	for i := range got.A.Samples {
		logs = append(logs, math.Log(got.B.Samples[i]/got.A.Samples[i]))
		mean += logs[i] / 20
	}
	return mean, logs[8], logs[18]
}

// TestPlacesCancel: where code, graphs and scratch lie costs 0.3 % a place, and so do the first launches after a load.
// Either side of a duel has had each place equally often in the end, whoever was loaded first and however what was
// given back is handed out again; so a kernel is as fast as itself, steady and fresh. In either half it is not.
func TestPlacesCancel(t *testing.T) {
	steady := device.Run{Workload: "w", Cases: []int{1, 2, 3}, Estimate: 10e3, Cache: "hot"}
	fresh := steady
	fresh.Fresh = 3
	for _, c := range []struct {
		run  device.Run
		last bool
	}{{steady, false}, {steady, true}, {fresh, false}, {fresh, true}} {
		f := newFaked(t)
		f.driver.Places(c.last, 30)
		d := &device.Duel{A: f.contender(t, "uses"), B: f.contender(t, "uses"), Run: c.run, Pairs: 20}
		firsts := map[bool]int{}
		for seed := range uint64(4) {
			f.rng = rand.New(rand.NewPCG(seed, 5))
			mean, before, after := f.biasOf(t, d)
			name := fmt.Sprintf("fresh %d, last %t, seed %d", c.run.Fresh, c.last, seed)
			if math.Abs(mean) > 1e-5 {
				t.Errorf("%s: %.3f %% slower than itself", name, 100*mean)
			}
			if math.Abs(before) < 0.002 || math.Abs(before+after) > 1e-5 {
				t.Errorf("%s: by places %.3f %% slower, then %.3f %%: the sides have not changed", name, 100*before, 100*after)
			}
			firsts[before > 0]++
		}
		if len(firsts) != 2 {
			t.Errorf("fresh %d: the same side is always loaded first", c.run.Fresh)
		}
	}
}

// TestPlacesOfUnequalScratch: sides that need more and less scratch have the same blocks in turn, and none is left over
// but the first of either.
func TestPlacesOfUnequalScratch(t *testing.T) {
	f := newFaked(t)
	run := device.Run{Workload: "w", Cases: []int{1, 2, 3}, Estimate: 10e3, Cache: "hot", Fresh: 2}
	a, b := f.contender(t, "uses"), f.contender(t, "uses")
	a.Calls[0].Scratch[0].Bytes, b.Calls[0].Scratch[0].Bytes = 64, 5<<20
	got := f.ask(t, &device.Request{Duel: &device.Duel{A: a, B: b, Run: run, Pairs: 20}}).(*device.DuelReply)
	if got.Fault != nil || got.A.Strays != nil || got.B.Strays != nil || len(got.B.Samples) != 20 {
		t.Fatalf("%+v", got)
	}
	for place := range 2 {
		if f.scratch[scratchKey{place: place, bytes: 8 << 20}] == nil {
			t.Errorf("no block for both at place %d", place)
		}
	}
	for key := range f.scratch {
		if key.set != 0 || key.bytes != 8<<20 {
			t.Errorf("left over: %+v", key)
		}
	}
	huge := device.Contender{Calls: f.contender(t, "uses").Calls}
	huge.Calls[0].Scratch[0].Bytes = 40 << 30
	if at := seatOf(0, &device.Duel{A: huge}); at.scratch > largeScratch {
		t.Errorf("%d bytes for the side that needs few", at.scratch)
	}
}

// TestScratchOfSetsLeftOut: scratch that is clear before a first call is so for sets, too, that no sample has been of
// yet, whoever had its block before. It was found to be left uncleared by whoever came first.
func TestScratchOfSetsLeftOut(t *testing.T) {
	f := newFaked(t)
	run := device.Run{Workload: "w", Cases: []int{1, 2, 3}, Estimate: 10e3, Cache: "hot", Fresh: 2}
	d := &device.Duel{A: f.contender(t, "uses"), B: f.contender(t, "uses"), Run: run, Pairs: 2}
	for seed := range uint64(6) {
		f.rng = rand.New(rand.NewPCG(seed, 5))
		got := f.ask(t, &device.Request{Duel: d}).(*device.DuelReply)
		if got.Fault != nil || got.A.Strays != nil || got.B.Strays != nil || len(got.A.Samples) != 2 {
			t.Errorf("seed %d: %+v, %+v, %+v", seed, got.Fault, got.A.Strays, got.B.Strays)
		}
	}
}
