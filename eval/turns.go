package eval

import (
	"context"
	"sync"
)

// turns hands something to one caller at a time, in the order of asking, but to those who go first before all others. The zero
// value is ready.
type turns struct {
	mu           sync.Mutex
	taken        bool
	first, later []chan struct{} // who waits
}

// Lock waits for a turn.
func (t *turns) Lock() { t.wait(&t.later) }

// LockFirst waits for a turn, before all who called Lock.
func (t *turns) LockFirst() { t.wait(&t.first) }

func (t *turns) wait(queue *[]chan struct{}) {
	t.mu.Lock()
	if !t.taken {
		t.taken = true
		t.mu.Unlock()
		return
	}
	mine := make(chan struct{})
	*queue = append(*queue, mine)
	t.mu.Unlock()
	<-mine
}

// TryLock takes a turn if nobody has it.
func (t *turns) TryLock() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken {
		return false
	}
	t.taken = true
	return true
}

// Unlock gives the turn to who is next.
func (t *turns) Unlock() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, queue := range []*[]chan struct{}{&t.first, &t.later} {
		if len(*queue) > 0 {
			close((*queue)[0])
			*queue = (*queue)[1:]
			return
		}
	}
	t.taken = false
}

// urgent marks a context whose calls of the device go first: those of duels, and of what a challenger has to stand before it
// reigns. They are many and short, one after the other; each would wait for all candidates otherwise.
type urgent struct{}

func urgently(ctx context.Context) context.Context { return context.WithValue(ctx, urgent{}, true) }

func isUrgent(ctx context.Context) bool { return ctx.Value(urgent{}) != nil }
