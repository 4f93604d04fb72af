package compile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFolders: a folder that cannot be used is named, with the variable that chooses another.
func TestFolders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	locked := filepath.Join(t.TempDir(), "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, temp, cache, dir, variable string }{
		{"usable", t.TempDir(), filepath.Join(t.TempDir(), "a", "b"), "", ""},
		{"a cache below a file", t.TempDir(), filepath.Join(file, "x"), filepath.Join(file, "x"), "XDG_CACHE_HOME"},
		{"a file as cache", t.TempDir(), file, file, "XDG_CACHE_HOME"},
		{"a locked cache", t.TempDir(), locked, locked, "XDG_CACHE_HOME"},
		{"a file for what is temporary", file, t.TempDir(), file, "TMPDIR"},
		{"nothing for what is temporary", file + "s", t.TempDir(), file + "s", "TMPDIR"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.dir == locked && os.Geteuid() == 0 {
				t.Skip("root may write anywhere")
			}
			t.Setenv("TMPDIR", tt.temp)
			h, err := newHome()
			if err == nil {
				defer h.close()
				_, err = openCache(tt.cache, 1<<20, nil)
			}
			var folder *FolderError
			if tt.dir == "" {
				left, _ := os.ReadDir(tt.cache)
				if err != nil || len(left) > 0 {
					t.Errorf("%v, %v is left", err, left)
				}
				return
			}
			if !errors.As(err, &folder) || folder.Dir != tt.dir || folder.Variable != tt.variable {
				t.Fatalf("%v", err)
			}
			if text := err.Error(); strings.Contains(text, "darwarp-compile") || strings.Contains(text, "new-") {
				t.Errorf("%s: names a file that nobody asked for", text)
			}
		})
	}
}
