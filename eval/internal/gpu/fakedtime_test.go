package gpu

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/device"
)

// about is what events and stamps that are rounded can tell.
func about(got, want float64) bool { return math.Abs(got-want) < 0.001*want }

// TestFakedTime: samples of a candidate on all its sets, with outputs that are compared, hot and cold, alone and
// recorded.
func TestFakedTime(t *testing.T) {
	f := newFaked(t)
	hot := device.Run{Workload: "w", Cases: []int{1, 2, 3}, Estimate: 10e3, Cache: "hot"}
	cold := hot
	cold.Cache = "cold"
	for _, c := range []struct {
		name    string
		kernel  string
		req     device.Time
		samples int
		calls   int
		wrong   bool
		strays  bool
	}{
		{"hot", "copy", device.Time{Runs: []device.Run{hot}}, 15, 21, false, false},
		{"for publication", "copy", device.Time{Runs: []device.Run{hot}, Final: true}, 60, 21, false, false},
		{"cold", "copy", device.Time{Runs: []device.Run{cold}}, 15, 64, false, false},
		{"so many, single ones and outputs", "copy", device.Time{Runs: []device.Run{hot}, Count: 4, Alone: true,
			Record: &device.Record{Slots: [2]int{1}}}, 4, 21, false, false},
		{"wrong now and then", "errs", device.Time{Runs: []device.Run{hot}}, 15, 21, true, false},
		{"strays", "strays", device.Time{Runs: []device.Run{hot}}, 15, 21, false, true},
		{"leaves", "leaves", device.Time{Runs: []device.Run{hot}}, 15, 21, false, true},
	} {
		c.req.Contender = f.contender(t, c.kernel)
		f.driver.BadEvery(20)
		got := f.ask(t, &device.Request{Time: &c.req}).(*device.TimeReply)
		if got.Fault != nil || len(got.Runs) != 1 {
			t.Fatalf("%s: %+v", c.name, got)
		}
		r := got.Runs[0]
		if len(r.Samples) != c.samples || r.Calls != c.calls || !about(r.Samples[0], 10e3) || !about(r.Clock, 1980) ||
			r.Checked == 0 {
			t.Errorf("%s: %d samples of %d calls at %g MHz, expected %d of %d; %d outputs checked", c.name, len(r.Samples),
				r.Calls, r.Clock, c.samples, c.calls, r.Checked)
		}
		if (r.Wrong > 0) != c.wrong || (got.Strays != nil) != c.strays || (len(r.Recorded) > 0) != (c.req.Record != nil) {
			t.Errorf("%s: %d wrong, strays %+v, %v recorded", c.name, r.Wrong, got.Strays, r.Recorded)
		}
	}
	slow := &device.Time{Runs: []device.Run{hot}, Contender: f.contender(t, "copy")}
	f.driver.SlowClock(11)
	if got := f.ask(t, &device.Request{Time: slow}).(*device.TimeReply).Runs[0]; got.Rejected != 10 || !about(got.Clock,
		1980) {
		t.Errorf("the clock fell: %d samples rejected, %g MHz", got.Rejected, got.Clock)
	}
}

// TestColdBesideHot: where memory has room for a cold run and nothing else, the inputs that a hot one of the same
// request would have kept in stock do not take it.
func TestColdBesideHot(t *testing.T) {
	f := newFaked(t)
	hot := device.Run{Workload: "w", Cases: []int{1, 2, 3}, Estimate: 10e3, Cache: "hot"}
	cold := hot
	cold.Cache = "cold"
	c := f.contender(t, "copy")
	c.Calls, c.Expect = append(c.Calls, c.Calls...), append(c.Expect, c.Expect...)
	both := &device.Request{Time: &device.Time{Contender: c, Runs: []device.Run{hot, cold}}}
	one, l2 := &f.prep.Cases[1], f.dev.L2Bytes // this driver maps no whole units
	f.mem.most = f.mem.held() + one.ColdArenas(l2)*one.ArenaBytes() + device.FlushBytes(l2) + one.ArenaBytes()/2
	if got := f.ask(t, both).(*device.TimeReply); got.Fault != nil || len(got.Runs) != 2 {
		t.Fatalf("%+v", got)
	}
	if f.stock[1].isThere() {
		t.Error("inputs are in stock for which there is no room")
	}
	f.mem.most = 0
	if f.ask(t, both); !f.stock[1].isThere() {
		t.Error("inputs are not in stock")
	}
}

// TestTrim: what can be made anew is given back when somebody else needs the memory, and made anew when it is wanted.
func TestTrim(t *testing.T) {
	f := newFaked(t)
	run := device.Run{Workload: "w", Cases: []int{1, 2, 3}, Estimate: 10e3, Cache: "cold"}
	c := f.contender(t, "copy")
	before := f.mem.held()
	cold := &device.Request{Time: &device.Time{Contender: c, Runs: []device.Run{run}}}
	for range 2 {
		got := f.ask(t, cold).(*device.TimeReply)
		if got.Fault != nil || got.Strays != nil || got.Runs[0].Wrong > 0 || f.mem.held() <= before {
			t.Fatalf("%+v with %d bytes", got, f.mem.held())
		}
		if f.ask(t, &device.Request{Trim: &device.Trim{}}); f.mem.held() > before {
			t.Errorf("%d bytes are held, %d before", f.mem.held(), before)
		}
	}
}

// TestFakedDuel: two candidates in turn, steady and fresh; wrong outputs end it, and are their side's.
func TestFakedDuel(t *testing.T) {
	f := newFaked(t)
	steady := device.Run{Workload: "w", Cases: []int{1, 2, 3}, Estimate: 10e3, Cache: "hot"}
	fresh := steady
	fresh.Fresh = 2
	for _, c := range []struct {
		a, b   string
		run    device.Run
		pairs  int
		side   int // whose fault
		strays bool
	}{
		{"copy", "copy", steady, 10, 0, false},
		{"copy", "copy", fresh, 10, 0, false},
		{"uses", "uses", steady, 10, 0, false},
		{"copy", "errs", steady, 10, 1, false},
		{"errs", "copy", fresh, 10, 0, false},
		{"strays", "copy", steady, 0, 0, true},
	} {
		d := &device.Duel{A: f.contender(t, c.a), B: f.contender(t, c.b), Run: c.run, Pairs: 10}
		bad := 0
		if strings.Contains(c.a+c.b, "errs") {
			bad = 20
		}
		f.driver.BadEvery(bad)
		got := f.ask(t, &device.Request{Duel: d}).(*device.DuelReply)
		name := fmt.Sprintf("%s against %s, fresh %d", c.a, c.b, c.run.Fresh)
		if got.Fault != nil {
			t.Fatalf("%s: %+v", name, got.Fault)
		}
		if wrong := got.Side(c.side).Wrong; (wrong > 0) != (bad > 0) || got.Side(1-c.side).Wrong > 0 ||
			(got.A.Strays != nil) != c.strays {
			t.Errorf("%s: %+v", name, got)
		}
		if bad == 0 && (len(got.A.Samples) != c.pairs || len(got.B.Samples) != c.pairs) ||
			len(got.B.Repeat) > 0 != (c.run.Fresh > 0) {
			t.Errorf("%s: %d and %d samples", name, len(got.A.Samples), len(got.B.Samples))
		}
	}
	d := &device.Duel{A: f.contender(t, "copy"), B: f.contender(t, "fails"), Run: steady, Pairs: 3}
	if got := f.ask(t, &device.Request{Duel: d}).(*device.DuelReply); got.Fault == nil || !got.Fault.Sticky ||
		got.Faulted != 2 {
		t.Errorf("%+v", got)
	}
}

// TestFakedDisturb: runs beside bursts, of which those that went wrong are named.
func TestFakedDisturb(t *testing.T) {
	f := newFaked(t)
	expect := []uint64{0, 0, 0, 0, 0}
	for i, r := range f.gated(t, "copy").Cases {
		expect[i] = r.Hash
	}
	f.driver.BadEvery(4)
	req := &device.Disturb{Cubin: []byte("k"), Calls: fakedCalls("errs"), Cases: []int{1, 2, 3, 1, 2, 3, 1, 2, 3},
		Expect: expect,
		Bursts: true, Seed: 5}
	if got := f.ask(t, &device.Request{Disturb: req}).(*device.DisturbReply); !slices.Equal(got.Wrong, []int{3, 7}) ||
		got.Strays != nil || got.Fault != nil {
		t.Errorf("%+v", got)
	}
}

// TestFakedSample: a steady sample launches its graph once and waits for the device once, whatever is looked at
// besides.
func TestFakedSample(t *testing.T) {
	f := newFaked(t)
	run := device.Run{Workload: "w", Cases: []int{1, 2, 3}, Estimate: 10e3, Cache: "hot"}
	did := func(samples int) (launches, waits int) {
		c := f.contender(t, "leaves")
		f.ask(t, &device.Request{Time: &device.Time{Contender: c, Runs: []device.Run{run}, Count: samples}})
		for _, line := range f.driver.Log() {
			switch {
			case strings.HasPrefix(line, "launch_graph"):
				launches++
			case line == "wait":
				waits++
			}
		}
		return launches, waits
	}
	did(1) // makes what is kept for later
	launches, waits := did(4)
	more, longer := did(14)
	// Arenas that a kernel has spoilt are made as new, for which nobody waits.
	if more-launches != 10 || longer-waits != 10 {
		t.Errorf("ten samples more: %d launches, %d waits", more-launches, longer-waits)
	}
}

// TestNormalLines: all lines of L2 are made normal ones before each sample, hot or cold, and in either half of a duel.
func TestNormalLines(t *testing.T) {
	f := newFaked(t)
	run := device.Run{Workload: "w", Cases: []int{1, 2, 3}, Estimate: 10e3, Cache: "hot"}
	cold, fresh := run, run
	cold.Cache, fresh.Fresh = "cold", 2
	for _, r := range []device.Run{run, cold, fresh} {
		a, b := f.contender(t, "copy"), f.contender(t, "copy")
		requests := []*device.Request{{Duel: &device.Duel{A: a, B: b, Run: r, Pairs: 4}}}
		if r.Fresh == 0 {
			requests = append(requests, &device.Request{Time: &device.Time{Contender: a, Runs: []device.Run{r}, Count: 4}})
		}
		for _, req := range requests {
			f.driver.Log()
			f.ask(t, req)
			graphs, normal := 0, false
			for _, line := range f.driver.Log() {

				switch {
				case line == "normal_lines":
					normal = true
				case strings.HasPrefix(line, "launch_graph"):
					if graphs++; !normal {
						t.Errorf("%s, fresh %d: sample %d begins with what was there", r.Cache, r.Fresh, graphs)
					}
					normal = false
				}
			}
			if graphs < 4 {
				t.Errorf("%s, fresh %d: %d samples", r.Cache, r.Fresh, graphs)
			}
		}
	}
}
