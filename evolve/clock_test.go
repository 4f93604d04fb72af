package evolve

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"
	"unsafe"

	"darwarp/kernels"
)

// stepped is a time whose wall clock was set by somebody, and whose monotonic clock was not: the two words of a
// time.Time that has both are wall seconds since 1885 above 30 bits of nanoseconds, and monotonic nanoseconds.
func stepped(t time.Time, by time.Duration) time.Time {
	*(*uint64)(unsafe.Pointer(&t)) += uint64(by/time.Second) << 30
	return t
}

// TestStepped proves the helper, for it knows how a time.Time is made.
func TestStepped(t *testing.T) {
	now := time.Now()
	for _, by := range []time.Duration{time.Hour, -time.Hour, 400 * 24 * time.Hour} {
		if s := stepped(now, by); s.Sub(now) != 0 || s.Round(0).Sub(now.Round(0)) != by {
			t.Fatalf("by %v: %v after, %v on the wall", by, s.Sub(now), s.Round(0).Sub(now.Round(0)))
		}
	}
}

// wall is a clock that somebody sets to and fro: at every look it is an hour off, forth or back. A suspended machine is
// the same as one whose clock is set forth: the monotonic clock stands still meanwhile.
type wall struct {
	mu    sync.Mutex
	looks int
	by    []time.Duration
}

func (w *wall) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks++
	return stepped(time.Now(), w.by[w.looks%len(w.by)])
}

// Steps of the time of day neither end a budget nor prolong it, and what is stored is in order.
func TestClockJumps(t *testing.T) {
	for name, by := range map[string][]time.Duration{
		"forth and back":    {0, time.Hour, -time.Hour},
		"back for good":     {0, -time.Hour},
		"a suspended night": {0, 0, 0, 0, 0, 0, 0, 0, 8 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			w, within := &wall{by: by}, 150*time.Millisecond
			for ; w.looks < 10; within *= 2 { // of a busy machine's time there may be little left to look at
				w.looks = 0
				clockJumps(t, w, within)
			}
		})
	}
}

func clockJumps(t *testing.T, w *wall, within time.Duration) {
	t.Helper()
	ev, m := newFake(2, false), &memory{}
	cfg := toyConfig(t, "hills", "plain")
	cfg.Budget = Budget{For: within}
	ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		time.Sleep(3 * time.Millisecond)
		return works(job), nil
	}
	s := mustSearch(t, cfg, ev, m)
	s.clock.wall = w.now
	var c collector
	begun := time.Now()
	sum, err := s.Run(context.Background(), c.emit)
	took := time.Since(begun)
	if err != nil || sum.Reason != ReasonTime || sum.Elapsed < cfg.Budget.For*9/10 || sum.Elapsed > took {
		t.Fatalf("%v, %+v in %v", err, sum, took)
	}
	for i := 1; i < len(m.candidates); i++ {
		if gap := m.candidates[i].At.Sub(m.candidates[i-1].At); gap < 0 || gap > took {
			t.Errorf("candidate %d was judged %v after the one before", i+1, gap)
		}
	}
	last := time.Duration(0)
	for _, e := range c.all {
		if e.At < last || e.At > took || e.ETA > cfg.Budget.For || e.Rate < 0 || e.Rate > 1e4 {
			t.Fatalf("event %d: at %v after %v, %v left, %g a second", e.Seq, e.At, last, e.ETA, e.Rate)
		}
		last = e.At
	}
	var st struct{ Elapsed time.Duration }
	if err := json.Unmarshal(m.checkpoint, &st); err != nil || st.Elapsed < cfg.Budget.For*9/10 || st.Elapsed > took {
		t.Errorf("the checkpoint says %v, %v", st.Elapsed, err)
	}
}

// A run that goes on after the clock was set back goes on after what it has.
func TestResumeAfterAClockJump(t *testing.T) {
	m := &memory{}
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 20
	for i, by := range []time.Duration{time.Hour, 0} {
		s := mustSearch(t, cfg, newFake(2, true), m)
		s.clock.wall = (&wall{by: []time.Duration{by}}).now
		if _, err := s.Run(context.Background(), nil); err != nil || len(m.candidates) != 20*(i+1) {
			t.Fatalf("session %d: %v, %d stored", i+1, err, len(m.candidates))
		}
		cfg.Budget.Evals += 20
	}
	for i := 1; i < len(m.candidates); i++ {
		if gap := m.candidates[i].At.Sub(m.candidates[i-1].At); gap < 0 || gap > time.Minute {
			t.Errorf("candidate %d was judged %v after the one before", i+1, gap)
		}
	}
}

// A pause of a search is as long as it was, whatever the time of day.
func TestPauseOverAClockJump(t *testing.T) {
	w := &wall{by: []time.Duration{0, time.Hour, -time.Hour}}
	c := clock{wall: w.now}
	begun := time.Now()
	c.begin()
	for range 5 {
		c.stop()
		time.Sleep(time.Millisecond)
		c.goOn()
	}
	if at := c.elapsed(); at < 0 || at > time.Since(begun) {
		t.Errorf("%v elapsed", at)
	}
}
