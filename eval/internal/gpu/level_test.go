package gpu

import (
	"fmt"
	"slices"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// TestRepeatsAreLevel: a repeat of an honest kernel takes as long as its fresh calls, though what these read was packed
// or made just before, and is nearer to whoever reads it again; one that finds what it has left does not.
func TestRepeatsAreLevel(t *testing.T) {
	f := withWeights(t)
	expect := f.ask(t, &device.Request{Gate: &device.Gate{Cubin: []byte("k"),
		Calls: slices.Repeat([]kernels.Call{packedCall("", "w", "copy")}, 4)}}).(*device.GateReply)
	for _, c := range []struct {
		prepare, kernel string
		want            float64
	}{
		{"", "near", 1},
		{"pack", "near", 1},
		{"", "keeps", 0.1},
		{"pack", "keeps", 0.1},
	} {
		for _, unseen := range []bool{false, true} {
			side := device.Contender{Cubin: []byte("k"), Calls: []kernels.Call{packedCall(c.prepare, "w", c.kernel)},
				Expect: [][]uint64{nil}}
			for _, r := range expect.Cases[1:4] {
				side.Expect[0] = append(side.Expect[0], r.Hash)
			}
			d := &device.Duel{A: side, B: side, Pairs: 6, Run: device.Run{Workload: "w", Cases: []int{1, 2, 3},
				Estimate: 10e3, Cache: "hot", Fresh: 3, Unseen: unseen}}
			got := f.ask(t, &device.Request{Duel: d}).(*device.DuelReply)
			name := fmt.Sprintf("%q, %s, unseen %t", c.prepare, c.kernel, unseen)
			if got.Fault != nil || got.A.Strays != nil || got.B.Strays != nil || got.A.Wrong+got.B.Wrong > 0 {
				t.Fatalf("%s: %+v", name, got)
			}
			for _, ratio := range slices.Concat(got.A.Repeat, got.B.Repeat) {
				if !about(ratio, c.want) {
					t.Errorf("%s: a repeat takes %g of the fresh time, expected %g", name, ratio, c.want)
				}
			}
			if len(got.A.Repeat) != 6 || len(got.B.Repeat) != 6 {
				t.Errorf("%s: %d and %d repeats", name, len(got.A.Repeat), len(got.B.Repeat))
			}
		}
	}
}

// TestRewritesWhatFits: only what L2 holds is written again, and only where something comes anew before the first
// replay.
func TestRewritesWhatFits(t *testing.T) {
	s := &Session{}
	s.dev.L2Bytes = 3 * 4096
	of := func(weights bool) device.Case {
		return device.Case{Buffers: []kernels.Buffer{{DType: kernels.FP32, Shape: []int{1024}, Weights: weights}}}
	}
	for _, c := range []struct {
		weights, unseen bool
		sets            int
		want            bool
	}{
		{false, false, 2, false},
		{false, true, 2, true},
		{true, false, 2, true},
		{true, true, 3, true},
		{true, true, 4, false},
	} {
		s.prep.Cases = slices.Repeat([]device.Case{of(c.weights)}, 4)
		m := &fresh{timed: timed{s: s, run: device.Run{Cases: []int{0, 1, 2, 3}, Unseen: c.unseen}}}
		if got := m.rewrites([]int{0, 1, 2, 3}[:c.sets]); got != c.want {
			t.Errorf("%+v: written again %t", c, got)
		}
	}
}
