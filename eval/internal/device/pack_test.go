package device

import (
	"maps"
	"slices"
	"testing"

	"darwarp/kernels"
)

// cases with outputs of 256, 512 and 768 bytes in a slot.
func packed() []Case {
	var out []Case
	for _, n := range []int{1, 65, 129} {
		out = append(out, Case{Buffers: []kernels.Buffer{
			{Name: "x", DType: kernels.FP32, Shape: []int{1000}},
			{Name: "y", DType: kernels.FP32, Shape: []int{n}, Out: true},
		}})
	}
	return out
}

func TestPack(t *testing.T) {
	offsets, total := Pack(packed(), []int{2, 0, 2, 1})
	if want := []int{0, 768, 1024, 1792}; !slices.Equal(offsets, want) || total != 2304 {
		t.Errorf("outputs at %v of %d bytes, want %v of 2304", offsets, total, want)
	}
}

func TestPlaces(t *testing.T) {
	run := kernels.Call{Launches: []kernels.Launch{{Entry: "k"}}}
	p := Prepare{Cases: packed(), Slots: 2, SlotBytes: 1100}
	for _, c := range []struct {
		name  string
		calls []kernels.Call
		slot  int
		want  map[int]int // nil: refused
	}{
		{"all that fit", []kernels.Call{run, {}, run}, 1, map[int]int{0: 1100, 2: 1356}},
		{"none", nil, 0, map[int]int{}},
		{"too many", []kernels.Call{run, run, run}, 0, nil},
		{"no such slot", []kernels.Call{run}, 2, nil},
		{"no such case", []kernels.Call{run, run, run, run}, 0, nil},
	} {
		got, err := p.Places(&Gate{Calls: c.calls, Slot: c.slot})
		if (err == nil) != (c.want != nil) || err == nil && !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
}

// TestInputs holds that the inputs of cases lie apart in the input memory, however large they are.
func TestInputs(t *testing.T) {
	cases := packed()
	offsets, total := PackInputs(cases, []int{0, 2})
	memory := make([]byte, total)
	for k, i := range []int{0, 2} {
		parts, err := cases[i].Inputs(memory, offsets[k])
		if err != nil || len(parts) != 2 || len(parts[0]) != 4000 || parts[1] != nil {
			t.Fatalf("case %d: %d parts, %v", i, len(parts), err)
		}
		for j := range parts[0] {
			parts[0][j]++
		}
	}
	if at := slices.Index(memory, 2); at >= 0 {
		t.Errorf("two inputs share byte %d", at)
	}
	if _, err := cases[0].Inputs(memory, total-100); err == nil {
		t.Error("inputs beyond the end of the memory")
	}
}
