// Package dltest finds libraries and headers for tests, which are skipped where the machine has none.
package dltest

import (
	"testing"

	"darwarp/eval/internal/dl"
)

// Find is where a library is.
func Find(t testing.TB, lib dl.Library) string {
	t.Helper()
	path, tried, err := dl.Find(lib)
	if err != nil {
		t.Skipf("NOT TESTED: no %s here, looked in %q (DARWARP_CUDA names a toolkit)", lib.Name, tried)
	}
	return path
}

// NVRTC is where the compiler's library is, and the folders of CUDA's headers that go with it.
func NVRTC(t testing.TB) (path string, include []string) {
	t.Helper()
	path = Find(t, dl.NVRTC)
	headers, err := dl.IncludeDirs(path)
	if err != nil {
		t.Skipf("NOT TESTED: no CUDA headers here, looked in %q (DARWARP_CUDA names a toolkit)", headers.Tried)
	}
	return path, headers.Dirs
}
