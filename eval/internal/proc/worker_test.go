package proc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"darwarp/kernels"
)

// long is a deadline that only a broken test meets.
const long = time.Minute

func start(t testing.TB, spec Spec) *Worker {
	t.Helper()
	spec.Args = []string{roleFlag + "serve"}
	w, err := Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if processExists(w.PID()) {
			t.Errorf("worker %d still exists after Close", w.PID())
		}
	})
	return w
}

func processExists(pid int) bool { return syscall.Kill(pid, 0) == nil }

func do(t testing.TB, w *Worker, what string, n int, deadline time.Duration) (reply, error) {
	t.Helper()
	var got reply
	err := w.Call(t.Context(), &request{Do: what, N: n}, &got, deadline, nil)
	return got, err
}

func TestCall(t *testing.T) {
	w := start(t, Spec{})
	big := bytes.Repeat([]byte("cubin"), 1<<20)
	for i, data := range [][]byte{nil, []byte("x"), big} {
		var got reply
		var phases []string
		req := &request{Do: "echo", N: i, Data: data}
		if err := w.Call(t.Context(), req, &got, long, func(p string) { phases = append(phases, p) }); err != nil {
			t.Fatal(err)
		}
		if got.Text != "echo" || got.N != i || !bytes.Equal(got.Data, data) {
			t.Errorf("reply %q, n %d, %d bytes; want echo, %d, %d", got.Text, got.N, len(got.Data), i, len(data))
		}
		if !slices.Equal(phases, []string{"doing echo"}) {
			t.Errorf("phases %q", phases)
		}
	}
	if w.Calls() != 3 || !w.Alive() {
		t.Errorf("calls %d, alive %v; want 3, true", w.Calls(), w.Alive())
	}
}

func TestRequestTooLong(t *testing.T) {
	w := start(t, Spec{})
	err := w.Call(t.Context(), &request{Do: "echo", Data: make([]byte, maxFrame)}, nil, long, nil)
	if !errors.Is(err, errTooLong) {
		t.Fatalf("error %v, want %v", err, errTooLong)
	}
	if _, err := do(t, w, "echo", 1, long); err != nil {
		t.Errorf("the worker did not survive a request that was never sent: %v", err)
	}
}

func TestDeadline(t *testing.T) {
	for _, what := range []string{"hang", "stop"} {
		t.Run(what, func(t *testing.T) {
			var d *Deadline
			for after := 100 * time.Millisecond; after < long; after *= 2 { // until the worker got as far as that before
				w := start(t, Spec{stops: time.Hour})
				_, err := do(t, w, what, 0, after)
				if !errors.As(err, &d) || d.After != after {
					t.Fatalf("error %v", err)
				}
				if processExists(w.PID()) {
					t.Error("the worker is still there")
				}
				if d.Phase != "" {
					break
				}
			}
			if d.Phase != "doing "+what {
				t.Errorf("phase %q", d.Phase)
			}
		})
	}
}

func TestDeadlineWhileSending(t *testing.T) {
	w := start(t, Spec{stops: time.Hour})
	if err := syscall.Kill(w.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	err := w.Call(t.Context(), &request{Do: "echo", Data: make([]byte, 1<<20)}, nil, 100*time.Millisecond, nil)
	if d := new(*Deadline); !errors.As(err, d) {
		t.Errorf("error %v, want *Deadline", err)
	}
}

func TestContextEndsCall(t *testing.T) {
	w := start(t, Spec{})
	ctx, cancel := context.WithCancel(t.Context())
	err := w.Call(ctx, &request{Do: "hang"}, nil, long, func(string) { cancel() })
	if !errors.Is(err, context.Canceled) || w.Alive() {
		t.Errorf("error %v, alive %v", err, w.Alive())
	}
}

// What somebody far faster has overtaken ends by itself: another worker would have to be made ready.
func TestOvertakenCallGoesOn(t *testing.T) {
	w := start(t, Spec{})
	ctx, overtake := context.WithCancelCause(t.Context())
	err := w.Call(ctx, &request{Do: "echo"}, nil, long, func(string) { overtake(kernels.ErrOvertaken) })
	if err != nil || !w.Alive() {
		t.Errorf("error %v, alive %v", err, w.Alive())
	}
}

func TestCloseEndsCall(t *testing.T) {
	w := start(t, Spec{})
	var closing sync.WaitGroup
	err := w.Call(t.Context(), &request{Do: "hang"}, nil, long, func(string) {
		closing.Go(func() { _ = w.Close() })
	})
	closing.Wait()
	if !errors.Is(err, ErrClosed) {
		t.Errorf("error %v, want %v", err, ErrClosed)
	}
}

func TestFinish(t *testing.T) {
	w := start(t, Spec{})
	got, err := do(t, w, "last", 0, long)
	if err != nil || got.Text != "bye" || w.Alive() {
		t.Fatalf("reply %+v, error %v, alive %v", got, err, w.Alive())
	}
	if _, err := do(t, w, "echo", 0, long); !errors.Is(err, ErrClosed) {
		t.Errorf("next call: %v, want %v", err, ErrClosed)
	}
}

func TestStartFailures(t *testing.T) {
	tests := []struct {
		name  string
		spec  Spec
		wants string
	}{
		{"no such program", Spec{Exe: filepath.Join(t.TempDir(), "none")}, "no such file"},
		{"never ready", Spec{Args: []string{roleFlag + "mute"}, Hello: 100 * time.Millisecond}, `during "start"`},
		{"fails at once", Spec{Args: []string{roleFlag + "broken"}}, "no such library"},
		{"other protocol", Spec{Args: []string{roleFlag + "old"}}, "program replaced"},
		{"not a worker", Spec{Args: []string{"-test.run=^$"}}, "exit code 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := Start(t.Context(), tt.spec)
			if err == nil {
				w.Close()
			}
			if err == nil || !strings.Contains(err.Error(), tt.wants) {
				t.Errorf("error %v, want one with %q", err, tt.wants)
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "canary-1")
	t.Setenv("DARWARP_API_KEY", "canary-2")
	t.Setenv("CUDA_VISIBLE_DEVICES", "7")
	w := start(t, Spec{Env: []string{"EXTRA=1"}})
	got, err := do(t, w, "env", 0, long)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"CUDA_VISIBLE_DEVICES=7", "EXTRA=1", "PATH="} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("%s did not reach the worker", want)
		}
	}
	for _, secret := range []string{"canary", "HOME="} {
		if strings.Contains(got.Text, secret) {
			t.Errorf("%s reached the worker", secret)
		}
	}
}

func TestNice(t *testing.T) {
	own, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := start(t, Spec{Nice: 5})
	got, err := syscall.Getpriority(syscall.PRIO_PROCESS, w.PID())
	if err != nil || got != 15 { // the system call returns 20 - niceness
		t.Errorf("priority %d, %v; want 15", got, err)
	}
	if now, _ := syscall.Getpriority(syscall.PRIO_PROCESS, 0); now != own {
		t.Errorf("the parent's priority went from %d to %d", own, now)
	}
}

func TestShared(t *testing.T) {
	s, err := NewShared("darwarp-test", 4096)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Grow(3 << 20); err != nil {
		t.Fatal(err)
	}
	w := start(t, Spec{Files: []*os.File{s.File()}})
	got, err := do(t, w, "shared", 42, long)
	if err != nil || got.N != 3<<20 || got.Text != "shrunk false, sealed false" {
		t.Fatalf("reply %+v, %v", got, err)
	}
	if err := s.Grow(4 << 20); err != nil {
		t.Errorf("the memory cannot grow any more: %v", err)
	}
	for i, b := range s.Map()[:3<<20] {
		if b != 42 {
			t.Fatalf("byte %d is %d, want 42", i, b)
		}
	}
}
