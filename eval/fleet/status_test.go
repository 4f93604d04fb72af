package fleet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"darwarp/eval/fleet/broker"
	"darwarp/kernels"
)

// TestDoing: the status says what each worker is at, and at what rate it answers.
func TestDoing(t *testing.T) {
	a := newFake("a")
	hold := make(chan struct{})
	a.before = func(context.Context, *kernels.Job) { <-hold }
	g := &ground{t: t, dir: t.TempDir()}
	f := g.open("127.0.0.1:0", a)
	status := func() WorkerStatus {
		s, err := AskStatus(t.Context(), g.dir)
		if err != nil || len(s.Workers) != 1 || s.Version == "" {
			t.Fatalf("%+v, %v", s, err)
		}
		return s.Workers[0]
	}
	done := make(chan error)
	go func() { _, err := f.Evaluate(t.Context(), candidate(1)); done <- err }()
	until(t, "a candidate in hand", func() bool { return status().Doing == "1 evaluate" })
	close(hold)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	until(t, "nothing in hand", func() bool { return status().Doing == "" })
	if w := status(); w.Rate <= 0 || w.Answers < 1 {
		t.Errorf("%+v", w)
	}
}

// TestDrainNobody: who is not there, or not yet, is not drained; the line says so, and is of a mistake.
func TestDrainNobody(t *testing.T) {
	g := &ground{t: t, dir: t.TempDir()}
	g.open("127.0.0.1:0", newFake("a"))
	cfg := g.config(newFake("slow"))
	cfg.Open = func(ctx context.Context, _ []byte) (*Station, error) { <-ctx.Done(); return nil, ctx.Err() }
	go Join(t.Context(), cfg)
	until(t, "a worker that opens", func() bool {
		s, err := AskStatus(t.Context(), g.dir)
		return err == nil && len(s.Workers) == 2
	})
	for worker, want := range map[string]string{"nobody": "no worker of that name", "slow": "it opens its devices"} {
		var mistake *broker.Mistake
		err := Drain(t.Context(), g.dir, worker)
		if !errors.As(err, &mistake) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", worker, err)
		}
	}
	if err := Drain(t.Context(), g.dir, "a"); err != nil {
		t.Error(err)
	}
}

// TestOtherProtocol: a worker that says the search's version, and speaks otherwise, is refused with both numbers.
func TestOtherProtocol(t *testing.T) {
	w, _ := newRoster("v1").hear(hello{sender: sender{Worker: "b", Version: "v1", Protocol: Protocol - 1}}, time.Now())
	want := fmt.Sprintf("two builds of darwarp v1, and speak protocols %d and %d", Protocol-1, Protocol)
	at := hub{cfg: HubConfig{Version: "v1"}}
	for _, got := range []string{w.Refused, at.refuses("v1", Protocol-1)} {
		if !strings.Contains(got, want) {
			t.Errorf("%q, expected %q", got, want)
		}
	}
	if got := at.refuses("v1", Protocol); got != "" {
		t.Errorf("one of its own is refused: %s", got)
	}
}

// TestDoingOfALiar: of what a worker says it does only what there is to do is shown.
func TestDoingOfALiar(t *testing.T) {
	h := hello{Doing: map[string]int{"trial": 2, "duel": 1, "time": -1, "final": 1 << 40, "\x1b[2J": 3}}
	if got := h.doing(); got != "1 duel, 2 trial" {
		t.Errorf("%q", got)
	}
}

// TestPace: the rate is that of the last half minute to minute, whatever was before.
func TestPace(t *testing.T) {
	var p pace
	at, done := time.Unix(0, 0), 0
	for _, tt := range []struct {
		seconds, each int // answers a second
		least, most   float64
	}{{20, 1, 59, 61}, {600, 10, 599, 601}, {45, 0, 0, 301}, {20, 0, 0, 1}, {1, 60, 0, 121}} {
		for range tt.seconds {
			p.hear(done, at)
			at, done = at.Add(time.Second), done+tt.each
		}
		if got := p.perMinute(done, at); got < tt.least || got > tt.most {
			t.Errorf("after %d s with %d each: %.1f a minute, expected %.0f to %.0f", tt.seconds, tt.each, got, tt.least,
				tt.most)
		}
	}
	if got := new(pace).perMinute(9, at); got != 0 {
		t.Errorf("of one that was never heard: %v", got)
	}
}

// TestLoad: how busy the devices are is the average of those that are here; where all have left, of what they said
// last.
func TestLoad(t *testing.T) {
	f := &Fleet{roster: newRoster("v1")}
	a := &member{identity: identity{name: "a"}, presence: presence{last: hello{Busy: 0.9, Workers: 1}}}
	b := &member{identity: identity{name: "b"}, presence: presence{last: hello{Busy: 0.5, Workers: 2}}}
	f.roster.enter(a)
	f.roster.enter(b)
	f.roster.enter(&member{identity: identity{name: "c", helps: true}})
	for _, want := range []float64{0.7, 0.5, 0.7} {
		if busy, workers := f.load(); math.Abs(busy-want) > 1e-9 || workers != 3 {
			t.Errorf("%v, expected %v; %d workers", busy, want, workers)
		}
		b.left, a.left = a.left, true
	}
}
