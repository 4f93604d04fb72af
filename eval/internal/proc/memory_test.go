package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestKilledForMemory: a worker that is killed is its own fault if the kernel has ended a process for memory meanwhile,
// and nobody's if it has not, or does not say.
func TestKilledForMemory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vmstat")
	defer func(usual string) { Vmstat = usual }(Vmstat)
	Vmstat = file
	const before = "nr_free_pages 7\nworkingset_oom_kill 9\noom_kill 3\nlast 1\n"
	for _, tt := range []struct {
		what, after string
		crash       bool
	}{
		{"one more", strings.Replace(before, "oom_kill 3", "oom_kill 4", 1), true},
		{"none", before, false},
		{"none that counts", strings.Replace(before, "oom_kill 9", "oom_kill 10", 1), false},
		{"no count", "nr_free_pages 7\n", false},
	} {
		t.Run(tt.what, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
			w := start(t, Spec{})
			w.memory.at = time.Now().Add(time.Hour) // what was seen at the start is not looked at again
			if err := os.WriteFile(file, []byte(tt.after), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := do(t, w, "kill", 0, long)
			var d *Died
			if !errors.As(err, &d) || d.Memory != tt.crash || d.Crash() != tt.crash {
				t.Errorf("%#v, want a crash: %v", err, tt.crash)
			}
		})
	}
}

// TestMemoryOfACgroup has the kernel end a worker, in a control group that has room for little.
func TestMemoryOfACgroup(t *testing.T) {
	group := smallGroup(t, 64<<20)
	defer func(usual string) { Vmstat = usual }(Vmstat)
	Vmstat = "/proc/vmstat"
	w := start(t, Spec{})
	if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(w.PID())), 0); err != nil {
		t.Skipf("no process can be put into a control group here: %v", err)
	}
	_, err := do(t, w, "eat", 0, long)
	if d := new(*Died); !errors.As(err, d) || !(*d).Memory || !(*d).Crash() {
		t.Errorf("%#v, want the worker's own fault", err)
	}
}

// smallGroup makes a control group of memory, of either version.
func smallGroup(t *testing.T, bytes int) string {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Skip(err)
	}
	root, limit := "/sys/fs/cgroup", "memory.max"
	path := ""
	for line := range strings.Lines(string(own)) {
		switch parts := strings.SplitN(strings.TrimSpace(line), ":", 3); {
		case len(parts) == 3 && parts[1] == "memory":
			root, limit, path = "/sys/fs/cgroup/memory", "memory.limit_in_bytes", parts[2]
		case len(parts) == 3 && parts[1] == "" && path == "":
			path = parts[2]
		}
	}
	group := filepath.Join(root, path, fmt.Sprintf("darwarp-test-%d", os.Getpid()))
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Skipf("no control group can be made here: %v", err)
	}
	t.Cleanup(func() { _ = os.Remove(group) })
	if err := os.WriteFile(filepath.Join(group, limit), []byte(strconv.Itoa(bytes)), 0); err != nil {
		t.Skipf("memory cannot be limited here: %v", err)
	}
	return group
}
