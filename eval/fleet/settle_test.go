package fleet

import (
	"fmt"
	"testing"
	"time"

	"darwarp/kernels"
)

// inOrder opens a fleet whose first worker is home, and has timed candidate 1.
func inOrder(t *testing.T, workers ...*fake) *Fleet {
	t.Helper()
	g := &ground{t: t, dir: t.TempDir()}
	f := g.open("127.0.0.1:0", workers[0])
	if r, err := f.Evaluate(t.Context(), candidate(1)); err != nil || r.Outcome != kernels.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	for i, w := range workers[1:] {
		g.join(w)
		until(t, w.name, func() bool { return len(f.roster.ready()) == i+2 })
	}
	return f
}

// inState are the workers in a state.
func inState(f *Fleet, state string) string {
	var names []string
	for _, m := range f.roster.status(time.Now()).Workers {
		if m.State == state {
			names = append(names, m.Worker)
		}
	}
	return fmt.Sprint(names)
}

// claim is a candidate whose time a worker says is short.
func claimed(t *testing.T, f *Fleet, from int) (j *kernels.Job) {
	t.Helper()
	until(t, "a claim", func() bool {
		for n := range 20 {
			c := candidate(from + n)
			if r, err := f.Evaluate(t.Context(), c); err == nil && r.Outcome == kernels.OK && r.Times[0].Median < 500 {
				j = c
			}
		}
		return j != nil
	})
	return j
}

// TestLiar: a worker whose times nobody else sees is left out, wherever it is, and its candidates do not reign.
func TestLiar(t *testing.T) {
	for name, order := range map[string][]string{"elsewhere": {"a", "b", "liar"}, "at home": {"liar", "a", "b"}} {
		var all []*fake
		var liar *fake
		for _, who := range order {
			w := newFake(who)
			if all = append(all, w); who == "liar" {
				liar = w
			}
		}
		f := inOrder(t, all...)
		liar.lies.Store(true)
		d, err := f.Duel(t.Context(), candidate(200), claimed(t, f, 50))
		if err == nil && d.Verdict == kernels.Faster {
			t.Errorf("%s: %+v", name, d)
		}
		if out := inState(f, "left out"); out != "[liar]" {
			t.Errorf("%s: left out: %v; %v, %v", name, out, d, err)
		}
		f.Close()
	}
}

// TestUnrepeated: a worker that gives verdicts times that it does not repeat is left out after three of them, and not
// before; it needs no third worker.
func TestUnrepeated(t *testing.T) {
	liar := newFake("liar")
	f := inOrder(t, newFake("a"), liar)
	liar.once.Store(true)
	liar.lies.Store(true)
	for n := range mostClaimed {
		if out := inState(f, "left out"); out != "[]" {
			t.Errorf("after %d claims: left out: %s", n, out)
		}
		d, err := f.Duel(t.Context(), candidate(200), claimed(t, f, 50+20*n))
		if err != nil || d.Verdict == kernels.Faster {
			t.Errorf("%+v, %v", d, err)
		}
	}
	if out := inState(f, "left out"); out != "[liar]" {
		t.Errorf("left out: %s", out)
	}
}

// TestBusy: honest workers with other work are no liars: a winner is believed, for it stands to the yardstick on them
// as it does elsewhere, and they get no candidates until they are as fast as before.
func TestBusy(t *testing.T) {
	for name, tt := range map[string]struct {
		busy    []int // home is the first of three
		ready   string
		aside   string
		workers int
	}{
		"at home":        {[]int{0}, "[b c]", "[a]", 3},
		"elsewhere":      {[]int{1}, "[a c]", "[b]", 3},
		"most of them":   {[]int{0, 1}, "", "", 3}, // whoever is not busy is alone, and stays
		"one of two":     {[]int{1}, "[a]", "[b]", 2},
		"home, with one": {[]int{0}, "[b]", "[a]", 2},
	} {
		all := []*fake{newFake("a"), newFake("b"), newFake("c")}[:tt.workers]
		f := inOrder(t, all...)
		for _, i := range tt.busy {
			all[i].busy.Store(true)
		}
		f.facts.note(candidate(30).ID, f.roster.find("b"), all[1].times(candidate(30), verdictTier))
		d, err := f.Duel(t.Context(), candidate(2), candidate(30))
		if err != nil || d.Verdict != kernels.Faster {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
		ready, aside := inState(f, "ready"), inState(f, "aside")
		if tt.ready != "" && (ready != tt.ready || aside != tt.aside) {
			t.Errorf("%s: ready: %s; aside: %s", name, ready, aside)
		}
		for _, r := range asked(t, f, 3, 20) {
			if r.Outcome != kernels.OK {
				t.Errorf("%s: %+v", name, r)
			}
		}
		for _, w := range all {
			w.busy.Store(false)
		}
		until(t, name+": all are ready again", func() bool { return len(f.roster.ready()) == len(all) })
		if out := inState(f, "left out"); out != "[]" {
			t.Errorf("%s: left out: %s", name, out)
		}
		f.Close()
	}
}

// TestJoinsBusy: a worker that joins with other work waits until it times the yardstick as the others do. Where home
// has the other work it is home that waits; and where nobody else is left, nobody waits.
func TestJoinsBusy(t *testing.T) {
	g := &ground{t: t, dir: t.TempDir()}
	a, b, c := newFake("a"), newFake("b"), newFake("c")
	f := g.open("127.0.0.1:0", a)
	if _, err := f.Evaluate(t.Context(), candidate(1)); err != nil {
		t.Fatal(err)
	}
	b.busy.Store(true)
	g.join(b)
	until(t, "b is aside", func() bool { return inState(f, "aside") == "[b]" })
	asked(t, f, 2, 20)
	if len(b.seen) > 0 {
		t.Errorf("it has judged %v", b.seen)
	}
	b.busy.Store(false)
	until(t, "b is ready", func() bool { return inState(f, "ready") == "[a b]" })
	a.busy.Store(true)
	f.follow(f.newSheet(candidate(1), true))
	g.join(c)
	until(t, "home is aside", func() bool { return inState(f, "ready") == "[b c]" })
	for _, name := range []string{"b", "c"} {
		if err := Drain(t.Context(), g.dir, name); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "the last one", func() bool { return inState(f, "ready") == "[a]" })
	for _, r := range asked(t, f, 20, 40) {
		if r.Outcome != kernels.OK {
			t.Errorf("%+v", r)
		}
	}
}

// TestAlone: who is further from the middle than devices of one model are, and who takes longest.
func TestAlone(t *testing.T) {
	a, b, c := &member{identity: identity{name: "a"}}, &member{identity: identity{name: "b"}},
		&member{identity: identity{name: "c"}}
	for _, tt := range []struct {
		of     [][2]float64 // by member: at two workloads
		alone  string
		slower string // empty: it is not asked
	}{
		{[][2]float64{{100, 10}, {120, 11}}, "[]", "b"},
		{[][2]float64{{100, 10}, {160, 10}}, "[a b]", "b"},
		{[][2]float64{{100, 10}, {110, 11}, {90, 20}}, "[c]", "c"},
		{[][2]float64{{100, 10}, {110, 11}, {50, 9}}, "[c]", "b"},
		{[][2]float64{{100, 10}, {200, 20}, {50, 5}}, "[b c]", "b"},
		{[][2]float64{{100, 10}, {100, 0}, {100, 10}}, "[b]", ""},
		{[][2]float64{{}, {}, {}}, "[]", ""},
	} {
		all := seen{}
		for i, m := range []*member{a, b, c}[:len(tt.of)] {
			all[m] = map[string]float64{}
			for w, ns := range tt.of[i] {
				if ns > 0 {
					all[m][fmt.Sprint(w)] = ns
				}
			}
		}
		var names []string
		for _, m := range []*member{a, b, c} {
			for _, o := range alone(all) {
				if o == m {
					names = append(names, m.name)
				}
			}
		}
		if fmt.Sprint(names) != tt.alone {
			t.Errorf("%v: alone: %v", tt.of, names)
		}
		if tt.slower != "" && slower(all).name != tt.slower {
			t.Errorf("%v: slower: %s", tt.of, slower(all).name)
		}
	}
}
