package gpu

import (
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// TestFewLaunches: what a run finds is made by one launch: outputs and scratch are filled and the multiprocessors'
// memory overwritten, before the kernel and after the look at the run before it.
func TestFewLaunches(t *testing.T) {
	f := newFaked(t)
	f.gated(t, "leaves") // makes what is kept
	f.driver.Log()
	f.gated(t, "leaves")
	var run []string
	for _, name := range f.launched() {
		// scratch is laid out anew for each case, and its guards are painted
		if name == "leaves" || strings.HasPrefix(name, "dw_") && name != "dw_guard" {
			run = append(run, name)
		}
	}
	once := []string{"dw_poison", "leaves", "dw_inspect"}
	if want := slices.Repeat(once, 2*4); len(run) < len(want) || !slices.Equal(run[:len(want)], want) {
		t.Errorf("launched %v", run)
	}
}

// launched is what the driver was asked for since the last time, without numbers.
func (f *faked) launched() (names []string) {
	for _, line := range f.driver.Log() {
		names = append(names, line[:max(0, strings.LastIndex(line, "_"))])
	}
	return names
}

// TestFilledOnTheWay: what is large, or too much for one launch, has launches of its own, and the poison comes after
// them; all of it is filled.
func TestFilledOnTheWay(t *testing.T) {
	for _, c := range []struct {
		name  string
		sizes []int
		want  []string
	}{
		{"nothing", nil, []string{"dw_poison"}},
		{"small", []int{100, 200}, []string{"dw_poison"}},
		{"as many as a launch has", slices.Repeat([]int{16}, refillsPerLaunch), []string{"dw_poison"}},
		{"one more", slices.Repeat([]int{16}, refillsPerLaunch+1), []string{"dw_refill", "dw_refill", "dw_poison"}},
		{"large", []int{16, fewBytes}, []string{"dw_refill", "dw_poison"}},
	} {
		f := newFaked(t)
		var list []Refilling
		var blocks []*block
		for i, n := range c.sizes {
			b, err := f.mem.take(n, true)
			if err != nil {
				t.Fatal(err)
			}
			blocks = append(blocks, b)
			if err := f.drv.Memset8(b.at, 1, uint64(n), f.stream); err != nil {
				t.Fatal(err)
			}
			r := f.refilling(b.at, n, device.Wild, 0, kernels.FP32)
			if i%2 == 0 {
				r = Refilling{At: uint64(b.at), Bytes: n} // zeros
			}
			list = append(list, r)
		}
		f.driver.Log()
		if err := f.poisonShared(nil, list...); err != nil {
			t.Fatal(err)
		}
		if got := f.launched(); !slices.Equal(got, c.want) {
			t.Errorf("%s: launched %v, expected %v", c.name, got, c.want)
		}
		for i, b := range blocks {
			data := make([]byte, c.sizes[i])
			if err := f.drv.DtoH(data, b.at); err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 && slices.Max(data) > 0 || i%2 == 1 && slices.Equal(data, slices.Repeat([]byte{1}, len(data))) {
				t.Errorf("%s: stretch %d was not filled", c.name, i)
			}
		}
	}
}
