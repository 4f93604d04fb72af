package eval

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"darwarp/kernels"
)

// TestTurns has callers wait behind one who holds the lock: those who go first come before those who asked earlier, and each
// group keeps its order.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lock turns
		var order []string
		lock.Lock()
		if lock.TryLock() {
			t.Error("taken twice")
		}
		for _, name := range []string{"a", "B", "c", "D"} {
			go func() {
				if name < "a" { // a capital
					lock.LockFirst()
				} else {
					lock.Lock()
				}
				order = append(order, name)
				time.Sleep(time.Second)
				lock.Unlock()
			}()
			synctest.Wait() // one after the other
		}
		lock.Unlock()
		time.Sleep(time.Minute)
		if !lock.TryLock() {
			t.Error("not free in the end")
		}
		if want := []string{"B", "D", "a", "c"}; !slices.Equal(order, want) {
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
