package compile

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runtime.lock")
	var inside, most atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			defer lock(t.Context(), path)()
			n := inside.Add(1)
			most.Store(max(most.Load(), n))
			time.Sleep(5 * time.Millisecond)
			inside.Add(-1)
		})
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d hold the lock at once", most.Load())
	}
	defer lock(t.Context(), path)()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	lock(ctx, path)()                                // with an ended context it does not wait
	lock(t.Context(), filepath.Join(path, "none"))() // nor if the file cannot be locked
}
