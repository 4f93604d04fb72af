package proc

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestDeaths(t *testing.T) {
	died := func(signal syscall.Signal, code int, crash bool) func(error) string {
		return func(err error) string {
			var d *Died
			if !errors.As(err, &d) {
				return "is no *Died"
			}
			if d.Signal != signal || d.ExitCode != code || d.Crash() != crash {
				return fmt.Sprintf("signal %d, code %d, crash %v; want %d, %d, %v", d.Signal, d.ExitCode, d.Crash(), signal, code,
					crash)
			}
			return ""
		}
	}
	garbage := func(err error) string {
		if g := new(*Garbage); !errors.As(err, g) {
			return "is no *Garbage"
		}
		return ""
	}
	tests := []struct {
		do    string
		n     int
		check func(error) string
	}{
		{"segv", 0, died(0, exitRuntime, true)}, // Go's runtime turns it into an exit
		{"kill", 0, died(syscall.SIGKILL, 0, false)},
		{"exit", 0, died(0, 0, false)},
		{"exit", 5, died(0, 5, false)},
		{"fault", 0, died(0, ExitDeviceFault, false)},
		{"panic", 0, died(0, ExitInternal, false)},
		{"silent", 0, died(0, ExitInternal, false)},
		{"impossible", 0, died(0, ExitInternal, false)},
		{"close", 0, died(syscall.SIGKILL, 0, false)},
		{"half", 0, died(0, 0, false)},
		{"garbage", 0, garbage},
		{"notjson", 0, garbage},
		{"notjsonbody", 0, garbage},
		{"gigabyte", 0, garbage},
		{"wrongid", 0, garbage},
		{"wrongkind", 0, garbage},
		{"wrongbody", 0, garbage},
		{"unknownfield", 0, garbage},
		{"flood", 0, garbage},
		{"stderr", 1 << 20, died(0, 3, false)},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.do, tt.n), func(t *testing.T) {
			w := start(t, Spec{})
			_, err := do(t, w, tt.do, tt.n, long)
			if complaint := tt.check(err); complaint != "" {
				t.Fatalf("%v: %s", err, complaint)
			}
			if w.Alive() || processExists(w.PID()) {
				t.Error("the worker is still there")
			}
			if _, again := do(t, w, "echo", 1, long); again == nil {
				t.Error("a dead worker took a call")
			}
			if len(w.Stderr()) > tailSize {
				t.Errorf("%d bytes of standard error kept", len(w.Stderr()))
			}
		})
	}
}

func TestDiedTellsPhaseAndStderr(t *testing.T) {
	w := start(t, Spec{})
	_, err := do(t, w, "stderr", 1000, long)
	var d *Died
	if !errors.As(err, &d) || d.Phase != "doing stderr" || !strings.HasSuffix(d.Stderr, "the end\n") {
		t.Errorf("error %#v", err)
	}
	if !strings.Contains(err.Error(), "the end") || !strings.Contains(err.Error(), "doing stderr") {
		t.Errorf("message %q", err)
	}
}

func TestUnkillable(t *testing.T) {
	w := start(t, Spec{kill: func(int) error { return nil }, reap: 100 * time.Millisecond, stops: time.Hour})
	_, err := do(t, w, "stop", 0, 50*time.Millisecond) // a stopped one cannot end by itself either
	if d := new(*Deadline); !errors.As(err, d) || !errors.Is(err, ErrUnkillable) {
		t.Errorf("error %v, want *Deadline and %v", err, ErrUnkillable)
	}
	if err := w.Close(); !errors.Is(err, ErrUnkillable) {
		t.Errorf("Close: %v, want %v", err, ErrUnkillable)
	}
	if err := syscall.Kill(w.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if !w.await(long) {
		t.Error("the end of the worker was not noticed")
	}
}

func TestGrandchild(t *testing.T) {
	for _, what := range []string{"grandchild", "escaped"} {
		t.Run(what, func(t *testing.T) {
			w := start(t, Spec{})
			var pid int
			// The grandchild sleeps longer than the deadline: a reader that waits for it meets it.
			err := w.Call(t.Context(), &request{Do: what}, nil, long, func(p string) { _, _ = fmt.Sscanf(p, "pid %d", &pid) })
			if d := new(*Died); !errors.As(err, d) {
				t.Errorf("error %v, want *Died", err)
			}
			if pid == 0 {
				t.Fatal("no grandchild")
			}
			if what == "escaped" {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			} else if !eventually(func() bool { return !running(pid) }) {
				t.Errorf("grandchild %d lives on", pid)
			}
		})
	}
}

// running reports whether a process exists and is no zombie.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(after, "Z")
}

func eventually(ok func() bool) bool {
	for range 3000 {
		if ok() {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func TestParentDeath(t *testing.T) {
	cmd := exec.Command(self, roleFlag+"parent")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	pid, convErr := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || convErr != nil || !running(pid) {
		t.Fatalf("worker %q is not running: %v, %v", line, err, convErr)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if !eventually(func() bool { return !running(pid) }) {
		t.Errorf("worker %d outlived its parent", pid)
	}
}
