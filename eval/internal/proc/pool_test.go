package proc

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// counted is a pool of fake workers that counts starts and stops.
func counted(t *testing.T, slots, maxCalls int) (p *Pool, starts, stops *atomic.Int32) {
	starts, stops = new(atomic.Int32), new(atomic.Int32)
	p = NewPool(PoolConfig{
		Slots: slots, MaxCalls: maxCalls,
		Start: func(ctx context.Context, slot int) (*Worker, error) {
			starts.Add(1)
			return Start(ctx, Spec{Args: []string{roleFlag + "serve"}})
		},
		Stop: func(int) { stops.Add(1) },
	})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if starts.Load() != stops.Load() {
			t.Errorf("%d workers started, %d tidied up", starts.Load(), stops.Load())
		}
	})
	return p, starts, stops
}

func poolDo(ctx context.Context, p *Pool, what string) error {
	return p.Do(ctx, func(w *Worker) error {
		return w.Call(ctx, &request{Do: what}, &reply{}, long, nil)
	})
}

func TestPoolReplaces(t *testing.T) {
	tests := []struct {
		name     string
		maxCalls int
		calls    []string
		starts   int32
	}{
		{"healthy", 0, []string{"echo", "echo", "echo"}, 1},
		{"worn", 2, []string{"echo", "echo", "echo", "echo"}, 2},
		{"crash", 0, []string{"echo", "segv", "echo"}, 2},
		{"finish", 0, []string{"last", "echo"}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, starts, _ := counted(t, 1, tt.maxCalls)
			for _, c := range tt.calls {
				if err := poolDo(t.Context(), p, c); (err != nil) != (c == "segv") {
					t.Errorf("%s: %v", c, err)
				}
			}
			if starts.Load() != tt.starts {
				t.Errorf("%d starts, want %d", starts.Load(), tt.starts)
			}
		})
	}
}

func TestPoolIsConcurrent(t *testing.T) {
	p, starts, _ := counted(t, 3, 0)
	var busy, most atomic.Int32
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			err := p.Do(t.Context(), func(w *Worker) error {
				most.Store(max(most.Load(), busy.Add(1)))
				defer busy.Add(-1)
				return w.Call(t.Context(), &request{Do: "echo"}, &reply{}, long, nil)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most.Load() > 3 || starts.Load() > 3 {
		t.Errorf("%d at once, %d starts; want at most 3", most.Load(), starts.Load())
	}
}

// TestPoolWakes: each slot gets a worker before anybody needs one, and none is started after that; one that dies of
// what it was woken with is replaced.
func TestPoolWakes(t *testing.T) {
	const slots = 3
	p, starts, _ := counted(t, slots, 0)
	var woken sync.WaitGroup
	woken.Add(slots)
	p.Wake(func(w *Worker) {
		defer woken.Done()
		if w.PID() == 0 || !w.Alive() {
			t.Error("lent without a worker")
		}
	})
	woken.Wait()
	for range 2 * slots {
		if err := poolDo(t.Context(), p, "echo"); err != nil {
			t.Error(err)
		}
	}
	if n := starts.Load(); n != slots {
		t.Errorf("%d starts, want %d", n, slots)
	}
	woken.Add(slots)
	p.Wake(func(w *Worker) {
		defer woken.Done()
		_ = w.Call(t.Context(), &request{Do: "segv"}, &reply{}, long, nil)
	})
	woken.Wait()
	if err := poolDo(t.Context(), p, "echo"); err != nil {
		t.Error("after those that were woken died:", err)
	}
}

// TestPoolClosesWhileWaking: nobody is left behind, which counted looks at.
func TestPoolClosesWhileWaking(t *testing.T) {
	p, _, _ := counted(t, 3, 0)
	p.Wake(func(w *Worker) { _ = w.Call(context.Background(), &request{Do: "hang"}, &reply{}, long, nil) })
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestPoolGivesUpStarting(t *testing.T) {
	var starts atomic.Int32
	p := NewPool(PoolConfig{Slots: 1, Start: func(ctx context.Context, slot int) (*Worker, error) {
		starts.Add(1)
		return Start(ctx, Spec{Args: []string{roleFlag + "broken"}})
	}})
	defer p.Close()
	err := poolDo(t.Context(), p, "echo")
	if err == nil || !strings.Contains(err.Error(), "no such library") || starts.Load() != startAttempts {
		t.Errorf("error %v after %d starts", err, starts.Load())
	}
}

func TestPoolCloseCutsCalls(t *testing.T) {
	p, _, _ := counted(t, 1, 0)
	var closing sync.WaitGroup
	err := p.Do(t.Context(), func(w *Worker) error {
		return w.Call(t.Context(), &request{Do: "hang"}, nil, long, func(string) {
			closing.Go(func() { _ = p.Close() })
		})
	})
	closing.Wait()
	if !errors.Is(err, ErrClosed) {
		t.Errorf("error %v, want %v", err, ErrClosed)
	}
	if err := poolDo(t.Context(), p, "echo"); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v, want %v", err, ErrClosed)
	}
}

func TestPoolWaitsWithContext(t *testing.T) {
	p, _, _ := counted(t, 1, 0)
	err := p.Do(t.Context(), func(*Worker) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return poolDo(ctx, p, "echo")
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
