package fleet

import (
	"context"
	"strconv"
	"sync"
)

// running is what a worker does, by request. The zero value is nothing.
type running struct {
	mu      sync.Mutex
	begun   map[string]begun
	stopped map[string]bool // before they were begun: word of that may overtake them
}

// begun is a request that is being done.
type begun struct {
	do   string
	stop context.CancelFunc
}

// mostStopped bounds the memory of what never came.
const mostStopped = 256

// requestKey names a request: the numbers of two sessions are the same.
func requestKey(session string, number uint64) string {
	return session + " " + strconv.FormatUint(number, 10)
}

// begin is the context of a request, until done.
func (r *running) begin(ctx context.Context, key, do string) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped[key] {
		cancel()
	}
	if r.begun == nil {
		r.begun = map[string]begun{}
	}
	r.begun[key] = begun{do, cancel}
	return ctx, func() {
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.begun, key)
		delete(r.stopped, key)
	}
}

// stop gives a request up.
func (r *running) stop(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b, ok := r.begun[key]; ok {
		b.stop()
		return
	}
	if len(r.stopped) >= mostStopped || r.stopped == nil {
		r.stopped = map[string]bool{}
	}
	r.stopped[key] = true
}

// doing is how many requests of each kind are being done.
func (r *running) doing() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := map[string]int{}
	for _, b := range r.begun {
		n[b.do]++
	}
	return n
}
