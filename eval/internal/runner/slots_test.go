package runner

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestUrgentGoesFirst has somebody urgent come after two who wait for the gate already.
func TestUrgentGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p slots
		var order []string
		wait := func(ctx context.Context, who string, urgent bool) {
			go func() {
				slot, err := p.Slot(ctx, urgent)
				if err != nil {
					t.Error(err)
				}
				order = append(order, who)
				time.Sleep(time.Second)
				p.Free(slot)
			}()
			synctest.Wait()
		}
		wait(t.Context(), "candidate 1", false)
		wait(t.Context(), "candidate 2", false)
		wait(t.Context(), "challenger", true)
		wait(Urgently(t.Context()), "champion", false) // gated again in a duel
		p.Free(0)
		time.Sleep(time.Minute)
		synctest.Wait()
		if !slices.Equal(order, []string{"challenger", "champion", "candidate 1", "candidate 2"}) || len(p.free) != 1 {
			t.Errorf("%q, %d slots free afterwards", order, len(p.free))
		}
		ctx, cancel := context.WithCancel(t.Context())
		p.free = nil
		cancel()
		if _, err := p.Slot(ctx, true); err == nil {
			t.Error("a slot out of nothing")
		}
	})
}

// TestTwoSlots: who takes two slots leaves nobody waiting for ever, and gives back both.
func TestTwoSlots(t *testing.T) {
	var p slots
	p.MakeSlots(2)
	done := make(chan [2]int)
	for range 8 {
		go func() {
			slots, free, err := p.TwoSlots(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			free()
			done <- slots
		}()
	}
	for range 8 {
		select {
		case slots := <-done:
			if slots[0] == slots[1] {
				t.Errorf("slots %v", slots)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("two of them wait for each other")
		}
	}
}
