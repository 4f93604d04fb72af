package runner

import (
	"context"
	"sync"

	"darwarp/eval/trace"
)

// slots is the free slots of the output memory.
type slots struct {
	mu sync.Mutex
	line
	free    []int      // in the order in which they came free
	several sync.Mutex // held while more than one slot is taken
}

// MakeSlots makes n free slots.
func (p *slots) MakeSlots(n int) {
	p.free = nil
	for i := range n {
		p.free = append(p.free, i)
	}
}

// Slot waits for a slot of the output memory; who is urgent, or whose context is, goes before all others.
func (p *slots) Slot(ctx context.Context, urgent bool) (int, error) {
	defer trace.Begin(ctx, "wait for a slot").End()
	c := callerOf(ctx)
	if urgent {
		c = caller{rank: first}
	}
	p.mu.Lock()
	mine := p.join(c)
	p.serve()
	p.mu.Unlock()
	select {
	case slot := <-mine.ready:
		return slot, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	waited := p.leave(mine)
	p.mu.Unlock()
	if !waited { // it came meanwhile
		p.Free(<-mine.ready)
	}
	return 0, ctx.Err()
}

// Free gives a slot back.
func (p *slots) Free(slot int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, slot)
	p.serve()
}

// serve gives free slots to those who are next. The caller holds mu.
func (p *slots) serve() {
	for len(p.free) > 0 {
		w := p.next(false)
		if w == nil {
			return
		}
		w.ready <- p.free[0]
		p.free = p.free[1:]
	}
}

// keep has those who yield wait until it is released, also while slots are free.
func (p *slots) keep() (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.kept--
		p.serve()
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
		slot, err := p.Slot(Holding(ctx), false)
		if err != nil {
			release()
			return nil, err
		}
		if held = append(held, slot); slot == 0 {
			return release, nil
		}
	}
}
