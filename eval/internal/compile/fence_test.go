package compile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"darwarp/eval/internal/sandbox"
)

// TestFenceOfCompilers: a compiler that a source has taken over writes its own folder, and where C++ compilers share
// their runtime, but not what other sources were compiled to. Without a library nothing of the current folder is read.
func TestFenceOfCompilers(t *testing.T) {
	cache := t.TempDir()
	for _, tt := range []struct {
		worker string
		want   []string
	}{
		{"compile", []string{"/own", os.DevNull}},
		{"cxx", []string{"/own", os.DevNull, filepath.Join(cache, "runtimes")}},
	} {
		f := (&Config{Worker: tt.worker, CacheDir: cache, Sandbox: sandbox.Best}).Fence("/own")
		if !slices.Equal(f.Write, tt.want) {
			t.Errorf("%s writes %q, want %q", tt.worker, f.Write, tt.want)
		}
		if f.Children != (tt.worker == "cxx") || f.Memory == 0 || f.FileSize == 0 {
			t.Errorf("%s: %+v", tt.worker, f)
		}
		if slices.ContainsFunc(f.Read, func(p string) bool { return !filepath.IsAbs(p) }) {
			t.Errorf("%s reads %q", tt.worker, f.Read)
		}
	}
}
