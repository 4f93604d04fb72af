package proc

import "sync"

// How much of a worker's standard error is kept: its end, and its very beginning, where the Go runtime
// names a fatal signal before pages of stacks.
const (
	tailSize = 8 << 10
	headSize = 256
)

// tail is a writer that keeps the last bytes written, and the first.
type tail struct {
	mu        sync.Mutex
	head, buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.head = append(t.head, p[:min(len(p), headSize-len(t.head))]...)
	t.buf = append(t.buf, p[max(0, len(p)-tailSize):]...)
	if over := len(t.buf) - tailSize; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

// begin is the first bytes written.
func (t *tail) begin() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.head)
}
