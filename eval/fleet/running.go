package fleet

import (
	"context"
	"slices"
	"strconv"
	"sync"
)

// running is what a worker does, by request. The zero value is nothing.
type running struct {
	mu      sync.Mutex
	begun   map[string][]*begun // more than one where the server has handed out a request again
	stopped map[string]bool     // before they were begun: word of that may overtake them
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
		r.begun = map[string][]*begun{}
	}
	b := &begun{do, cancel}
	r.begun[key] = append(r.begun[key], b)
	return ctx, func() { cancel(); r.end(key, b) }
}

// end forgets what was begun.
func (r *running) end(key string, b *begun) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun[key] = slices.DeleteFunc(r.begun[key], func(other *begun) bool { return other == b })
	if len(r.begun[key]) == 0 {
		delete(r.begun, key)
		delete(r.stopped, key)
	}
}

// stop gives a request up.
func (r *running) stop(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.begun[key] {
		b.stop()
	}
	if len(r.begun[key]) > 0 {
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
	for _, all := range r.begun {
		for _, b := range all {
			n[b.do]++
		}
	}
	return n
}
