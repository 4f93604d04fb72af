package runner

import (
	"context"
	"sync"
	"time"
)

// turns hands something to one caller at a time, in the order of asking. Those who go first come before all others, but
// have no more of the time than these as long as both wait. The zero value is ready.
type turns struct {
	mu           sync.Mutex
	taken        bool
	first, later []chan struct{} // who waits

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
func (t *turns) Lock() { t.wait(&t.later) }

// LockFirst waits for a turn, before all who called Lock.
func (t *turns) LockFirst() { t.wait(&t.first) }

func (t *turns) wait(queue *[]chan struct{}) {
	t.mu.Lock()
	if !t.taken {
		t.begin(queue)
		t.mu.Unlock()
		return
	}
	mine := make(chan struct{})
	*queue = append(*queue, mine)
	t.mu.Unlock()
	<-mine
}

// begin notes a turn of one of a queue. The caller holds mu.
func (t *turns) begin(queue *[]chan struct{}) {
	t.taken, t.began, t.urgent = true, time.Now(), queue == &t.first
}

// TryLock takes a turn if nobody has it.
func (t *turns) TryLock() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken {
		return false
	}
	t.begin(&t.later)
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
	queue := &t.first
	if len(t.first) == 0 || t.ahead > 0 && len(t.later) > 0 {
		queue = &t.later
	}
	if len(*queue) == 0 {
		t.taken = false
		return
	}
	t.begin(queue)
	close((*queue)[0])
	*queue = (*queue)[1:]
}

// urgent marks a context whose calls of the device go first: those of duels, and of what a challenger has to stand
// before it reigns. They come one after the other; each would wait for all candidates otherwise. At large sizes some
// take a second.
type urgent struct{}

// Urgently is a context whose calls go first.
func Urgently(ctx context.Context) context.Context { return context.WithValue(ctx, urgent{}, true) }

func isUrgent(ctx context.Context) bool { return ctx.Value(urgent{}) != nil }
