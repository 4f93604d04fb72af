package eval

import (
	"context"
	"sync"

	"darwarp/eval/trace"
)

// slotPool is the free slots of the output memory.
type slotPool struct {
	slots   chan int
	first   chan int   // the same, for what goes before candidates
	several sync.Mutex // held while more than one slot is taken
}

// slot waits for a slot of the output memory; who is urgent, or whose context is, goes before all others.
func (s *slotPool) slot(ctx context.Context, urgent bool) (int, error) {
	defer trace.Begin(ctx, "wait for a slot").End()
	var first chan int
	if urgent || isUrgent(ctx) {
		first = s.first
	}
	select {
	case s := <-first:
		return s, nil
	case s := <-s.slots:
		return s, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (s *slotPool) free(slot int) {
	select {
	case s.first <- slot: // somebody urgent waits
	default:
		s.slots <- slot
	}
}
