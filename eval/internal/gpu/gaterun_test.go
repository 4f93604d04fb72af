package gpu

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/cuda/cudatest"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// smallCases are so many cases that are not scored, of a size each, and two sets of a workload.
func smallCases(n int) (list []device.Case) {
	for i := range n + 2 {
		c := device.Case{Name: fmt.Sprint("case ", i), Class: "normal", Seed: uint64(i + 1),
			Dims: kernels.Dims{"n": elems, "i": i}}
		if i >= n {
			c.Workload, c.Dims = "w", kernels.Dims{"n": elems}
		}
		for _, name := range []string{"x", "y"} {
			c.Buffers = append(c.Buffers,
				kernels.Buffer{Name: name, DType: kernels.FP32, Shape: []int{elems}, Out: name == "y"})
		}
		list = append(list, c)
	}
	return list
}

func (f *faked) gate(t *testing.T, kernel string, careful bool) *device.GateReply {
	t.Helper()
	calls := slices.Repeat([]kernels.Call{fakedCall(kernel)}, len(f.prep.Cases))
	return f.ask(t, &device.Request{Gate: &device.Gate{Cubin: []byte("k"), Calls: calls, Slot: 1,
		Careful: careful}}).(*device.GateReply)
}

// TestTurns: a run of a small case has one launch of ours before it, which looks at what the run before has left, where
// that of a careful gate has one after it as well. What either finds is the same.
func TestTurns(t *testing.T) {
	const small = 7
	f := newFakedOn(t, cudatest.New(t), smallCases(small))
	for _, kernel := range []string{"copy", "strays", "mutates", "leaves"} {
		want := f.gate(t, kernel, true)
		outputs := slices.Clone(f.out)
		clear(f.out)
		f.driver.Log()
		got := f.gate(t, kernel, false)
		count := map[string]int{}
		for _, name := range f.launched() {
			count[name]++
		}
		for i := range got.Cases {
			got.Cases[i].Nanos, want.Cases[i].Nanos = 0, 0
			if kernel == "mutates" { // its hash depends on which run came first
				got.Cases[i].Hash = want.Cases[i].Hash
			}
		}
		if !reflect.DeepEqual(got.Cases, want.Cases) || !reflect.DeepEqual(got.Strays, want.Strays) ||
			(got.Strays == nil) != (kernel == "copy") || kernel != "mutates" && !bytes.Equal(outputs, f.out) {
			t.Errorf("%s: %+v %+v, one case after the other %+v %+v", kernel, got.Cases, got.Strays, want.Cases, want.Strays)
		}
		// The seventh has nobody to take turns with: its runs are looked at one by one, and so are those of the sets.
		turns, looks := 2*(small-1), 2*2+2+1
		if kernel == "leaves" { // scratch is every run's
			turns, looks = 0, 2*(small+2)+1
		}
		if count[kernel] != 2*(small+2) || count["dw_turn"] != turns || count["dw_turn"]+count["dw_poison"] != 2*(small+2) ||
			count["dw_inspect"] < looks || count["dw_inspect"] > looks+1 {
			t.Errorf("%s: launched %v, expected %d turns and %d looks", kernel, count, turns, looks)
		}
	}
}

// TestTurnsTellRuns: an output that is wrong in one run is told of its case, whichever run that was: by bits that
// differ between the two, or by what lies in the slot.
func TestTurnsTellRuns(t *testing.T) {
	const small = 5
	f := newFakedOn(t, cudatest.New(t), smallCases(small))
	right := f.gate(t, "copy", false)
	order := []int{0, 1, 0, 1, 2, 3, 2, 3, 4, 4, 5, 5, 6, 6} // cases, run by run
	for bad := range order {
		f.driver.BadEvery(bad + 1)
		got := f.gate(t, "errs", false)
		for i := range got.Cases {
			wrong := 0
			for k, c := range order {
				if c == i && (k+1)%(bad+1) == 0 {
					wrong++
				}
			}
			if got.Cases[i].Same != (wrong != 1) || wrong == 2 && got.Cases[i].Hash == right.Cases[i].Hash ||
				wrong == 0 && got.Cases[i].Hash != right.Cases[i].Hash {
				t.Errorf("every run number %d is wrong: %s, %d of them: %+v", bad+1, f.prep.Cases[i].Name, wrong, got.Cases[i])
			}
		}
	}
}

// TestTurnNames: a fault is told with the case that brought it.
func TestTurnNames(t *testing.T) {
	f := newFakedOn(t, cudatest.New(t), smallCases(4))
	calls := slices.Repeat([]kernels.Call{fakedCall("copy")}, len(f.prep.Cases))
	calls[1].Launches = slices.Clone(calls[1].Launches)
	calls[1].Launches[0].Args = append(slices.Clone(calls[1].Launches[0].Args), kernels.Arg{Kind: "tensor", Name: "none"})
	_, err := f.Handle(&device.Request{Gate: &device.Gate{Cubin: []byte("k"), Calls: calls}}, func(string) {})
	if err == nil || !strings.Contains(err.Error(), "case 1: argument none") {
		t.Errorf("%v", err)
	}
}

// TestPoisonAfter: what is filled is looked at before, whatever is filled; in one launch where both are little and
// nothing is filled that is looked at.
func TestPoisonAfter(t *testing.T) {
	f := newFaked(t)
	turn, apart := []string{"dw_turn"}, []string{"dw_inspect", "dw_poison"}
	for _, c := range []struct {
		name            string
		looked, regions int
		filled          []int // offset, bytes
		want            []string
	}{
		{"nothing to look at", 0, 0, []int{0, 64}, []string{"dw_poison"}},
		{"side by side", 4096, 1, []int{4096, 4096}, turn},
		{"nothing to fill", 4096, 1, []int{0, 0}, turn},
		{"the same", 4096, 1, []int{0, 4096}, apart},
		{"its last bytes", 4096, 1, []int{4080, 64}, apart},
		{"within it", 4096, 1, []int{1024, 16}, apart},
		{"around it", 4096, 1, []int{0, 1 << 16}, apart},
		{"too many", 4096, regionsPerLaunch + 1, []int{4096, 16}, []string{"dw_inspect", "dw_inspect", "dw_poison"}},
		{"too much to look at", fewBytes + 16, 1, []int{fewBytes + 16, 16}, apart},
		{"too much to fill", 4096, 1, []int{4096, fewBytes + 16}, []string{"dw_inspect", "dw_refill", "dw_poison"}},
	} {
		f.after(t, c.name, c.looked, c.regions, c.filled, c.want)
	}
}

// after has some memory full of sevens looked at so many times, and a part of it cleared.
func (f *faked) after(t *testing.T, name string, looked, regions int, filled []int, want []string) {
	t.Helper()
	b, err := f.mem.take(3*fewBytes, true)
	if err == nil {
		err = f.drv.Memset8(b.at, 7, uint64(b.bytes), f.stream)
	}
	if err == nil {
		err = f.clearCounters()
	}
	if err != nil {
		t.Fatal(err)
	}
	var due *inspection
	if regions > 0 {
		due = f.newInspection()
		at := due.note(note{arena: &arena{}})
		due.add(HashKind, at, 5, slices.Repeat([]zone{{b.at, looked}}, regions)...)
		if err := f.count(due); err != nil {
			t.Fatal(err)
		}
	}
	zeros := Refilling{At: uint64(b.at) + uint64(filled[0]), Bytes: filled[1]}
	f.driver.Log()
	if err := f.poisonAfter(due, nil, zeros); err != nil {
		t.Fatal(err)
	}
	if got := f.launched(); !slices.Equal(got, want) {
		t.Errorf("%s: launched %v, expected %v", name, got, want)
	}
	data := make([]byte, b.bytes)
	if err := f.drv.DtoH(data, b.at); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte{0}); n != filled[1] {
		t.Errorf("%s: %d bytes were filled", name, n)
	}
	if due == nil {
		return
	}
	got, err := f.readCounters(f.counted)
	if want := uint64(regions) * sevens(looked); err != nil || got[counterFirst] != want {
		t.Errorf("%s: hash %x, expected %x (%v)", name, got[counterFirst], want, err)
	}
}

// sevens is what the driver of tests makes of the hash of so many sevens.
func sevens(n int) (sum uint64) {
	for k := range n {
		sum += (5 + uint64(k) + 1) * 0x9e3779b97f4a7c15 * 8
	}
	return sum
}
