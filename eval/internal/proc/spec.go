// Package proc runs worker processes: the same binary started again, spoken to in frames over two
// pipes. Work that can hang, crash or poison its process (compilers, drivers, candidates) happens
// in workers; the parent only waits with deadlines. A worker announces each phase before it starts
// it, so that its death can be attributed.
//
// The parent calls Start, then Call; the worker's main calls Main with a handler. Nothing a worker
// sends is believed beyond its type: lengths are capped, ids must echo, phases are bounded.
package proc

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"darwarp/eval/internal/sandbox"
)

// Spec says how to start a worker. The zero value of every field but Args works.
type Spec struct {
	Args  []string         // of the command line after the program
	Exe   string           // program; empty: this very program
	Env   []string         // NAME=value, beside the few names that are inherited
	Dir   string           // working directory; empty: the parent's
	Files []*os.File       // inherited, found in the worker by Inherited(0), Inherited(1), ...
	Fence *sandbox.Profile // what the worker may do; nil: all that we may
	Nice  int              // added to the worker's niceness, 0 to 19
	Hello time.Duration    // until the worker must be ready, 0: 30 s

	kill  func(pid int) error // tests make it powerless
	reap  time.Duration       // until a killed worker must be gone, 0: 10 s
	stops time.Duration       // between two looks whether it was stopped, 0: half a second
}

const (
	helloDefault = 30 * time.Second
	reapDefault  = 10 * time.Second
	grace        = time.Second           // for a worker that was asked to end
	ending       = 5 * time.Second       // for one whose pipe has ended: of one that is killed nobody knows why it ended
	drain        = 50 * time.Millisecond // for output of a dead worker whose pipe a stray child keeps open
	self         = "/proc/self/exe"      // the running image, also when its file was replaced by an upgrade
)

func (s Spec) withDefaults() Spec {
	if s.Exe == "" {
		s.Exe = self
	}
	if s.Hello == 0 {
		s.Hello = helloDefault
	}
	if s.reap == 0 {
		s.reap = reapDefault
	}
	if s.stops == 0 {
		s.stops = stopsEvery
	}
	if s.kill == nil {
		s.kill = func(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }
	}
	return s
}

// command builds the process; pipes are the worker's ends for requests and replies.
func (s Spec) command(requests, replies, stderr *os.File) (*exec.Cmd, error) {
	args, err := s.Fence.Args(s.Args)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(s.Exe, args...)
	if s.Exe == self {
		cmd.Args[0] = os.Args[0] // what ps shows
	}
	cmd.Env = append(environ(os.Environ()), s.Env...)
	cmd.Dir = s.Dir
	cmd.ExtraFiles = append([]*os.File{requests, replies}, s.Files...)
	cmd.Stderr = stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	s.Fence.Separate(cmd.SysProcAttr)
	return cmd, nil
}

// environ keeps what workers need. API keys, HOME and everything else stay with the parent.
func environ(all []string) []string {
	var kept []string
	for _, entry := range all {
		if name, _, _ := strings.Cut(entry, "="); inherited(name) {
			kept = append(kept, entry)
		}
	}
	return kept
}

func inherited(name string) bool {
	for _, secret := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD"} {
		if strings.Contains(strings.ToUpper(name), secret) {
			return false
		}
	}
	switch name {
	case "PATH", "LD_LIBRARY_PATH", "TMPDIR", "GORACE": // the last is for tests: see .ci/run
		return true
	}
	return strings.HasPrefix(name, "CUDA_") || strings.HasPrefix(name, "DARWARP_")
}
