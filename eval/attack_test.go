package eval

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"darwarp/eval/env"
	"darwarp/eval/internal/attack"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/sandbox"
	"darwarp/templates"
)

// attackAll makes all attacks from the workers that a filter lets pass.
func attackAll(t *testing.T, mode SandboxMode, which func(attack.Kind) bool, but func(attack.Attack) bool) (
	verdicts []AttackVerdict) {
	t.Helper()
	s := newAttackSuite(t, mode, but)
	for _, k := range s.kinds(env.Locate(), templates.Include(), t.TempDir()) {
		if !which(k.kind) {
			continue
		}
		if k.missing != "" {
			t.Logf("ATTACKS FROM A %s ARE NOT TESTED: %s", strings.ToUpper(k.kind.Name), k.missing)
			continue
		}
		found, err := s.attackFrom(k)
		if err != nil {
			t.Fatalf("%s: %v", k.kind.Name, err)
		}
		verdicts = append(verdicts, found...)
	}
	return verdicts
}

// newAttackSuite makes this process the target of the attacks that are not left out.
func newAttackSuite(t *testing.T, mode SandboxMode, but func(attack.Attack) bool) *attackSuite {
	t.Helper()
	target, end, err := attack.NewTarget()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	return &attackSuite{ctx: t.Context(), target: target, all: attack.All(target), but: but, mode: mode}
}

// TestAttacksAreStopped makes every attack from every kind of worker that this machine has.
func TestAttacksAreStopped(t *testing.T) {
	if missing := SandboxMissing(); missing != "" {
		t.Skipf("ATTACKS ARE NOT TESTED: this kernel lacks %s", missing)
	}
	verdicts := attackAll(t, SandboxBest, func(attack.Kind) bool { return true }, nil)
	for _, v := range verdicts {
		if !v.Stopped {
			t.Errorf("%s, %s: %s: %s", v.Worker, v.Group, v.Attack, v.Layer)
		}
	}
	if len(verdicts) < 200 {
		t.Errorf("only %d attacks were made", len(verdicts))
	}
}

// TestAttacksOfAnOrdinaryUser is the same from a user without privileges, in whose name root runs it.
func TestAttacksOfAnOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("TestAttacksAreStopped has been run by an ordinary user")
	}
	dir := t.TempDir()
	for at := dir; at != os.TempDir() && len(at) > 1; at = at[:strings.LastIndexByte(at, '/')] {
		if err := os.Chmod(at, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	const nobody = 65534
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^TestAttacksAreStopped$", "-test.v")
	cmd.Env, cmd.Dir = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir,
		"GORACE=" + os.Getenv("GORACE"), "DARWARP_TEST_WORKER=" + os.Getenv("DARWARP_TEST_WORKER")}, dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
	if strings.Contains(string(out), "--- SKIP") {
		t.Skipf("%s", out)
	}
}

// TestAttacksWithoutNamespaces: where the kernel has none, lists and Landlock stop everything but a flood of threads.
// The fence of a GPU's worker is tried with them, too, as far as that goes without a driver.
func TestAttacksWithoutNamespaces(t *testing.T) {
	if here := sandbox.Here(); here.Landlock < 6 || !here.Seccomp {
		t.Skipf("ATTACKS WITHOUT NAMESPACES ARE NOT TESTED: this kernel has %v", here)
	}
	for _, k := range []attack.Kind{{Name: "cpu worker"}, {Name: "GPU worker", Driver: true},
		{Name: "GPU worker in namespaces", Driver: true}} {
		s := newAttackSuite(t, SandboxStrict, func(a attack.Attack) bool {
			return a.Spawn > 0 || a.Name == "list the supervisor's open files" // by number: what they are is not told
		})
		r := runner.CPU.In(s.mode)
		r.Shared, r.Driver = !strings.HasSuffix(k.Name, "namespaces"), k.Driver
		found, err := s.attackFrom(workerKind{kind: k, start: s.startWorker(r.Fence(device.Open{}), attack.Request{}, nil)})
		if err != nil || len(found) < 50 {
			t.Errorf("%s: %d verdicts, %v", k.Name, len(found), err)
		}
		for _, v := range found {
			hidden := v.Attack == "remove a file" && k.Driver // its list answers that there is none: see gone
			if !v.Stopped || hidden && v.Layer != "seccomp: ENOENT, and the file is still there" {
				t.Errorf("%s, %s: %s: %s", v.Worker, v.Group, v.Attack, v.Layer)
			}
		}
	}
}

// TestAttacksAreReal: without a sandbox the attacks succeed, so that it is the sandbox that stops them. Some succeed
// for root alone, or where the kernel has what they are about.
func TestAttacksAreReal(t *testing.T) {
	verdicts := attackAll(t, SandboxOff, func(k attack.Kind) bool { return k.Name == "cpu worker" },
		func(a attack.Attack) bool { return a.Spawn > 0 }) // a machine may not have room for so many threads
	succeeded := map[string]bool{}
	for _, v := range verdicts {
		succeeded[v.Attack] = !v.Stopped
		if v.Stopped {
			t.Logf("%s: %s: %s", v.Group, v.Attack, v.Layer)
		}
	}
	for _, name := range []string{"read a file of this user", "read /etc/passwd", "list a folder of this user",
		"read the supervisor's environment", "write a file of this user", "empty a file by its name", "make a file",
		"rename a file", "remove a file", "change a mode", "change an owner", "change times", "read its limits",
		"set its limits", "signal it", "change its priority", "change its affinity", "read its memory by a call",
		"outlive it", "a user namespace", "shared memory of System V", "TCP", "UDP", "a service of this machine", "a process",
		"shared memory without a file", "ten gigabytes in a file of memory"} {
		if !succeeded[name] {
			t.Errorf("%q shows nothing: it fails without a sandbox, too", name)
		}
	}
	if got := len(slices.DeleteFunc(verdicts, func(v AttackVerdict) bool { return v.Stopped })); got < 40 {
		t.Errorf("only %d attacks succeed without a sandbox", got)
	}
}

// TestAttackTellsWhatItSkips: where there is no compiler and no driver, Attack says so.
func TestAttackTellsWhatItSkips(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes all attacks")
	}
	verdicts, skipped, err := Attack(context.Background(), env.Location{}, nil, SandboxBest)
	if err != nil || len(verdicts) == 0 || len(skipped) != 2 {
		t.Errorf("%d verdicts, %q, %v", len(verdicts), skipped, err)
	}
}
