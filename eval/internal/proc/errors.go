package proc

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"
)

// Exit codes of workers.
const (
	ExitInternal    = 70 // our own failure: never the candidate's
	ExitDeviceFault = 71 // the device context is poisoned; reported before the exit
	exitRuntime     = 2  // the Go runtime's, after a fatal signal in code that is not Go
)

var (
	// ErrUnkillable says that a killed worker was not gone after ten seconds: it hangs in a driver.
	// It stays behind, and its device is suspect.
	ErrUnkillable = errors.New("worker survives SIGKILL")
	// ErrDeviceFault is what a handler returns when its process can no longer use the device.
	ErrDeviceFault = errors.New("device fault")
	// ErrClosed says that the worker or pool was closed by us.
	ErrClosed = errors.New("worker closed")
)

// Died says that a worker ended without a reply.
type Died struct {
	Phase    string         // what it announced last
	Signal   syscall.Signal // that ended it, 0 when it exited
	ExitCode int            // 0 when a signal ended it
	Stderr   string         // the end of what it wrote
	Memory   bool           // the kernel ended it because memory ran out
	Fatal    string         // what the Go runtime called a signal in code that is not Go; empty: no such
}

func (e *Died) Error() string {
	how := fmt.Sprintf("exit code %d", e.ExitCode)
	if e.Signal != 0 {
		how = "signal: " + e.Signal.String()
	}
	if e.Memory {
		how = "ended by the kernel because memory ran out"
	}
	what := lastLines(e.Stderr, 5)
	if e.ExitCode == exitRuntime && e.Fatal != "" {
		what = ": " + e.Fatal
	}
	return fmt.Sprintf("worker died %s(%s)%s", during(e.Phase), how, what)
}

// fatalSignal finds what the Go runtime says first of a signal in code that is not Go.
func fatalSignal(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "SIG") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// Crash reports whether the worker fell over what it was doing, as against being killed from
// outside or failing on our side.
func (e *Died) Crash() bool {
	switch e.Signal {
	case 0:
		return e.ExitCode == exitRuntime
	case syscall.SIGKILL:
		return e.Memory
	case syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE,
		syscall.SIGSEGV, syscall.SIGSYS, syscall.SIGXCPU, syscall.SIGXFSZ:
		return true
	}
	return false
}

// DeviceFault reports whether the worker gave up its device on purpose.
func (e *Died) DeviceFault() bool { return e.ExitCode == ExitDeviceFault }

// Deadline says that a worker did not reply in time and was killed.
type Deadline struct {
	Phase string
	After time.Duration
}

func (e *Deadline) Error() string {
	return fmt.Sprintf("worker killed %safter %v", during(e.Phase), e.After)
}

// Timeout makes a Deadline a timeout for callers that look for net.Error's method.
func (e *Deadline) Timeout() bool { return true }

// Garbage says that a worker broke the protocol and was killed.
type Garbage struct {
	Phase  string
	Reason string
}

func (e *Garbage) Error() string {
	return fmt.Sprintf("worker sent garbage %s(%s)", during(e.Phase), e.Reason)
}

func during(phase string) string {
	if phase == "" {
		return ""
	}
	return fmt.Sprintf("during %q ", phase)
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if lines[0] == "" && len(lines) == 1 {
		return ""
	}
	return ": " + strings.Join(lines[max(0, len(lines)-n):], "\n")
}
