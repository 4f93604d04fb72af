package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGrouped: both bounds count wherever above they are, and nothing else does.
func TestGrouped(t *testing.T) {
	for _, tt := range []struct {
		name  string
		self  string
		files map[string]string
		want  bool
	}{
		{"none", "0::/a/b\n", map[string]string{"a/b/memory.max": "max\n", "a/b/pids.max": "max\n"}, false},
		{"its own", "0::/a/b\n", map[string]string{"a/b/memory.max": "1024\n", "a/b/pids.max": "10\n"}, true},
		{"above", "1:name=systemd:/x\n0::/a/b\n", map[string]string{"a/memory.max": "1024\n", "pids.max": "10\n",
			"a/b/memory.max": "max\n"}, true},
		{"memory alone", "0::/a\n", map[string]string{"a/memory.max": "1024\n", "a/pids.max": "max\n"}, false},
		{"processes alone", "0::/a\n", map[string]string{"a/pids.max": "10\n"}, false},
		{"a container", "0::/\n", map[string]string{"memory.max": "1024\n", "pids.max": "10\n"}, true},
		{"another's", "0::/a\n", map[string]string{"b/memory.max": "1024\n", "b/pids.max": "10\n"}, false},
		{"version 1", "4:memory:/a\n", map[string]string{"a/memory.max": "1024\n", "a/pids.max": "10\n"}, false},
		{"outside of what is seen", "0::/../../x\n", map[string]string{"memory.max": "1024\n", "pids.max": "10\n"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			self := filepath.Join(root, "self")
			tt.files["self"] = tt.self
			for name, text := range tt.files {
				path := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := grouped(root, self); got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
	if grouped(t.TempDir(), filepath.Join(t.TempDir(), "none")) {
		t.Error("without /proc")
	}
}

// TestUngrouped: doctor says what a control group would stop, and a machine without one lacks no layer for that.
func TestUngrouped(t *testing.T) {
	all := Layers{Landlock: 7, Seccomp: true, User: true, PIDs: true, Threads: true}
	for _, grouped := range []bool{true, false} {
		all.Group = grouped
		list := all.List()
		memory := list[len(list)-1]
		if told := strings.Contains(memory.Open, "files without a name"); told == grouped || !memory.OK {
			t.Errorf("group %v: %+v", grouped, memory)
		}
		if missing := all.Missing(); missing != "" {
			t.Errorf("group %v: lacks %s", grouped, missing)
		}
	}
}
