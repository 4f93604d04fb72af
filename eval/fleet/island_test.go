package fleet

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"darwarp/kernels"
)

// other is a worker with another model of GPU, on which candidates below best are the faster the smaller they are: its
// optimum is not that of the first.
func other(name string) *fake {
	w := newFake(name)
	w.device.Name, w.best = "other GPU", 20
	return w
}

// archipelago opens a fleet that wants islands, with one worker of the first kind, and one of another.
func archipelago(t *testing.T) (f, island *Fleet, g *ground, a, b *fake) {
	t.Helper()
	found := make(chan *Fleet, 1)
	g = &ground{t: t, dir: t.TempDir(), unlike: func(i *Fleet) {
		select {
		case found <- i:
		default: // a further island, which nobody awaits
		}
	}}
	a, b = newFake("a"), other("b")
	f = g.open("127.0.0.1:0", a)
	g.join(b)
	select {
	case island = <-found:
	case <-time.After(20 * time.Second):
		t.Fatal("no island")
	}
	until(t, "the island's worker", func() bool { return island.Manned() })
	return f, island, g, a, b
}

// best is the fastest of the first so many candidates, as an evaluator says.
func best(t *testing.T, f *Fleet, n int) int {
	t.Helper()
	at, least := 0, 0.0
	for i, r := range asked(t, f, 1, n) {
		if r.Outcome != kernels.OK {
			t.Fatalf("candidate %d: %+v", i+1, r)
		}
		if ns := r.Times[0].Median; least == 0 || ns < least {
			at, least = i+1, ns
		}
	}
	return at
}

// TestIslands: two kinds of device in a fleet are two evaluators. Each finds its own optimum, and neither sees a
// candidate, a ratio or a duel of the other.
func TestIslands(t *testing.T) {
	f, island, g, a, b := archipelago(t)
	var both sync.WaitGroup
	both.Go(func() {
		if at := best(t, f, 40); at != 39 {
			t.Errorf("the first kind's optimum is %d", at)
		}
	})
	both.Go(func() {
		if at := best(t, island, 40); at != 20 {
			t.Errorf("the other kind's optimum is %d", at)
		}
	})
	both.Wait()
	if len(a.seen) != 39 || len(b.seen) != 39 {
		t.Errorf("%d and %d candidates", len(a.seen), len(b.seen))
	}
	if f.Kind() == island.Kind() || island.Device().Name != "other GPU" || len(island.Provenances()) != 1 {
		t.Errorf("%s, %+v", island.Kind(), island.Device())
	}
	if _, _, err := f.roster.admitAnswer("b", false); !errors.Is(err, errOutsider) {
		t.Errorf("a worker of the island answers for the first kind: %v", err)
	}
	for of, want := range map[*Fleet]kernels.Verdict{f: kernels.Faster, island: kernels.Slower} {
		if d, err := of.Duel(t.Context(), candidate(20), candidate(30)); err != nil || d.Verdict != want {
			t.Errorf("%s: %+v, %v", of.Device().Name, d, err)
		}
	}
	g.join(other("c"))
	until(t, "a second worker of the island", func() bool { return len(island.roster.ready()) == 2 })
	s, err := AskStatus(t.Context(), g.dir)
	if err != nil || len(s.Workers) != 3 || s.Workers[2].Device != "other GPU" || len(f.every()) != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestIslandEnds: the workers of an island whose search has ended leave, and come no more. The others work on.
func TestIslandEnds(t *testing.T) {
	f, island, g, _, _ := archipelago(t)
	ended, _ := g.join(other("c"))
	until(t, "a second worker of the island", func() bool { return len(island.roster.ready()) == 2 })
	if err := island.Close(); err != nil {
		t.Error(err)
	}
	if err := received(t, "the end of a worker", ended); err != nil {
		t.Error(err)
	}
	until(t, "an empty island", func() bool { return len(island.roster.joined()) == 0 })
	late, _ := g.join(other("d"))
	if err := received(t, "the end of a worker that is late", late); err == nil || err.Error() != errIslandOver.Error() {
		t.Error(err)
	}
	if at := best(t, f, 10); at != 9 {
		t.Errorf("the first kind's optimum is %d", at)
	}
}

// TestIslandOfRun: in a run that goes on the first kind is the run's, whoever joins first.
func TestIslandOfRun(t *testing.T) {
	found := make(chan *Fleet, 1)
	g := &ground{t: t, dir: t.TempDir(), unlike: func(i *Fleet) { found <- i }, device: newFake("a").device}
	opened := make(chan *Fleet)
	go func() { opened <- g.open("127.0.0.1:0") }()
	g.join(other("b"))
	i := received(t, "the island", found)
	g.join(newFake("a"))
	if f := received(t, "the fleet", opened); f.Device().Name != "fake GPU" || i.Device().Name != "other GPU" {
		t.Errorf("%s, %s", f.Device().Name, i.Device().Name)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	waits := func(s string) bool { return strings.HasPrefix(s, "worker b waits: it is other GPU") }
	if !slices.ContainsFunc(g.said, waits) {
		t.Errorf("%q", g.said)
	}
}

// TestIslandsBounded: a worker cannot make islands without end, and one that is no GPU makes none.
func TestIslandsBounded(t *testing.T) {
	f, _, _, _, _ := archipelago(t)
	hello := func(n int, kind string) welcome {
		w := newFake(fmt.Sprint("w", n))
		w.device.Name, w.device.Kind = fmt.Sprint("GPU ", n), kind
		p := w.Provenance()
		_, said, _ := f.admit(hello{sender: sender{Worker: w.name, Version: "v1", Protocol: Protocol}, Proof: &p, Slots: 1},
			time.Now())
		return said
	}
	if said := hello(1, "cpu"); !strings.Contains(said.Refused, "times of the two cannot be compared") {
		t.Errorf("%+v", said)
	}
	for n := range mostIslands - 1 {
		if said := hello(n, "cuda"); said.Refused != "" {
			t.Fatalf("%d: %+v", n, said)
		}
	}
	said := hello(99, "cuda")
	if n := len(f.every()); n != mostIslands+1 || !strings.Contains(said.Refused, "kinds of devices already") {
		t.Errorf("%+v, %d", said, n)
	}
	if _, err := f.Evaluate(t.Context(), candidate(1)); err != nil {
		t.Error(err)
	}
}
