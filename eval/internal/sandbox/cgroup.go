package sandbox

import (
	"os"
	"path/filepath"
	"strings"
)

// cgroups is where the hierarchy of cgroup v2 is mounted.
const cgroups = "/sys/fs/cgroup"

// grouped reports whether the control group of this process, or one above it, bounds memory and the number of
// processes: those of all workers together with the supervisor. A worker gets no group of its own, see threats.md.
func grouped(root, self string) bool {
	text, err := os.ReadFile(self)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::/"); ok { // that of version 2
			return boundedAbove(root, path, "memory.max") && boundedAbove(root, path, "pids.max")
		}
	}
	return false
}

// boundedAbove reports whether a group or one above it has a limit in a file, which says "max" where there is none.
func boundedAbove(root, path, name string) bool {
	for at := filepath.Join("/", path); ; at = filepath.Dir(at) {
		text, err := os.ReadFile(filepath.Join(root, at, name))
		if err == nil && strings.TrimSpace(string(text)) != "max" {
			return true
		}
		if at == "/" {
			return false
		}
	}
}
