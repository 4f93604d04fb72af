// Package tools runs the profile worker under NVIDIA's tools, Nsight Compute and compute-sanitizer, and reads their
// reports.
package tools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"darwarp/eval/internal/gpu"
)

// Find finds a program of the CUDA toolkit in PATH, in the toolkit, or where patterns say; empty when it is not
// here.
func Find(name string, patterns ...string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, pattern := range append([]string{os.Getenv("CUDA_HOME") + "/bin/" + name, "/usr/local/cuda/bin/" + name,
		"/usr/local/cuda-*/bin/" + name}, patterns...) {
		if all, err := filepath.Glob(pattern); err == nil && len(all) > 0 {
			return all[len(all)-1]
		}
	}
	return ""
}

// watching is what came of a profile worker under a tool.
type watching struct {
	report []byte // what the tool wrote to its --log-file
	said   []byte // what it and the worker printed
	failed error  // how it ended, where not well
	late   bool   // it was ended at its deadline
	enough bool   // it was ended because of what the report says
}

// watcher is a tool and when it is ended.
type watcher struct {
	tool     string
	options  []string
	deadline time.Duration
	enough   *regexp.Regexp // ends the tool once its report matches; nil: nothing does
}

// lookAgain is how long a report is left alone before it is read for what is enough.
const lookAgain = 250 * time.Millisecond

// watch runs the profile worker under a tool of NVIDIA's, which is told its options, then --log-file and the command.
// An error is ours, or the context's.
func (t watcher) watch(ctx context.Context, req *gpu.Profile) (w watching, err error) {
	dir, err := os.MkdirTemp("", "darwarp-watched-*")
	if err != nil {
		return w, err
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		return w, err
	}
	data, err := json.Marshal(req)
	if err != nil {
		return w, err
	}
	spec, out := filepath.Join(dir, "profile.json"), filepath.Join(dir, "report")
	if err := os.WriteFile(spec, data, 0o600); err != nil {
		return w, err
	}
	short, cancel := context.WithTimeout(ctx, t.deadline)
	defer cancel()
	cmd := exec.CommandContext(short, t.tool, append(t.options, "--log-file", out, self, "worker", "profile", spec)...)
	// Not with the workers' own environment: tools bring code of their own that the driver has to compile.
	cmd.Env = os.Environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	done := make(chan bool)
	go func() { done <- t.endEarly(short, cancel, out) }()
	w.said, w.failed = cmd.CombinedOutput()
	w.late = errors.Is(short.Err(), context.DeadlineExceeded) && ctx.Err() == nil
	cancel()
	w.enough = <-done
	w.report, _ = os.ReadFile(out) // empty when it did not come so far
	return w, ctx.Err()
}

// endEarly ends a tool by cancel when its report has what is enough, and says whether it did: a kernel that reads a
// megabyte of what nobody wrote would keep initcheck busy for minutes.
func (t watcher) endEarly(ctx context.Context, cancel context.CancelFunc, report string) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(lookAgain):
		}
		if t.enough == nil {
			continue
		}
		if text, err := os.ReadFile(report); err == nil && t.enough.Match(text) {
			cancel()
			return true
		}
	}
}
