package device

import (
	"testing"

	"darwarp/kernels"
)

// TestStays: scratch may stay as another case's run has left it that had as much, and never as the same case's.
func TestStays(t *testing.T) {
	of := func(bytes int) kernels.Call { return kernels.Call{Scratch: []kernels.Scratch{{Bytes: bytes}}} }
	d := &Disturb{Calls: []kernels.Call{of(8), of(8), of(16)}, Cases: []int{0, 1, 1, 2, 0, 1}}
	for k, want := range []bool{false, true, false, false, false, true} {
		if d.Stays(k) != want {
			t.Errorf("run %d of %v: stays %v", k, d.Cases, !want)
		}
	}
	list := []kernels.Scratch{{Bytes: 8}, {Bytes: 8, Once: true}}
	if got := Staying(list); got[0].Bytes != 0 || got[1].Bytes != 8 || list[0].Bytes != 8 {
		t.Errorf("%+v of %+v", got, list)
	}
}
