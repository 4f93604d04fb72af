package fleet

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
)

// TestKilled: what a killed worker had is done by another, and nothing is lost or counted twice.
func TestKilled(t *testing.T) {
	a, b := newFake("a"), newFake("b")
	begun, never := make(chan struct{}), make(chan struct{})
	var once sync.Once
	a.before = func(context.Context, *kernels.Job) {
		once.Do(func() { close(begun) })
		<-never
	}
	b.before = func(context.Context, *kernels.Job) { <-begun }
	defer close(never)
	g := &ground{t: t, dir: t.TempDir()}
	proxy := newProxy(t)
	f := g.open("127.0.0.1:0", b)
	cfg := g.config(a)
	cfg.URL = proxy.before(cfg.URL)
	go Join(t.Context(), cfg)
	until(t, "the second worker", func() bool { return len(f.roster.ready()) == 2 })
	answers := make(chan []kernels.Result)
	go func() { answers <- asked(t, f, 2, 12) }()
	<-begun
	proxy.cut() // as when the process is killed: no word any more
	for i, r := range <-answers {
		if r.Outcome != kernels.OK {
			t.Errorf("candidate %d: %+v", i+2, r)
		}
	}
	until(t, "the worker is missed", func() bool { return len(f.roster.ready()) == 1 })
	if len(b.seen) != 10 {
		t.Errorf("%d candidates on the worker that lives", len(b.seen))
	}
}

// TestThreeDeliveries: a candidate that nobody finishes is lost, and says so.
func TestThreeDeliveries(t *testing.T) {
	g := &ground{t: t, dir: t.TempDir()}
	f := g.open("127.0.0.1:0", newFake("a"))
	leaves(t, f, "a")
	threeDeliveries(t, f, f.post.work, anyQueue(f.post.session, f.kind()), f.names.AnyOf(f.kind()))
	alone, subject := toQueue("nobody", f.post.session), f.names.To("nobody")
	if err := f.post.open(t.Context(), alone, subject); err != nil {
		t.Fatal(err)
	}
	threeDeliveries(t, f, f.post.own, alone, subject)
}

func threeDeliveries(t *testing.T, f *Fleet, stream jetstream.Stream, queue, subject string) {
	t.Helper()
	var tries atomic.Int32
	c, err := stream.Consumer(t.Context(), queue)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan answer)
	go func() {
		ctx, end := context.WithTimeout(t.Context(), 30*time.Second)
		defer end()
		got, err := f.post.ask(ctx, subject, request{Do: doEvaluate}, nil)
		if !errors.Is(err, kernels.ErrLost) {
			t.Error(err)
		}
		ended <- got
	}()
	for range 4 { // takes it, and gives no answer
		go func() {
			for t.Context().Err() == nil {
				if msg, err := c.Next(); err == nil {
					tries.Add(1)
					msg.Nak()
				}
			}
		}()
	}
	if got := <-ended; got.Error != "3 workers took it and did not answer" {
		t.Errorf("%+v", got)
	}
	empties(t, stream)
	until(t, "three deliveries", func() bool { return tries.Load() >= 3 }) // some may be on their way
	if n := tries.Load(); n != 3 {
		t.Errorf("%d deliveries", n)
	}
}

// TestRefused: who does not belong to the fleet hears why, in one line.
func TestRefused(t *testing.T) {
	g := &ground{t: t, dir: t.TempDir()}
	f := g.open("127.0.0.1:0", newFake("a"))
	guess := filepath.Join(t.TempDir(), "guess")
	if err := os.WriteFile(guess, []byte("guess"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		change func(w *fake, cfg *JoinConfig)
		want   string
	}{
		{func(_ *fake, c *JoinConfig) { c.Version = "v0" },
			"the worker is darwarp v0, the search is v1: start the search's version"},
		{func(_ *fake, c *JoinConfig) { c.TokenFile = guess }, "refuses the token"},
		{func(_ *fake, c *JoinConfig) { c.URL = c.URL[:len(c.URL)-4] + "0000" }, "the fingerprint is another one"},
		{func(_ *fake, c *JoinConfig) { c.URL = "nats://127.0.0.1:4222" }, "expected nats://HOST:PORT/FINGERPRINT"},
		{func(w *fake, _ *JoinConfig) { w.device.Name = "another GPU" }, "the fleet is fake GPU"},
		{func(w *fake, _ *JoinConfig) { w.device.Toolchain = "NVRTC 12.9" }, "times of the two cannot be compared"},
		{func(_ *fake, c *JoinConfig) { c.Name = "b.c" }, "expected a worker's name of letters"},
		{func(w *fake, _ *JoinConfig) { w.slots = 0 }, "slots: 0"},
	} {
		w := newFake("b")
		cfg := g.config(w)
		tt.change(w, &cfg)
		ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
		err := Join(ctx, cfg)
		end()
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", tt.want, err)
		}
	}
	if n := len(f.roster.ready()); n != 1 {
		t.Errorf("%d workers", n)
	}
}

// TestNoWorker: a search that is stopped before anybody joined, or that cannot listen, leaves nothing behind.
func TestNoWorker(t *testing.T) {
	ctx, end := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer end()
	for listen, want := range map[string]string{"127.0.0.1:0": "deadline", "4222": "expected HOST:PORT",
		"127.0.0.1:x": "expected HOST:PORT", "127.0.0.1:70000": "expected HOST:PORT"} {
		dir := t.TempDir()
		f, err := Open(ctx, Config{Listen: listen, Dir: dir, Version: "v1", Say: func(string, ...any) {}})
		if f != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", listen, err)
		}
		if _, err := AskStatus(t.Context(), dir); !errors.Is(err, ErrNoFleet) {
			t.Errorf("%s: %v", listen, err)
		}
	}
}

// TestResumed: a search that comes back under the same address finds its workers, whose devices are still open.
func TestResumed(t *testing.T) {
	g := &ground{t: t, dir: t.TempDir()}
	a := newFake("a")
	f := g.open("127.0.0.1:0", a)
	opened := 0
	cfg := g.config(newFake("b"))
	inner := cfg.Open
	cfg.Open = func(ctx context.Context, task []byte) (*Station, error) { opened++; return inner(ctx, task) }
	ended := make(chan error, 1)
	go func() { ended <- Join(t.Context(), cfg) }()
	until(t, "both", func() bool { return len(f.roster.ready()) == 2 })
	f = g.open(killed(f))
	until(t, "both again", func() bool { return len(f.roster.ready()) == 2 })
	for i, r := range asked(t, f, 1, 9) {
		if r.Outcome != kernels.OK {
			t.Errorf("candidate %d: %+v", i, r)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil || opened != 1 {
		t.Errorf("%v, opened %d times", err, opened)
	}
}

// TestLateWord: a worker that has not heard yet that its search was resumed takes nothing of the new session.
func TestLateWord(t *testing.T) {
	g := &ground{t: t, dir: t.TempDir()}
	a := newFake("a")
	a.before = func(context.Context, *kernels.Job) { time.Sleep(20 * time.Millisecond) }
	f := g.open("127.0.0.1:0", a)
	cfg := g.config(newFake("late"))
	to, err := broker.ParseAddress(cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	nc, err := broker.Dial(to, broker.UserWorker, cfg.Access)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	late := &worker{cfg: cfg, link: link{names: f.names, nc: nc}, contact: contact{ended: make(chan struct{})},
		workshop: workshop{station: &Station{Evaluator: newFake("late")}}}
	if late.js, err = jetstream.New(nc); err != nil {
		t.Fatal(err)
	}
	of := late.attach(t.Context(), "EARLIER", f.kind())
	of.takeCandidates(8)
	defer of.abandon()
	for i, r := range asked(t, f, 1, 40) {
		if r.Outcome != kernels.OK {
			t.Errorf("candidate %d: %+v", i+1, r)
		}
	}
}

// TestDrop: connections that end again and again, and a slow network, lose nothing.
func TestDrop(t *testing.T) {
	g := &ground{t: t, dir: t.TempDir()}
	a := newFake("a")
	a.before = func(context.Context, *kernels.Job) { time.Sleep(20 * time.Millisecond) }
	f := g.open("127.0.0.1:0", newFake("b"))
	proxy := newProxy(t)
	proxy.delay = 5 * time.Millisecond
	cfg := g.config(a)
	cfg.URL = proxy.before(cfg.URL)
	go Join(t.Context(), cfg)
	until(t, "the second worker", func() bool { return len(f.roster.ready()) == 2 })
	if err := Drain(t.Context(), g.dir, "b"); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var drops sync.WaitGroup
	drops.Go(func() {
		for range 3 {
			select {
			case <-stop:
				return
			case <-time.After(300 * time.Millisecond):
				proxy.drop()
			}
		}
	})
	for i, r := range asked(t, f, 1, 120) {
		if r.Outcome != kernels.OK {
			t.Errorf("candidate %d: %+v", i+1, r)
		}
	}
	close(stop)
	drops.Wait()
}

// TestDrain: a drained worker finishes what it does and leaves, and the status says so.
func TestDrain(t *testing.T) {
	a, b := newFake("a"), newFake("b")
	g := &ground{t: t, dir: t.TempDir()}
	f := g.open("127.0.0.1:0", a)
	ended, _ := g.join(b)
	until(t, "both", func() bool { return len(f.roster.ready()) == 2 })
	want := "c: no worker of that name is here: darwarp fleet status lists them"
	if err := Drain(t.Context(), g.dir, "c"); err == nil || err.Error() != want {
		t.Error(err)
	}
	if err := Drain(t.Context(), g.dir, "b"); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	s, err := AskStatus(t.Context(), g.dir)
	if err != nil || len(s.Workers) != 2 || s.Workers[0].State != "ready" || s.Workers[1].State != "gone" {
		t.Errorf("%+v, %v", s, err)
	}
	if all := asked(t, f, 1, 9); all[7].Outcome != kernels.OK || len(b.seen) > 0 {
		t.Errorf("%+v; %v", all, b.seen)
	}
	if _, err := AskStatus(t.Context(), t.TempDir()); !errors.Is(err, ErrNoFleet) {
		t.Error(err)
	}
}

// TestAllLeave: what a search has begun with is still there when all workers have left: it waits for the next one.
func TestAllLeave(t *testing.T) {
	a := newFake("a")
	g := &ground{t: t, dir: t.TempDir()}
	f := g.open("127.0.0.1:0", a)
	if idle := f.Capabilities().Machine(t.Context()).Idle; idle != "" {
		t.Errorf("with a worker: %q", idle)
	}
	if can := f.Capabilities(); can.Control == nil || can.Pace == nil || can.Trial == nil {
		t.Fatalf("%+v", can)
	}
	if err := Drain(t.Context(), g.dir, "a"); err != nil {
		t.Fatal(err)
	}
	until(t, "nobody", func() bool { return len(f.roster.ready()) == 0 })
	can := f.Capabilities()
	if can.Control == nil || can.Pace == nil || can.Trial == nil {
		t.Fatalf("%+v", can)
	}
	until(t, "the worker has left", func() bool { return can.Machine(t.Context()).Idle != "" })
	url, err := readLine(filepath.Join(g.dir, broker.AddressFile))
	if err != nil {
		t.Fatal(err)
	}
	want := "no workers are left; join with: darwarp join " + url + " --token-file token"
	if idle := can.Machine(t.Context()).Idle; idle != want {
		t.Errorf("%q, want %q", idle, want)
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	if err := can.Control(ctx, candidate(1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestOpening: whoever asks for the status sees a worker from the moment that it is connected, and no more of one that
// has gone without ever being ready.
func TestOpening(t *testing.T) {
	g := &ground{t: t, dir: t.TempDir()}
	f := g.open("127.0.0.1:0", newFake("a"))
	opens := make(chan struct{})
	for _, name := range []string{"b", "never"} {
		cfg := g.config(newFake(name))
		inner := cfg.Open
		cfg.Open = func(ctx context.Context, task []byte) (*Station, error) {
			if <-opens; name == "never" {
				return nil, errors.New("no room")
			}
			return inner(ctx, task)
		}
		go Join(t.Context(), cfg)
	}
	until(t, "both open", func() bool { return inState(f, "opening") == "[b never]" })
	time.Sleep(silence + 2*helloEvery)
	if names := inState(f, "opening"); names != "[b never]" {
		t.Errorf("while it takes long: %s", names)
	}
	close(opens)
	until(t, "one is ready", func() bool { return inState(f, "ready") == "[a b]" })
	until(t, "the other is gone", func() bool { return inState(f, "opening") == "[]" })
}
