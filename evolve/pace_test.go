package evolve

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"darwarp/kernels"
)

// drifting is a machine that was busy when the search began: the champion is twice as fast as the naive start in
// truth, whatever its first time says.
type drifting struct {
	*fake
	asked    atomic.Int32
	strange  atomic.Int32
	starting kernels.ID
}

func (d *drifting) Device() kernels.Device { return kernels.Device{Kind: "toy", Name: "toy"} }

func (d *drifting) Capabilities() kernels.Capabilities { return kernels.Capabilities{Pace: d.Pace} }

func (d *drifting) Pace(_ context.Context, start, champion *kernels.Job) (kernels.Duel, error) {
	if start.ID == champion.ID || start.ID != d.starting {
		d.strange.Add(1)
	}
	switch d.asked.Add(1) {
	case 1:
		return kernels.Duel{}, fmt.Errorf("%w: worker killed", kernels.ErrLost)
	case 2:
		return kernels.Duel{Ratio: math.NaN(), Rounds: []kernels.DuelRound{{Workload: "small", Ratio: math.NaN()}}}, nil
	}
	return kernels.Duel{Ratio: 0.5, Verdict: kernels.Ambiguous, Rounds: []kernels.DuelRound{
		{Workload: "small", Cache: "hot", Pairs: 10, Ratio: 0.5},
		{Workload: "large", Cache: "hot", Pairs: 10, Ratio: 0.5}}}, nil
}

// A new champion is timed beside the naive start, and its speedup is told as those pairs say, in events, at the end,
// and after the search was left.
func TestPaceKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ev, m := &drifting{fake: newFake(2, false)}, &memory{}
		cfg := toyConfig(t, "hills")
		s := mustSearch(t, cfg, ev, m)
		s.upkeep.pacing.least, s.upkeep.pacing.next = 0, 0
		ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
			if ev.starting.IsZero() {
				ev.starting = job.ID
			}
			time.Sleep(time.Millisecond)
			return works(job), nil
		}
		var c collector
		sum, err := s.Run(context.Background(), c.emit)
		if err != nil || sum.Champion == ev.starting || ev.strange.Load() > 0 {
			t.Fatalf("%v, %+v, %d asked with others than the naive start and the champion", err, sum, ev.strange.Load())
		}
		if math.Abs(sum.Speedup-2) > 1e-9 || !sum.Estimate {
			t.Errorf("the champion is %gx over the naive start, estimate %t: its pairs say 2", sum.Speedup, sum.Estimate)
		}
		told := c.of(KindPace)
		if n := int(ev.asked.Load()); n < 3 || len(told) != n-2 {
			t.Fatalf("%d times asked, %d told: one was lost, and one was not a number", n, len(told))
		}
		last := told[len(told)-1]
		if last.ID != sum.Champion || last.Duel == nil || math.Abs(last.Speedup-2) > 1e-9 || !last.Estimate {
			t.Errorf("told %+v", last)
		}
		stored := 0
		for _, d := range m.duels {
			if d.ChampionKind == kernels.StartName && d.Champion == kernels.NaiveStart {
				stored++
			}
		}
		if stored != len(told) {
			t.Errorf("%d stored, %d told", stored, len(told))
		}
		if took, err := ReadElapsed(m.checkpoint); err != nil || took <= sum.Elapsed/2 || took > sum.Elapsed {
			t.Errorf("the checkpoint says that it took %s, the summary %s: %v", took, sum.Elapsed, err)
		}
		stillPaced(t, ev, m, sum)
	})
}

// stillPaced: a search that goes on tells what the one before it told.
func stillPaced(t *testing.T, ev *drifting, m *memory, sum Summary) {
	t.Helper()
	resumed, err := newSearch(toyConfig(t, "hills"), ev, m)
	if err != nil || len(resumed.queue.pending) != 0 {
		t.Fatalf("left for the next session: %v, %+v", err, resumed.queue.pending)
	}
	if got := resumed.summary(); got.Speedup != sum.Speedup || !got.Estimate {
		t.Errorf("resumed with %gx, left with %gx", got.Speedup, sum.Speedup)
	}
}

func TestPacingDue(t *testing.T) {
	for _, x := range []struct {
		name   string
		p      pacing
		now    time.Duration
		direct bool
		want   bool
	}{
		{"it cannot", pacing{}, time.Hour, false, false},
		{"a new champion", pacing{can: true, next: 10 * time.Second}, 10 * time.Second, false, true},
		{"too early", pacing{can: true, next: 10 * time.Second}, 9 * time.Second, false, false},
		{"it is being timed", pacing{can: true, asked: true}, time.Hour, false, false},
		{"the same champion", pacing{can: true, began: time.Minute}, 5 * time.Minute, true, false},
		{"the same champion, much later", pacing{can: true, began: time.Minute}, 6 * time.Minute, true, true},
	} {
		if got := x.p.due(x.now, x.direct); got != x.want {
			t.Errorf("%s: due %t", x.name, got)
		}
	}
	p := newPacing(true)
	p.begin(time.Minute)
	if p.end(time.Minute + 4*time.Second); p.next != time.Minute+4*time.Second+200*time.Second {
		t.Errorf("next after %s: 4 s of it are more than one part in %d", p.next, paceShare)
	}
	p.begin(time.Hour)
	if p.end(time.Hour); p.next != time.Hour+paceLeast {
		t.Errorf("next after %s, however short it was", p.next)
	}
}
