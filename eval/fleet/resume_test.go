package fleet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
)

// killed is where a fleet listened that has ended as by kill -9: nobody is told.
func killed(f *Fleet) (listen string) {
	listen = f.host.NATS.Addr().String()
	f.stop()
	f.work.Wait()
	f.nc.Close()
	f.host.NATS.Shutdown()
	f.host.NATS.WaitForShutdown()
	f.host.Lock.Close()
	return listen
}

// TestResumedOtherwise: a search that comes back with something else to open, as with its gate test or other weights,
// finds its workers, which open their devices again; what was opened before is closed, and its bar forgotten.
func TestResumedOtherwise(t *testing.T) {
	g := &ground{t: t, dir: t.TempDir()}
	a := newFake("a")
	var opened, closed atomic.Int32
	open := func(context.Context, []byte) (*Station, error) {
		opened.Add(1)
		return &Station{Evaluator: a, Problem: &kernels.Problem{}, Close: func() error { closed.Add(1); return nil }}, nil
	}
	ended := make(chan error, 1)
	go func() {
		cfg := g.config(a)
		cfg.Open = open
		ended <- Join(t.Context(), cfg)
	}()
	f := g.open("127.0.0.1:0")
	for range 3 {
		askedWithBar(t, f, 500)
	}
	listen := killed(f)
	g.task = "another task"
	f = g.open(listen)
	until(t, "it again", func() bool { return len(f.roster.ready()) == 1 })
	if n, m := opened.Load(), closed.Load(); n != 2 || m != 1 {
		t.Errorf("opened %d times, closed %d times", n, m)
	}
	askedWithBar(t, f, 700) // the first request of this session, after three of the other
	a.mu.Lock()
	if got := a.bars[len(a.bars)-1]["w"]; math.Abs(got-700) > 1e-9 {
		t.Errorf("the bar of the earlier session, %v", got)
	}
	a.mu.Unlock()
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil || closed.Load() != 2 {
		t.Errorf("%v, closed %d times", err, closed.Load())
	}
}

// askedWithBar evaluates one candidate with the champion's time.
func askedWithBar(t *testing.T, f *Fleet, ns float64) {
	t.Helper()
	j := candidate(1)
	j.Bar = kernels.NewBar(map[string]float64{"w": ns})
	if r, err := f.Evaluate(t.Context(), j); err != nil || r.Outcome != kernels.OK {
		t.Fatalf("%+v, %v", r, err)
	}
}

// TestNamesakes: of two workers with one name the first works, and the other opens nothing, waits, and says what to do.
func TestNamesakes(t *testing.T) {
	a := newFake("a")
	f, g := open(t, a)
	cfg := g.config(newFake("a"))
	cfg.Open = func(context.Context, []byte) (*Station, error) {
		t.Error("the second one opens its devices")
		return nil, context.Canceled
	}
	err := Join(t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), "another worker is there as a, and stays: choose another --name") {
		t.Errorf("%v", err)
	}
	if w := f.roster.status(time.Now()).Workers; len(w) != 1 || w[0].State != "ready" {
		t.Errorf("%+v", w)
	}
	for i, r := range asked(t, f, 1, 9) {
		if r.Outcome != kernels.OK {
			t.Errorf("candidate %d: %+v", i+1, r)
		}
	}
}

// TestNameAgain: one that is killed and started again has its name once the first is held to be gone; one that has left
// leaves it at once.
func TestNameAgain(t *testing.T) {
	var n nameHolders
	now := time.Now()
	hear := func(instance string, leaving bool, after time.Duration) bool {
		now = now.Add(after)
		return n.isTaken(&hello{sender: sender{Worker: "a", Instance: instance}, Leaving: leaving}, now)
	}
	for i, tt := range []struct {
		instance string
		leaving  bool
		after    time.Duration
		want     bool
	}{
		{"one", false, 0, false}, {"one", false, silence, false}, {"two", false, silence / 2, true},
		{"two", true, 0, true}, // it leaves what it does not have
		{"one", false, silence / 2, false}, {"two", false, 2 * silence, false}, {"one", false, 0, true},
		{"two", true, 0, false}, {"one", false, 0, false},
	} {
		if got := hear(tt.instance, tt.leaving, tt.after); got != tt.want {
			t.Errorf("step %d: taken: %v", i, got)
		}
	}
}

// TestOneFolder: what a server or a search has in its folder is not another's, before the run's file is there, too; the
// other is refused in one line, and takes nothing away.
func TestOneFolder(t *testing.T) {
	f, g := open(t, newFake("a"))
	at := filepath.Join(g.dir, broker.AddressFile)
	want, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), Config{Listen: "127.0.0.1:0", Dir: g.dir, Task: []byte("task"), Version: "v1", Say: g.say})
	serving := Serve(t.Context(), HubConfig{Listen: "127.0.0.1:0", Dir: g.dir, Version: "v1", Say: g.say})
	for _, err := range []error{err, serving} {
		want := fmt.Sprintf("is in use by another process (process %d)", os.Getpid())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	}
	for _, err := range []error{err, serving} {
		if m := new(broker.Mistake); !errors.As(err, &m) {
			t.Errorf("%v: no mistake of whoever began it", err)
		}
	}
	if got, err := os.ReadFile(at); string(got) != string(want) {
		t.Errorf("the address is %q, %v", got, err)
	}
	for i, r := range asked(t, f, 1, 9) {
		if r.Outcome != kernels.OK {
			t.Errorf("candidate %d: %+v", i+1, r)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	again := &ground{t: t, dir: g.dir}
	again.open("127.0.0.1:0", newFake("a"))
}

// TestStatusOfKilled: a search that was killed with its server is none that runs, whatever address it has left.
func TestStatusOfKilled(t *testing.T) {
	f, g := open(t, newFake("a"))
	if s, err := AskStatus(t.Context(), g.dir); err != nil || len(s.Workers) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	killed(f)
	if _, err := AskStatus(t.Context(), g.dir); !errors.Is(err, ErrNoFleet) {
		t.Errorf("%v", err)
	}
	if err := Drain(t.Context(), g.dir, "a"); !errors.Is(err, ErrNoFleet) {
		t.Errorf("%v", err)
	}
}

// TestUnanswered: a worker of a search that is not there says what it waits for, once.
func TestUnanswered(t *testing.T) {
	f, g := open(t, newFake("a"))
	cfg := g.config(newFake("b"))
	var said atomic.Int32
	cfg.Say = func(format string, _ ...any) {
		if strings.HasPrefix(format, "the search has not answered") {
			said.Add(1)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Join(ctx, cfg) }()
	until(t, "both", func() bool { return len(f.roster.ready()) == 2 })
	if said.Load() != 0 {
		t.Error("it has answered")
	}
	killed(f)
	until(t, "it is said", func() bool { return said.Load() > 0 })
	time.Sleep(3 * helloEvery)
	if stop(); said.Load() != 1 {
		t.Errorf("said %d times", said.Load())
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestLeavesAtOnce: a worker that is to leave finishes what it has, unless it is told again; then others are asked, and
// nothing is lost.
func TestLeavesAtOnce(t *testing.T) {
	a, slow, free := newFake("a"), newFake("slow"), make(chan struct{})
	a.before = func(context.Context, *kernels.Job) { <-free } // else it may take all
	f, g := open(t, a)
	begun := make(chan struct{}, 64)
	slow.before = func(ctx context.Context, _ *kernels.Job) { begun <- struct{}{}; <-ctx.Done() }
	cfg := g.config(slow)
	now := make(chan struct{})
	cfg.Now = now
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Join(ctx, cfg) }()
	until(t, "both", func() bool { return len(f.roster.ready()) == 2 })
	all := make(chan []kernels.Result)
	go func() { all <- asked(t, f, 2, 12) }() // not the first, which all would time
	<-begun
	stop()
	select {
	case err := <-ended:
		t.Fatalf("it has not finished what it has: %v", err)
	case <-time.After(3 * helloEvery):
	}
	close(now)
	close(free)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for i, r := range <-all {
		if r.Outcome != kernels.OK {
			t.Errorf("candidate %d: %+v", i+2, r)
		}
	}
}
