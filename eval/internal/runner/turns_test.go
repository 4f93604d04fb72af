package runner

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestTurns has callers wait behind one who holds the lock: those who go first come before those who asked earlier
// until they have had as much of the time, and each group keeps its order.
func TestTurns(t *testing.T) {
	for _, tt := range []struct {
		first, later time.Duration // a turn
		want         []string
	}{
		{time.Second, time.Second, []string{"A", "f", "B", "g", "C", "h", "D", "i", "j"}},
		{time.Millisecond, time.Second, []string{"A", "f", "B", "g", "C", "h", "D", "i", "j"}},
		{time.Second, 400 * time.Millisecond, []string{"A", "f", "g", "h", "B", "i", "j", "C", "D"}},
		{time.Minute, 400 * time.Millisecond, []string{"A", "f", "g", "h", "B", "i", "j", "C", "D"}},
		{0, time.Second, []string{"A", "B", "C", "D", "f", "g", "h", "i", "j"}},
	} {
		t.Run(fmt.Sprint(tt.first, " ", tt.later), func(t *testing.T) { testTurns(t, tt.first, tt.later, tt.want) })
	}
}

func isUrgent(ctx context.Context) bool { return callerOf(ctx).rank == first }

func testTurns(t *testing.T, first, later time.Duration, want []string) {
	synctest.Test(t, func(t *testing.T) {
		var lock turns
		var order []string
		lock.Lock()
		if lock.TryLock() {
			t.Error("taken twice")
		}
		for _, name := range []string{"f", "A", "g", "B", "C", "h", "i", "D", "j"} {
			go func() {
				took := later
				if name < "a" { // a capital
					_ = lock.take(context.Background(), caller{})
					took = first
				} else {
					lock.Lock()
				}
				order = append(order, name)
				time.Sleep(took)
				lock.Unlock()
			}()
			synctest.Wait() // one after the other
		}
		lock.Unlock()
		time.Sleep(time.Hour)
		if !lock.TryLock() {
			t.Error("not free in the end")
		}
		if !slices.Equal(order, want) {
			t.Errorf("%v, expected %v", order, want)
		}
	})
}

func TestUrgent(t *testing.T) {
	if ctx := context.Background(); isUrgent(ctx) || !isUrgent(Urgently(ctx)) || isUrgent(Candidate(ctx, true)) {
		t.Error("only what was marked is urgent")
	}
}

// TestTurnsOfAGPU: pools of the same GPU take it in turn, those of others do not wait for each other.
func TestTurnsOfAGPU(t *testing.T) {
	one, again, other := turnsOf("GPU-1"), turnsOf("GPU-1"), turnsOf("GPU-2")
	unknown, alike := turnsOf(""), turnsOf("")
	if one != again || one == other || unknown == alike {
		t.Error("turns are not those of a GPU")
	}
}

// A tool that takes the device beside the calls waits for them, and makes them wait.
func TestAloneOnTheDevice(t *testing.T) {
	r := New(Setup{}, "")
	ran := false
	r.Alone("test", func() {
		if ran = true; r.mu.TryLock() {
			t.Error("a call could have taken the device meanwhile")
		}
	})
	if !ran || !r.mu.TryLock() {
		t.Error("the device is not free again")
	}
}
