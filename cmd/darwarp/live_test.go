package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/search"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval/replay"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// slow is a recording that takes its time, as a GPU does.
type slow struct {
	*replay.Evaluator
	asked chan struct{} // hears of every evaluation
	done  chan struct{} // closed: answers at once
}

func (s slow) InOrder() bool { return false }

func (s slow) Capabilities() kernels.Capabilities { return kernels.Capabilities{Weigh: s.Weigh} }

func (s slow) Evaluate(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	s.asked <- struct{}{}
	select {
	case <-s.done:
	case <-time.After(5 * time.Millisecond):
	}
	return s.Evaluator.Evaluate(ctx, job)
}

// syncBuffer is a buffer that may be read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// slowSearch opens a search on a recording that takes its time. All that it says goes to errs.
func slowSearch(t *testing.T, errs *syncBuffer) (a *app, s *search.Search, ev slow) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TESTDATA", "testdata")
	space := filepath.Join(dir, "axpy.json.gz")
	if err := makeSpace(space); err != nil {
		t.Fatal(err)
	}
	a = newApp(&console.Console{Out: &bytes.Buffer{}, Err: errs})
	o := search.Options{Budget: store.Budget{Evals: 30}, Strategy: "random", Seed: 1, Store: filepath.Join(dir, "r.db"),
		Target: session.Target{Problem: space, Device: "auto"}}
	s, err := search.Open(t.Context(), o, a.Sayf)
	if err != nil {
		t.Fatal(err)
	}
	ev = slow{s.Session.Evaluator.(*replay.Evaluator), make(chan struct{}), make(chan struct{})}
	s.Session.Evaluator = ev
	return a, s, ev
}

// TestInterrupt drives a live search, watches it through its socket, and ends it with a signal.
func TestInterrupt(t *testing.T) {
	errs := &syncBuffer{}
	a, s, ev := slowSearch(t, errs)
	defer s.Close()
	stop := console.OnInterrupt(t.Context())
	defer stop.Release()
	watched := make(chan error, 1)
	seen := &syncBuffer{}
	go func() {
		for i := 0; ; i++ {
			<-ev.asked
			switch i {
			case 1: // the socket is there
				w := newApp(&console.Console{Out: seen, Err: &syncBuffer{}})
				go func() { watched <- w.watch(t.Context(), true, s.Run.Path()) }()
				for seen.String() == "" { // until it has begun
					time.Sleep(time.Millisecond)
				}
			case 8:
				_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
				<-stop.Soft.Done() // nobody answers before that is known
			}
		}
	}()
	sum, err := s.Drive(stop, a.showSearch(s, searchFlags{}, stop.Press, nil))
	if err != nil {
		t.Fatal(err)
	}
	if sum.Reason != evolve.ReasonInterrupted || sum.Evals < 2 || sum.Evals >= 30 {
		t.Errorf("ended with %+v, expected to be interrupted early", sum)
	}
	if n := s.Run.Len(); n != sum.Evals {
		t.Errorf("%d candidates are stored of %d", n, sum.Evals)
	}
	if err := <-watched; err != nil {
		t.Errorf("watch: %v", err)
	}
	if got := seen.String(); !strings.Contains(got, `"kind":"result"`) || !strings.Contains(got, `"kind":"end"`) {
		t.Errorf("watch saw:\n%s", got)
	}
	if got := errs.String(); !strings.Contains(got, "stopping: interrupted") {
		t.Errorf("stderr:\n%s", got)
	}
}

func TestSecondInterrupt(t *testing.T) {
	stop := console.OnInterrupt(t.Context())
	defer stop.Release()
	for _, ctx := range []context.Context{stop.Soft, stop.Hard} {
		if ctx.Err() != nil {
			t.Fatal("ended before a signal")
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
	}
}
