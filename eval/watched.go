package eval

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"darwarp/eval/internal/gpu"
)

// findTool finds a program of the CUDA toolkit in PATH, in the toolkit, or where patterns say; empty when it is not
// here.
func findTool(name string, patterns ...string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, pattern := range append([]string{os.Getenv("CUDA_HOME") + "/bin/" + name, "/usr/local/cuda/bin/" + name, "/usr/local/cuda-*/bin/" + name}, patterns...) {
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
}

// watched runs the profile worker under a tool of NVIDIA's, which is told its options, then --log-file and the command.
// An error is ours, or the context's.
func watched(ctx context.Context, req *gpu.Profile, deadline time.Duration, tool string, options ...string) (w watching, err error) {
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
	short, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	cmd := exec.CommandContext(short, tool, append(options, "--log-file", out, self, "worker", "profile", spec)...)
	// Not with the workers' own environment: tools bring code of their own that the driver has to compile.
	cmd.Env = os.Environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	w.said, w.failed = cmd.CombinedOutput()
	w.report, _ = os.ReadFile(out) // empty when it did not come so far
	w.late = errors.Is(short.Err(), context.DeadlineExceeded) && ctx.Err() == nil
	return w, ctx.Err()
}
