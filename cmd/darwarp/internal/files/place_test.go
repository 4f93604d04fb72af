package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlaces: where no file can be made is found before there is anything to write, and the attempt leaves no trace.
func TestPlaces(t *testing.T) {
	dir := hostile(t)
	if err := os.Symlink(dir, filepath.Join(dir, "to-folder")); err != nil {
		t.Fatal(err)
	}
	before := below(t, dir)
	for _, tt := range []struct {
		path               string
		writable, makeable string // what the errors say; empty: there is none
	}{
		{dir, "", ""},
		{filepath.Join(dir, "sub"), "", ""},
		{filepath.Join(dir, "to-folder"), "", ""},
		{filepath.Join(dir, "new"), "new: no such file or directory", ""},
		{filepath.Join(dir, "new", "deeper"), "no such file or directory", ""},
		{filepath.Join(dir, "plain"), "not a directory", "not a directory"},
		{filepath.Join(dir, "plain", "x"), "not a directory", "not a directory"},
		{filepath.Join(dir, "nothing"), "no such file", "nothing: no such file"}, // a link that leads nowhere
		{"/proc", "/proc: its file system takes no new files", "/proc: its file system takes no new files"},
		{"/proc/x/y", "no such file", "/proc: its file system takes no new files"},
		{"/dev/null", "not a directory", "not a directory"},
	} {
		for name, check := range map[string]struct {
			of   func(string) error
			want string
		}{"Writable": {Writable, tt.writable}, "Makeable": {Makeable, tt.makeable}} {
			err := check.of(tt.path)
			switch {
			case check.want == "" && err != nil:
				t.Errorf("%s(%s): %v", name, tt.path, err)
			case check.want != "" && (err == nil || !strings.Contains(err.Error(), check.want) ||
				!strings.HasPrefix(err.Error(), "cannot write to the folder ") || strings.Contains(err.Error(), "-write-")):
				t.Errorf("%s(%s): %v, want %q", name, tt.path, err, check.want)
			}
		}
	}
	if after := below(t, dir); len(after) != len(before) {
		t.Errorf("%q is left, and %q was there", after, before)
	}
}

// TestPlacesInThisFolder: a name without a folder is of this one.
func TestPlacesInThisFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"new", "./new", "new/deeper"} {
		if err := Makeable(path); err != nil {
			t.Error(err)
		}
	}
	if err := Writable("."); err != nil {
		t.Error(err)
	}
}
