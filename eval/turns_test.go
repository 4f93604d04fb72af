package eval

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"darwarp/kernels"
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
					lock.LockFirst()
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
	if ctx := context.Background(); isUrgent(ctx) || !isUrgent(urgently(ctx)) {
		t.Error("only what was marked is urgent")
	}
	for _, tt := range []struct {
		parts []kernels.TrialPart
		want  bool
	}{
		{kernels.QuickTrial, true},
		{kernels.WholeTrial, false},
		{kernels.SlowTrial, false},
	} {
		if got := quick(tt.parts); got != tt.want {
			t.Errorf("%v: quick %v, expected %v", tt.parts, got, tt.want)
		}
	}
}
