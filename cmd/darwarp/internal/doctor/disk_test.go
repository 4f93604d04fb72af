package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCacheFolder: the doctor tells what the cache has, and why there is none.
func TestCacheFolder(t *testing.T) {
	mine, others := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(mine, "darwarp", "ab"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(mine, "darwarp", "ab", "c"), make([]byte, 2048), 0o600); err != nil {
		t.Fatal(err)
	}
	given := os.Mkdir(filepath.Join(others, "darwarp"), 0o700) == nil &&
		os.Chown(filepath.Join(others, "darwarp"), 12345, 12345) == nil
	for _, tt := range []struct {
		name, cache, value string
		usable             bool
		want               string
	}{
		{"kept", mine, "", true, ", 2 KiB in 1 file, 1 GiB at most"},
		{"nothing yet", t.TempDir(), "", true, ", 0 B in 0 files, 1 GiB at most"},
		{"switched off", mine, "off", true, "none, as DARWARP_CACHE says"},
		{"mistyped", mine, "of", false, `DARWARP_CACHE is "of": expected off, or nothing`},
		{"of another user", others, "", false, "belongs to user 12345"},
	} {
		if tt.cache == others && !given {
			continue // only root can give files away
		}
		t.Setenv("XDG_CACHE_HOME", tt.cache)
		t.Setenv("DARWARP_CACHE", tt.value)
		f := cacheFolder()
		if f.OK != tt.usable && f.OK { // a full disk is no mistake here
			t.Errorf("%s: it is said to be usable", tt.name)
		}
		if !strings.Contains(f.Detail, tt.want) || !tt.usable && f.Do == "" {
			t.Errorf("%s: %+v, want %q", tt.name, f, tt.want)
		}
	}
}
