package evolve

import (
	"context"
	"slices"
	"testing"
	"time"

	"darwarp/kernels"
)

func TestPauseAndResume(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 40
	ev, m := newFake(4, false), &memory{}
	s := mustSearch(t, cfg, ev, m)
	s.inbox.every = time.Millisecond
	var c collector
	once := false
	resumed := make(chan error, 1)
	ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		ev.mu.Lock()
		first := len(ev.jobs) >= 10 && !once // two may be counted before either answers
		once = once || first
		ev.mu.Unlock()
		if first {
			mustSteer(t, s, Command{Do: "pause"})
		}
		return works(job), nil
	}
	quiet := 0
	_, err := s.Run(context.Background(), func(e Event) {
		c.emit(e)
		if e.Kind == KindMachine && e.Paused && e.InFlight == 0 {
			if quiet++; quiet == 3 { // nothing was asked for meanwhile: resume, from outside of the loop
				go func() { resumed <- s.Steer(context.Background(), Command{Do: "resume"}) }()
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-resumed; err != nil {
		t.Error(err)
	}
	holdPaused(t, c.all)
	if len(m.candidates) != 40 {
		t.Errorf("%d candidates in all", len(m.candidates))
	}
}

// holdPaused holds the events of a search of 40 verdicts in 4 slots against a pause: what was in flight ends, and
// nothing else.
func holdPaused(t *testing.T, all []Event) {
	t.Helper()
	from, to := slices.IndexFunc(all, func(e Event) bool { return e.Kind == KindPaused }),
		slices.IndexFunc(all, func(e Event) bool { return e.Kind == KindResumed })
	if from < 0 || to < from {
		t.Fatalf("paused at %d, resumed at %d of %d", from, to, len(all))
	}
	results := 0
	for _, e := range all[from:to] {
		if e.Kind == KindResult {
			results++
		}
		if !e.Still {
			t.Errorf("event %d, %s: time is told to count while paused", e.Seq, e.Kind)
		}
		if e.Evals >= 40 {
			t.Error("went on while paused")
		}
	}
	if results > 4 {
		t.Errorf("%d results while paused with 4 slots", results)
	}
}

func TestPausedTimeDoesNotCount(t *testing.T) {
	c := clock{wall: time.Now}
	c.begin()
	c.stop()
	at := c.elapsed()
	time.Sleep(2 * time.Millisecond)
	if c.elapsed() != at || !c.still() {
		t.Error("the clock went on")
	}
	c.goOn()
	time.Sleep(2 * time.Millisecond)
	if c.elapsed() <= at || c.still() {
		t.Error("the clock stands still")
	}
}
