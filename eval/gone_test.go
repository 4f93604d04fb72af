package eval

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"darwarp/eval/env"
	"darwarp/eval/internal/runner"
	"darwarp/kernels"
)

func shortRespite(t *testing.T) {
	was := runner.Respite
	runner.Respite = []time.Duration{0, time.Millisecond, 2 * time.Millisecond}
	t.Cleanup(func() { runner.Respite = was })
}

// Compile workers that are gone and cannot be started any more cost nobody a verdict, and a duel is nobody's loss.
func TestCompilersThatCannotStart(t *testing.T) {
	t.Setenv(compileAll, "1")
	where := env.Locate()
	if len(where.Include) == 0 {
		t.Skip("NO COMPILER IS TRIED: CUDA's headers not found; see darwarp doctor")
	}
	headers := filepath.Join(t.TempDir(), "include")
	target := where.Include[0]
	if err := os.Symlink(target, headers); err != nil {
		t.Fatal(err)
	}
	where.Include = append([]string{headers}, where.Include[1:]...)
	pool := fakePoolAt(t, where)
	if err := os.Remove(headers); err != nil {
		t.Fatal(err)
	}
	killWorkers(t, "compile")
	r, err := pool.Evaluate(context.Background(), fakeJob(t, pool, "good"))
	if err != nil || r.Outcome != kernels.Lost || !strings.Contains(r.Detail, "compile: 3 attempts") {
		t.Errorf("%v (%s), %v", r.Outcome, r.Detail, err)
	}
	_, err = pool.Duel(context.Background(), fakeJob(t, pool, "good"), fakeJob(t, pool, "fast"))
	if !errors.Is(err, kernels.ErrLost) {
		t.Errorf("duel: %v", err)
	}
	if err := os.Symlink(target, headers); err != nil {
		t.Fatal(err)
	}
	if r, err := pool.Evaluate(context.Background(), fakeJob(t, pool, "good")); err != nil || r.Outcome != kernels.OK {
		t.Errorf("with its headers again: %v (%s), %v", r.Outcome, r.Detail, err)
	}
}

// killWorkers kills this process's workers of a kind.
func killWorkers(t *testing.T, kind string) {
	t.Helper()
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	killed := 0
	for _, path := range lines {
		line, _ := os.ReadFile(path)
		stat, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "stat"))
		_, after, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(after)
		if len(fields) < 2 || fields[1] != strconv.Itoa(os.Getpid()) ||
			!strings.Contains(string(line), "worker\x00"+kind+"\x00") {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		for syscall.Kill(pid, 0) == nil { // until the end has been noticed
			time.Sleep(time.Millisecond)
		}
		killed++
	}
	if killed == 0 {
		t.Fatalf("no worker %s", kind)
	}
}

// The checker may be killed at any time: at rest it is replaced unseen, in a call the evaluation is lost.
func TestCheckerIsReplaced(t *testing.T) {
	pool := fakePool(t)
	for i := range 3 {
		killWorkers(t, "check")
		r, err := pool.Evaluate(context.Background(), fakeJob(t, pool, "good"))
		if err != nil || r.Outcome != kernels.OK && r.Outcome != kernels.Lost {
			t.Fatalf("kill %d: %v (%s), %v", i, r.Outcome, r.Detail, err)
		}
		if r, err = pool.Evaluate(context.Background(), fakeJob(t, pool, "good")); err != nil || r.Outcome != kernels.OK {
			t.Fatalf("after kill %d: %v (%s), %v", i, r.Outcome, r.Detail, err)
		}
	}
}

// lostUntilGone evaluates until the pool gives up, for that reason; until then every evaluation is lost.
func lostUntilGone(t *testing.T, pool *Pool, why string) {
	t.Helper()
	for i := range 2 * len(runner.Respite) {
		r, err := pool.Evaluate(context.Background(), fakeJob(t, pool, "good"))
		if err != nil {
			if !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), why) {
				t.Fatal(err)
			}
			return
		}
		if r.Outcome != kernels.Lost {
			t.Fatalf("try %d: %v (%s)", i, r.Outcome, r.Detail)
		}
	}
	t.Error("never given up")
}

// A checker that cannot be started is given up after some tries, as an error of ours.
func TestCheckerThatCannotStart(t *testing.T) {
	shortRespite(t)
	pool := fakePool(t)
	pool.Runner.Judge.Spec.Args = []string{"worker", "no such worker"}
	killWorkers(t, "check")
	lostUntilGone(t, pool, "the checker is gone after 3 tries in a row")
}

// A device that cannot be opened any more is tried again, in ever longer steps, and then given up with an error.
func TestDeviceThatIsGone(t *testing.T) {
	shortRespite(t)
	pool := fakePool(t)
	pool.Runner.Role.Worker = "no such worker"
	if err := pool.Runner.Restart(); err != nil {
		t.Fatal(err)
	}
	for i := range len(runner.Respite) {
		r, err := pool.Evaluate(context.Background(), fakeJob(t, pool, "good"))
		if last := i == len(runner.Respite)-1; errors.Is(err, ErrGone) != last || !last && r.Outcome != kernels.Lost {
			t.Fatalf("try %d: %v (%s), %v", i, r.Outcome, r.Detail, err)
		}
	}
}

// TestKilledWhileOpening kills each kind of worker in each step of opening a session: it goes on with another.
func TestKilledWhileOpening(t *testing.T) {
	t.Setenv(compileAll, "1")
	shortRespite(t)
	for _, step := range []string{"open", "prepare", "truth", "power", "ceilings"} {
		t.Run(step, func(t *testing.T) {
			t.Setenv("DARWARP_FAKE_KILLED", step)
			pool := fakePool(t) // its workers die in the first such step
			if _, err := os.Stat(filepath.Join(os.Getenv("DARWARP_FAKE"), step)); err != nil {
				t.Errorf("no worker was killed: %v", err)
			}
			if r, err := pool.Evaluate(context.Background(), fakeJob(t, pool, "good")); err != nil || r.Outcome != kernels.OK {
				t.Errorf("%v (%s), %v", r.Outcome, r.Detail, err)
			}
		})
	}
}
