package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWriteFolder: all files are there, or none, and what was there before stays.
func TestWriteFolder(t *testing.T) {
	for _, tt := range []struct {
		name, dir string
		all       map[string][]byte
		want      string   // of the error
		left      []string // below the test's folder, beside what was there
	}{
		{"new", "x", map[string][]byte{"a": []byte("1"), "b/c": nil}, "", []string{"x", "x/a", "x/b", "x/b/c"}},
		{"below a new one", "x/y", map[string][]byte{"a": nil}, "", []string{"x", "x/y", "x/y/a"}},
		{"into one", "old", map[string][]byte{"a": nil}, "", []string{"old/a"}},
		{"a file in place of a folder", "x/y", map[string][]byte{"a": []byte("1"), "a/b": nil},
			"cannot make the folder x/y/a: not a directory", nil},
		{"a folder in place of a file", "x", map[string][]byte{"a": nil, "b/c": nil, "b/c/": nil, "b": nil}, "x/b", nil},
		{"into one that has a file", "old", map[string][]byte{"a": nil, "b": nil, "file/c": nil},
			"cannot make the folder old/file: not a directory", nil},
		{"a name too long", "old", map[string][]byte{"a": nil, "sub/" + strings.Repeat("n", 300): nil},
			"file name too long", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.Mkdir("old", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile("old/file", []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
			err := WriteFolder(tt.dir, tt.all)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			for name := range tt.all {
				if data, _ := os.ReadFile(filepath.Join(tt.dir, name)); err == nil && string(data) != string(tt.all[name]) {
					t.Errorf("%s has %q", name, data)
				}
			}
			want := " " + strings.Join(append(tt.left, "old", "old/file"), " ") + " "
			for _, path := range below(t, ".") {
				if !strings.Contains(want, " "+path+" ") {
					t.Errorf("%s is left, want%s", path, want)
				}
			}
			if data, _ := os.ReadFile("old/file"); string(data) != "mine" {
				t.Errorf("a file that was there has %q", data)
			}
		})
	}
}

// below are the paths of all that is in a folder.
func below(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if path != dir {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
