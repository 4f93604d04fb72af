package runner

import (
	"context"
	"sync"
	"time"
)

// turns hands something to one caller at a time, in the order of asking. Those who go first come before all others, but
// have no more of the time than these as long as both wait. The zero value is ready.
type turns struct {
	mu    sync.Mutex
	taken bool
	line

	began  time.Time     // the turn
	urgent bool          // it is that of one who goes first
	ahead  time.Duration // by so much have those who go first had more of the time
}

// gpuTurns are the turns of each GPU, by UUID: pools of the same GPU in this process take it in turn.
var gpuTurns sync.Map

// turnsOf are the turns of a device; one that has no UUID is nobody else's.
func turnsOf(uuid string) *turns {
	if uuid == "" {
		return new(turns)
	}
	t, _ := gpuTurns.LoadOrStore(uuid, new(turns))
	return t.(*turns)
}

// mostAhead bounds what the others have in a row after a long turn of one who goes first.
const mostAhead = time.Second

// Lock waits for a turn.
func (t *turns) Lock() { _ = t.take(context.Background(), caller{rank: later}) }

// take waits for a turn until the context ends.
func (t *turns) take(ctx context.Context, c caller) error {
	t.mu.Lock()
	if !t.taken && !t.bars(c) {
		t.begin(c)
		t.mu.Unlock()
		return nil
	}
	mine := t.join(c)
	t.mu.Unlock()
	select {
	case <-mine.ready:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	waited := t.leave(mine)
	t.mu.Unlock()
	if !waited { // its turn came meanwhile
		t.Unlock()
	}
	return ctx.Err()
}

// begin notes a turn. The caller holds mu.
func (t *turns) begin(c caller) { t.taken, t.began, t.urgent = true, time.Now(), c.rank == first }

// TryLock takes a turn if nobody has it, or keeps it for what follows.
func (t *turns) TryLock() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken || t.kept > 0 {
		return false
	}
	t.begin(caller{rank: later})
	return true
}

// Unlock gives the turn to who is next.
func (t *turns) Unlock() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if took := time.Since(t.began); t.urgent {
		t.ahead = min(t.ahead+took, mostAhead)
	} else {
		t.ahead = max(0, t.ahead-took)
	}
	t.taken = false
	t.serve()
}

// serve begins the turn of who is next, if there is none. The caller holds mu.
func (t *turns) serve() {
	if t.taken {
		return
	}
	if w := t.next(t.ahead > 0); w != nil {
		t.begin(w.caller)
		w.ready <- 0
	}
}

// keep has those who yield wait until it is released, also while nobody has a turn.
func (t *turns) keep() (release func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.kept--
		t.serve()
	}
}

// Keep keeps the device from candidates, until it is released, for calls that come one after the other. Who has a slot
// gets its turn all the same, so that the slot comes free.
func (r *Runner) Keep() (release func()) {
	turn, slot := r.mu.keep(), r.slots.keep()
	return func() { turn(); slot() }
}
