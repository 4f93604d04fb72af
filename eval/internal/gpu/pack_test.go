package gpu

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/cuda/cudatest"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// withWeights is a session whose cases have weights w beside the input x.
func withWeights(t *testing.T) *faked {
	t.Helper()
	f := &faked{driver: cudatest.New(t)}
	cases := fakedCases()
	for i := range cases {
		w := kernels.Buffer{Name: "w", DType: kernels.FP32, Shape: []int{elems}, Weights: true}
		cases[i].Buffers = slices.Insert(cases[i].Buffers, 1, w)
	}
	prep := &device.Prepare{Cases: cases, Slots: 2, SlotBytes: 16 * cases[0].OutBytes(), GuardKey: 7}
	out, err := proc.NewShared("outputs", int64(prep.Slots*prep.SlotBytes))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	f.out = out.Map()
	f.Session = NewSession(device.Files{Out: out.File()})
	f.watched = true // its images are no machine code
	f.rng = rand.New(rand.NewPCG(1, 2))
	f.ask(t, &device.Request{Open: &device.Open{Driver: f.driver.Path, Harness: []byte("harness")}})
	f.ask(t, &device.Request{Prepare: prep})
	return f
}

// packedCall has one of the driver's candidates move the numbers of a tensor to a buffer beforehand, and another one
// from there to y.
func packedCall(prepare, from, kernel string) kernels.Call {
	move := func(entry string, from, to kernels.Arg) []kernels.Launch {
		one := [3]int{1, 1, 1}
		return []kernels.Launch{{Entry: entry, Grid: one, Block: one, Cluster: one,
			Args: []kernels.Arg{from, to, {Kind: "i32", Int: 4 * elems}}}}
	}
	y, packed := kernels.Arg{Kind: "tensor", Name: "y"}, kernels.Arg{Kind: "scratch", Name: "p"}
	source := kernels.Arg{Kind: "tensor", Name: from}
	if prepare == "" {
		return kernels.Call{Launches: move(kernel, source, y)}
	}
	return kernels.Call{Launches: move(kernel, packed, y), Prepare: move(prepare, source, packed),
		Packed: []kernels.Scratch{{Name: "p", Bytes: 4 * elems}}}
}

// TestPackedGate: what is prepared is the weights' alone, a call leaves it as it is, and whoever comes next finds its
// inputs as they were.
func TestPackedGate(t *testing.T) {
	f := withWeights(t)
	for _, c := range []struct {
		prepare, from, kernel string
		why                   string
		same                  bool // the outputs are what was packed
	}{
		{"pack", "w", "copy", "", true},
		{"pack", "x", "copy", "", false},
		{"", "x", "copy", "", true},
		{"pack", "w", "mutates", "check: a call changed what was prepared, which calls only read", true},
		{"mutates", "w", "copy", "check: wrote to its input w", true},
		{"strays", "w", "copy", "check: wrote 1 bytes outside of its buffers", true},
		{"", "w", "copy", "", true},
	} {
		call := packedCall(c.prepare, c.from, c.kernel)
		got := f.ask(t, &device.Request{Gate: &device.Gate{Cubin: []byte("k"),
			Calls: slices.Repeat([]kernels.Call{call}, 4)}}).(*device.GateReply)
		why := ""
		if got.Strays != nil {
			why = got.Strays.Why()
		}
		why, _, _ = strings.Cut(why, " (") // how many more there are
		if got.Fault != nil || why != c.why {
			t.Errorf("%v: %q; %+v", c, why, got)
		}
		if one := got.Cases[3]; !about(one.Nanos, 10e3) || (c.prepare != "") != about(one.Prepared, 10e3) {
			t.Errorf("%v: a call of %g ns, prepared in %g", c, one.Nanos, one.Prepared)
		}
		for k := range 4 {
			y := f.out[k*f.prep.Cases[k].OutBytes():][:4*elems]
			if c.prepare != "mutates" && bytes.Equal(y, f.filled(k, c.from)) != c.same {
				t.Errorf("%v, case %d: y is what %s holds: %t", c, k, c.from, !c.same)
			}
		}
	}
}

// TestCarefulGateNamesPreparing: who never ends while it packs is told so, and not that its calls do not end.
func TestCarefulGateNamesPreparing(t *testing.T) {
	f := withWeights(t)
	for _, c := range []struct {
		prepare string
		want    []string
	}{
		{"", []string{"gate check", "gate check"}},
		{"pack", []string{"prepare check", "gate check", "prepare check", "gate check"}},
	} {
		f.phases = nil
		f.ask(t, &device.Request{Gate: &device.Gate{Cubin: []byte("k"), Careful: true,
			Calls: []kernels.Call{packedCall(c.prepare, "w", "copy")}}})
		got := slices.DeleteFunc(f.phases, func(p string) bool { return !strings.HasSuffix(p, " check") })
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, expected %q", c.prepare, got, c.want)
		}
	}
}

// filled is what the driver's harness fills an input of a case with.
func (f *faked) filled(i int, name string) []byte {
	tensor := map[string]int{"x": 0, "w": 1}[name]
	x := make([]byte, 4*elems)
	for j := range x {
		x[j] = byte(31*int(f.prep.Cases[i].Seed) + 7*tensor + j)
	}
	return x
}

// TestPackedTimes: samples are of calls alone, each on weights that were packed for it, and the other side of a duel is
// not disturbed by what the preparing must not see.
func TestPackedTimes(t *testing.T) {
	f := withWeights(t)
	packed, natural := packedCall("pack", "w", "copy"), packedCall("", "w", "copy")
	gate := f.ask(t, &device.Request{Gate: &device.Gate{Cubin: []byte("k"),
		Calls: slices.Repeat([]kernels.Call{natural}, 4)}}).(*device.GateReply)
	contender := func(call kernels.Call) device.Contender {
		c := device.Contender{Cubin: []byte("k"), Calls: []kernels.Call{call}, Expect: [][]uint64{nil}}
		for _, r := range gate.Cases[1:4] {
			c.Expect[0] = append(c.Expect[0], r.Hash)
		}
		return c
	}
	for _, cache := range []string{"hot", "cold"} {
		run := device.Run{Workload: "w", Cases: []int{1, 2, 3}, Estimate: 10e3, Cache: cache}
		got := f.ask(t, &device.Request{Time: &device.Time{Contender: contender(packed),
			Runs: []device.Run{run}}}).(*device.TimeReply)
		if r := got.Runs[0]; got.Strays != nil || r.Wrong > 0 || r.Checked == 0 || !about(r.Samples[0], 10e3) {
			t.Errorf("%s: %+v, strays %+v", cache, r, got.Strays)
		}
	}
	bad := contender(packedCall("pack", "w", "mutates"))
	run := device.Run{Workload: "w", Cases: []int{1, 2, 3}, Estimate: 10e3, Cache: "hot"}
	got := f.ask(t, &device.Request{Time: &device.Time{Contender: bad, Runs: []device.Run{run}}}).(*device.TimeReply)
	if got.Strays == nil || !got.Strays.Repacked {
		t.Errorf("a call that changes what it was given: %+v", got.Strays)
	}
	for _, fresh := range []int{0, 2} {
		for _, unseen := range []bool{false, fresh > 0} {
			run.Fresh, run.Unseen = fresh, unseen
			for side, pair := range [][2]kernels.Call{{packed, natural}, {natural, packed}, {packed, packed}} {
				d := &device.Duel{A: contender(pair[0]), B: contender(pair[1]), Run: run, Pairs: 6}
				got := f.ask(t, &device.Request{Duel: d}).(*device.DuelReply)
				if got.Fault != nil || got.A.Strays != nil || got.B.Strays != nil || got.A.Wrong+got.B.Wrong > 0 ||
					len(got.A.Samples) != 6 || !about(got.A.Samples[0], 10e3) || !about(got.B.Samples[5], 10e3) {
					t.Errorf("fresh %d, unseen %t, %d: %+v", fresh, unseen, side, got)
				}
			}
		}
	}
	d := &device.Duel{A: contender(natural), B: bad, Run: run, Pairs: 6}
	if got := f.ask(t, &device.Request{Duel: d}).(*device.DuelReply); got.A.Strays != nil || got.B.Strays == nil ||
		!got.B.Strays.Repacked {
		t.Errorf("fresh: %+v and %+v", got.A.Strays, got.B.Strays)
	}
}

// TestCountersSuffice: the runs of one request need no more counters than there are, whatever a plan declares.
func TestCountersSuffice(t *testing.T) {
	f := withWeights(t)
	call := packedCall("pack", "w", "copy")
	for _, name := range []string{"a", "b", "c", "d"} {
		call.Scratch = append(call.Scratch, kernels.Scratch{Name: name, Bytes: 4, Once: true})
	}
	counted := func(runs int) int {
		f.ask(t, &device.Request{Disturb: &device.Disturb{Cubin: []byte("k"), Calls: slices.Repeat([]kernels.Call{call}, 4),
			Cases: slices.Repeat([]int{1}, runs), Expect: make([]uint64, 5)}})
		return f.Session.counted
	}
	const variables = 1 // of a program, which is none here
	one, two := counted(1), counted(2)
	if most := one + (two-one+variables)*device.MostDisturbed; two == one || most > maxCounters*3/4 {
		t.Errorf("%d runs need %d counters of %d", device.MostDisturbed, most, maxCounters)
	}
}
