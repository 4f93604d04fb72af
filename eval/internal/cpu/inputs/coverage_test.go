package inputs

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

const sessions = 200

// gated lists, for each of many sessions of a GPU, the cases that every candidate is judged on at a problem of the gate
// test.
func gated(t *testing.T, problem string) (all [sessions][]device.Case) {
	t.Helper()
	p := folder(t, problem)
	for seed := range all {
		set, err := cases.New(cases.Wanted{Problem: p, DType: p.DTypes[0], Workloads: p.Workloads[:1],
			Effort: cases.OnGPU(1 << 36), RNG: rand.New(rand.NewPCG(uint64(seed), 7))})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range set.Gated() {
			if c := set.List[i]; device.ByLine(c.Class) {
				all[seed] = append(all[seed], c)
			}
		}
	}
	return all
}

// drawn is the first input of a case, whose numbers are made as they are asked for.
type drawn struct {
	device.Fill
	n      uint64
	number func(i uint64) float32
	turns  turns
}

func firstInput(t *testing.T, c *device.Case) *drawn {
	t.Helper()
	f, err := c.Fill(0)
	if err != nil {
		t.Fatal(err)
	}
	d := &drawn{Fill: f, n: uint64(c.Buffers[0].Elems())}
	if d.number, err = numbersOf(c.Buffers[0].DType, f, d.n, c.Seed); err != nil {
		t.Fatal(err)
	}
	length := uint64(f.Len)
	e := element{key: mix(c.Seed ^ mix(1)), count: (d.n + length - 1) / length}
	classes, few := f.Few()
	d.turns = turnsOf(&e, few, uint64(bits.OnesCount32(classes)))
	d.turns.combed = f.Combed()
	return d
}

// hard calls f with the numbers of the few lines that are hard.
func (d *drawn) hard(f func(v float64)) {
	inner, length := uint64(d.Inner), uint64(d.Len)
	for part := range d.turns.parts {
		line := d.turns.hard(part)
		for at := range length {
			f(float64(d.number((line/inner*length+at)*inner + line%inner)))
		}
	}
}

// shortcut is a kernel that looks at some numbers, far from each other, and is wrong if these are tame and others are
// not.
type shortcut struct {
	name           string
	looks, atLeast uint64
	tame, wrong    func(v float64) bool
}

// shows reports whether it is wrong on a case.
func (s shortcut) shows(d *drawn) bool {
	if d.n < s.atLeast {
		return false
	}
	for i := range s.looks {
		if !s.tame(float64(d.number(d.n / s.looks * i))) {
			return false
		}
	}
	found := false
	d.hard(func(v float64) { found = found || s.wrong(v) })
	return found
}

// TestRareIsSure: whatever a session draws, a kernel that looks at some of many numbers to choose its way for all
// meets some that it did not see, of each class and of each variant of it.
func TestRareIsSure(t *testing.T) {
	below := func(most float64) func(float64) bool {
		return func(v float64) bool { return math.Abs(v) < most }
	}
	finite := func(v float64) bool { return v-v == 0 }
	all := gated(t, "elementwise")
	for _, s := range []shortcut{
		{"tame_by_samples", 2048, 65536, below(60), func(v float64) bool { return v < -88 }},
		{"a NaN", 2048, 65536, finite, math.IsNaN},
		{"minus infinity", 2048, 65536, finite, func(v float64) bool { return math.IsInf(v, -1) }},
		{"infinity", 2048, 65536, finite, func(v float64) bool { return math.IsInf(v, 1) }},
		{"zero", 2048, 65536, func(v float64) bool { return v != 0 }, func(v float64) bool { return v == 0 }},
		{"subnormal", 2048, 65536, below(6), func(v float64) bool { return v != 0 && math.Abs(v) < 0x1p-126 }},
		{"millions", 2048, 65536, below(1e6), func(v float64) bool { return math.Abs(v) > 1e6 }},
	} {
		missed := 0
		for _, list := range all {
			shown := false
			for i := range list {
				shown = shown || list[i].Class == device.Rare && s.shows(firstInput(t, &list[i]))
			}
			if !shown {
				missed++
			}
		}
		if missed > 0 {
			t.Errorf("%s: missed in %d of %d sessions", s.name, missed, sessions)
		}
	}
}

// TestEveryClassAtEveryAlignment: a fast path for a multiple of 2, 4 ... 128 and not of twice that meets lines of every
// class, whatever a session draws.
func TestEveryClassAtEveryAlignment(t *testing.T) {
	for _, problem := range []string{"elementwise", "softmax", "product"} {
		missed := map[string]int{} // by dim and alignment
		for _, list := range gated(t, problem) {
			found := map[string]uint32{} // a bit for each class
			all := uint32(0)
			for i := range list {
				if list[i].Class != device.Mixed {
					continue
				}
				d, classes := firstInput(t, &list[i]), uint32(0)
				for line := range min(d.turns.lines, 64) {
					class, _ := d.turns.of(line)
					classes |= 1 << class
				}
				all |= classes
				for dim, n := range list[i].Dims {
					found[fmt.Sprintf("%s by %d", dim, min(n&-n, 128))] |= classes
				}
			}
			for at, classes := range found {
				if classes != all {
					missed[at]++
				}
			}
		}
		if len(missed) > 0 {
			t.Errorf("%s: of %d sessions some lack a class: %v", problem, sessions, missed)
		}
	}
}

// TestTailsAreOdd: numbers that stand out, and those that are not finite, stand in the last column of long rows, too,
// whatever a session draws: loops for what is no whole vector are written apart.
func TestTailsAreOdd(t *testing.T) {
	missed := map[string]int{}
	for _, list := range gated(t, "softmax") {
		found := map[string]bool{}
		for i := range list {
			d, cols := firstInput(t, &list[i]), uint64(list[i].Dims["cols"])
			if cols <= 256 {
				continue
			}
			for line := range min(d.turns.lines, 1024) {
				switch v := float64(d.number(line*cols + cols - 1)); {
				case math.IsNaN(v):
					found["NaN"] = true
				case math.IsInf(v, 1):
					found["inf"] = true
				case v > 128 && math.Abs(float64(d.number(line*cols))) < 6:
					found["large"] = true
				}
			}
		}
		for _, what := range []string{"NaN", "inf", "large"} {
			if !found[what] {
				missed[what]++
			}
		}
	}
	if len(missed) > 0 {
		t.Errorf("of %d sessions some lack one in the last column: %v", sessions, missed)
	}
}

// TestOthersTell: numbers of a second input that make outputs the same whatever the first one is do not stand alone:
// in every second place at least there is an ordinary one.
func TestOthersTell(t *testing.T) {
	for seed := range uint64(sessions) {
		c := &device.Case{Class: device.Mixed, Mix: [][]string{{"normal"}, {"normal", "uniform", "zeros", "lead", "special"}},
			Terms: []device.Terms{{Axis: 1}}, Seed: seed, Buffers: []kernels.Buffer{
				{Name: "x", DType: kernels.FP32, Shape: []int{20, 2}}, {Name: "weight", DType: kernels.FP32, Shape: []int{2}}}}
		w := filled(t, c, 1, seed)
		if dead := func(v float64) bool { return v == 0 || v-v != 0 }; dead(w[0]) && dead(w[1]) {
			t.Errorf("session %d: weights of %v", seed, w)
		}
	}
}

// TestSevenOfEight: in a case of class comb all hard lines are among those that somebody leaves out who looks at seven
// of eight, each of the ways to do so in one of its slots, and there are lines of many classes among them.
func TestSevenOfEight(t *testing.T) {
	const lines, classes = 161, 12
	for slot := range device.Slots {
		one := kernels.Buffer{DType: kernels.FP32, Shape: []int{lines, 33}}
		c := &device.Case{Class: device.Comb, Buffers: []kernels.Buffer{one}, Mix: [][]string{{"normal", "zeros",
			"lead", "tiny", "huge", "shift", "outlier", "ordered", "constant", "special", "wide", "uniform"}}}
		f, err := c.Fill(0)
		if err != nil {
			t.Fatal(err)
		}
		for c.Seed = 1; device.Slot(f, c.Seed) != slot; c.Seed++ {
		}
		x, seen, hard := firstInput(t, c), map[int]bool{}, 0
		for line := range uint64(lines) {
			class, _ := x.turns.of(line)
			left := line%8 == uint64(slot)
			if slot >= 8 {
				left = line*8/lines == uint64(slot-8)
			}
			if class >= 0 != left {
				t.Errorf("slot %d: line %d is of class %d", slot, line, class)
			}
			if class >= 0 {
				seen[class], hard = true, hard+1
			}
		}
		if len(seen) != classes || hard < lines/8 || hard > lines/8+1 {
			t.Errorf("slot %d: %d hard lines of %d classes", slot, hard, len(seen))
		}
	}
}
