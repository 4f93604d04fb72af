package gpu

import (
	"bytes"
	"slices"
	"testing"

	"darwarp/eval/internal/device"
)

// TestFakedUnwritten: what a candidate leaves unwritten is wild in the outputs that are judged, in whatever order its
// two runs come.
func TestFakedUnwritten(t *testing.T) {
	f := newFaked(t)
	calls := fakedCalls("copy")
	for i := range calls {
		calls[i].Launches = slices.Clone(calls[i].Launches)
		calls[i].Launches[0].Args = slices.Clone(calls[i].Launches[0].Args)
		calls[i].Launches[0].Args[2].Int -= 64
	}
	for range 4 {
		clear(f.out)
		got := f.ask(t, &device.Request{Gate: &device.Gate{Cubin: []byte("k"), Calls: calls, Slot: 1}}).(*device.GateReply)
		for i := range calls {
			end := f.prep.SlotBytes + i*f.prep.Cases[i].OutBytes() + 4*elems
			plausible := bytes.Repeat([]byte{1}, 64)
			if left := f.out[end-64 : end]; bytes.Equal(left, plausible) || bytes.Equal(left, make([]byte, 64)) {
				t.Errorf("case %d: what it left unwritten begins with %d in the outputs that are judged", i, left[0])
			}
			if got.Cases[i].Same {
				t.Errorf("case %d: the same after both runs", i)
			}
		}
	}
}
