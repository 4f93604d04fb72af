package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// stage is a device on which somebody holds the turn for a second at a time.
type stage struct {
	*Runner
	t     *testing.T
	order []string
}

// call has the turn for a second.
func (s *stage) call(ctx context.Context, who string) error {
	if err := s.mu.take(ctx, callerOf(ctx)); err != nil {
		return err
	}
	defer s.mu.Unlock()
	s.order = append(s.order, who)
	time.Sleep(time.Second)
	return nil
}

// candidate is gated in a slot and then timed without one.
func (s *stage) candidate(who string, likely bool) {
	ctx := Candidate(s.t.Context(), likely)
	slot, err := s.Slot(ctx, false)
	if err == nil {
		err = s.call(Holding(ctx), who+" gated")
		s.Free(slot)
	}
	if err = errors.Join(err, s.call(ctx, who+" timed")); err != nil {
		s.t.Error(err)
	}
}

// duel is gated in a slot, and then has the turn three times.
func (s *stage) duel(foremost bool) {
	if foremost {
		defer s.Keep()()
	}
	ctx := Urgently(s.t.Context())
	slot, err := s.Slot(ctx, true)
	if err != nil {
		s.t.Error(err)
		return
	}
	for i, what := range []string{"ready", "steady", "bank", "fresh"} {
		if err := s.call(ctx, what); err != nil {
			s.t.Error(err)
		}
		if i == 0 {
			s.Free(slot)
		}
		time.Sleep(time.Millisecond) // nobody wants the device for it meanwhile
	}
}

func testStage(t *testing.T, slots int, play func(s *stage)) []string {
	s := &stage{Runner: New(Setup{}, ""), t: t}
	synctest.Test(t, func(t *testing.T) {
		s.t = t
		s.MakeSlots(slots)
		play(s)
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(s.free) != slots || s.mu.taken || s.mu.kept+s.slots.kept > 0 || len(s.mu.waiting)+len(s.slots.waiting) > 0 {
			t.Errorf("%d of %d slots free, turn taken: %v", len(s.free), slots, s.mu.taken)
		}
	})
	return s.order
}

// TestKeep: while the device is kept no candidate gets it, not even between two calls. One that has a slot already is
// let through, since that slot may be the last; with as many candidates as slots nobody waits for ever.
func TestKeep(t *testing.T) {
	for _, tt := range []struct {
		foremost bool
		slots    int
		want     []string // the duel, and how many turns others have had before each of its
	}{
		{true, 1, []string{"1 ready", "1 steady", "1 bank", "1 fresh"}},
		{true, 3, []string{"2 ready", "3 steady", "3 bank", "3 fresh"}},
		{false, 3, []string{"2 ready", "3 steady", "4 bank", "5 fresh"}},
	} {
		var got []string
		others := 0
		order := testStage(t, tt.slots, func(s *stage) {
			for i := range 6 {
				go s.candidate(fmt.Sprint(i), false)
				synctest.Wait()
			}
			go s.duel(tt.foremost)
		})
		for _, who := range order {
			if slices.Contains([]string{"ready", "steady", "bank", "fresh"}, who) {
				got = append(got, fmt.Sprint(others, " ", who))
			} else {
				others++
			}
		}
		if !slices.Equal(got, tt.want) || others != 12 {
			t.Errorf("foremost: %v, %d slots: %v of %d others, expected %v of 12", tt.foremost, tt.slots, got, others, tt.want)
		}
	}
}

// TestKeptFromNobodyElse: what is no candidate does not wait for a duel to be over: whoever takes all slots, as a
// baseline does, would wait for the rest of them and keep them from the duel.
func TestKeptFromNobodyElse(t *testing.T) {
	testStage(t, 3, func(s *stage) {
		release := s.Keep()
		free, err := s.FirstSlot(Candidate(s.t.Context(), false))
		if err != nil {
			t.Fatal(err)
		}
		free()
		if err := s.call(s.t.Context(), "baseline"); err != nil {
			t.Error(err)
		}
		if s.mu.TryLock() {
			t.Error("what has no hurry took the device")
		}
		release()
		if !s.mu.TryLock() {
			t.Error("it is still kept")
		}
		s.mu.Unlock()
	})
}

// TestKeptTwice: two who keep it, as pools of one GPU, both have to release it.
func TestKeptTwice(t *testing.T) {
	var order []string
	testStage(t, 1, func(s *stage) {
		one, two := s.Keep(), s.Keep()
		go func() {
			s.candidate("candidate", false)
			order = append(order, "candidate")
		}()
		time.Sleep(time.Minute)
		one()
		time.Sleep(time.Minute)
		order = append(order, "released")
		two()
	})
	if !slices.Equal(order, []string{"released", "candidate"}) {
		t.Errorf("%v", order)
	}
}

// TestGivenUpWhileKept: a candidate that nobody waits for any more goes at once, and takes nothing with it.
func TestGivenUpWhileKept(t *testing.T) {
	testStage(t, 1, func(s *stage) {
		release := s.Keep()
		ctx, cancel := context.WithCancel(Candidate(s.t.Context(), true))
		gone := make(chan error, 2)
		go func() { gone <- s.call(ctx, "timed") }()
		go func() {
			_, err := s.Slot(ctx, false)
			gone <- err
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		for range 2 {
			select {
			case err := <-gone:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%v", err)
				}
			default:
				t.Error("it still waits")
			}
		}
		release()
	})
}

// TestLikelyGoFirst: of candidates that wait, those that are likely to be fast are gated and timed first.
func TestLikelyGoFirst(t *testing.T) {
	order := testStage(t, 1, func(s *stage) {
		for i, who := range []string{"a", "b", "c", "D", "E"} {
			go s.candidate(who, i > 2)
			synctest.Wait()
		}
	})
	var want []string
	for _, who := range []string{"a", "D", "E", "b", "c"} {
		want = append(want, who+" gated", who+" timed")
	}
	if !slices.Equal(order, want) {
		t.Errorf("%v, expected %v", order, want)
	}
}
