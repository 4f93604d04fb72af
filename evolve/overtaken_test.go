package evolve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"darwarp/kernels"
)

// rivals is a fake where duels of the first that challenge take an hour, and all that come later claim to be ten times
// as fast as they are.
type rivals struct {
	*trialFake
	mu    sync.Mutex
	given []kernels.ID // whose duels were given up, in order
	slow  map[kernels.ID]bool
	fast  map[kernels.ID]bool
}

func newRivals(slots int, honest bool) *rivals {
	r := &rivals{trialFake: newTrialFake(slots), slow: map[kernels.ID]bool{}, fast: map[kernels.ID]bool{}}
	r.fake.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		v := toyTime(job.Variant.Genes)
		if len(r.slow) > 0 {
			r.fast[job.ID] = true
			v /= 10
		}
		out := works(job)
		out.Times = timesOf(v, 2*v)
		return out, nil
	}
	r.fake.duel = func(ctx context.Context, _, challenger *kernels.Job) (kernels.Duel, error) {
		r.mu.Lock()
		fast := r.fast[challenger.ID]
		r.slow[challenger.ID] = r.slow[challenger.ID] || !fast
		r.mu.Unlock()
		switch {
		case fast && honest:
			return duelOf(0.1), nil
		case fast:
			return duelOf(1.1), nil
		}
		if err := rest(ctx, time.Hour); err != nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			if !errors.Is(context.Cause(ctx), kernels.ErrOvertaken) {
				err = errBroken
			}
			r.given = append(r.given, challenger.ID)
			return kernels.Duel{}, err
		}
		return duelOf(0.9), nil
	}
	return r
}

// TestOvertakenDuel: a duel is given up once somebody is far faster, who fights instead. It counts neither as lost nor
// as a defeat. Where those claims come to nothing slow challengers become champion in the end: each gives way once.
func TestOvertakenDuel(t *testing.T) {
	for _, honest := range []bool{true, false} {
		t.Run(fmt.Sprintf("honest=%v", honest), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ev := newRivals(2, honest)
				cfg := toyConfig(t, "hills")
				cfg.Budget.Evals = 60
				var c collector
				sum, err := mustSearch(t, cfg, ev, &memory{}).Run(context.Background(), c.emit)
				if err != nil || sum.Lost != 0 || len(ev.given) == 0 || ev.fast[sum.Champion] != honest {
					t.Fatalf("%d duels given up, %+v, %v", len(ev.given), sum, err)
				}
				for i, id := range ev.given {
					if slices.Contains(ev.given[:i], id) {
						t.Errorf("%s has given way twice", id.Short())
					}
				}
				for _, e := range c.of(KindDuel) {
					if honest && slices.Contains(ev.given, e.ID) {
						t.Errorf("%s has given way and has a duel %+v", e.ID.Short(), e.Duel)
					}
				}
			})
		})
	}
}

// TestKnownDuelIsNotOvertaken: a duel whose outcome was stored before waits to be entered, and there is nothing to give
// up. The evaluator was never asked.
func TestKnownDuelIsNotOvertaken(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 30
	s := mustSearch(t, cfg, newTrialFake(2), &memory{})
	seen := false
	emit := func(e Event) {
		by, start := s.championship.challenger(s.pop), s.pop.start()
		if seen || by == nil || by.score >= farAhead*start.score || e.Kind != KindResult {
			return
		}
		seen = true
		known := &task{Champion: s.championship.champion().id, Challenger: start.id}
		s.queue.answered(answer{task: known})
		if s.overtake(); known.dropped {
			t.Error("given up, though it is over")
		}
		s.queue.leaveOut(known)
	}
	if _, err := s.Run(context.Background(), emit); err != nil || !seen {
		t.Fatalf("somebody was far ahead: %v; %v", seen, err)
	}
}

// leaveOut forgets a task that was entered as answered.
func (q *queue) leaveOut(t *task) {
	q.pending = slices.DeleteFunc(q.pending, func(x *task) bool { return x == t })
	q.arrived = slices.DeleteFunc(q.arrived, func(a answer) bool { return a.task == t })
}
