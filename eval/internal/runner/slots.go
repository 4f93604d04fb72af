package runner

import (
	"context"
	"sync"

	"darwarp/eval/trace"
)

// slots is the free slots of the output memory.
type slots struct {
	slots   chan int
	first   chan int   // the same, for what goes before candidates
	several sync.Mutex // held while more than one slot is taken
}

// MakeSlots makes n free slots.
func (p *slots) MakeSlots(n int) {
	p.slots, p.first = make(chan int, n), make(chan int)
	for i := range n {
		p.slots <- i
	}
}

// Slot waits for a slot of the output memory; who is urgent, or whose context is, goes before all others.
func (p *slots) Slot(ctx context.Context, urgent bool) (int, error) {
	defer trace.Begin(ctx, "wait for a slot").End()
	var first chan int
	if urgent || isUrgent(ctx) {
		first = p.first
	}
	select {
	case s := <-first:
		return s, nil
	case s := <-p.slots:
		return s, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Free gives a slot back.
func (p *slots) Free(slot int) {
	select {
	case p.first <- slot: // somebody urgent waits
	default:
		p.slots <- slot
	}
}

// TwoSlots waits for a slot for each side. Whoever takes more than one takes all of them before another does, so
// that nobody waits for what the other holds.
func (p *slots) TwoSlots(ctx context.Context) (slots [2]int, free func(), err error) {
	p.several.Lock()
	defer p.several.Unlock()
	if slots[0], err = p.Slot(ctx, true); err != nil {
		return slots, nil, err
	}
	if slots[1], err = p.Slot(ctx, true); err != nil {
		p.Free(slots[0])
		return slots, nil, err
	}
	return slots, func() { p.Free(slots[0]); p.Free(slots[1]) }, nil
}

// FirstSlot takes slot 0, which is the device's to write a library's outputs to, and all that is free before it is.
func (p *slots) FirstSlot(ctx context.Context) (release func(), err error) {
	p.several.Lock()
	var held []int
	release = func() {
		for _, s := range held {
			p.Free(s)
		}
		p.several.Unlock()
	}
	for {
		slot, err := p.Slot(ctx, false)
		if err != nil {
			release()
			return nil, err
		}
		if held = append(held, slot); slot == 0 {
			return release, nil
		}
	}
}
