// Package compiletest gives tests folders for what they compile.
package compiletest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Runtimes is a variable that holds a folder: there the tests of all packages keep the runtime of the cpu device, which
// takes a compiler seconds. What a runtime is compiled of and for is in its file's name. Tests that are about compiling
// it (eval/internal/cpu/emu, with all warnings; attacks on a fenced compiler) have folders of their own.
const Runtimes = "DARWARP_TEST_RUNTIMES"

// NewCache makes a folder for what a package's tests compile. It is their own but for the runtimes.
func NewCache() (string, error) {
	dir, err := os.MkdirTemp("", "darwarp-test-*")
	if err == nil {
		err = ShareRuntimes(dir)
	}
	return dir, err
}

// Cache is such a folder for one test.
func Cache(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := ShareRuntimes(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// ShareRuntimes has a folder for what is compiled hold the runtimes that all tests share.
func ShareRuntimes(cache string) error {
	shared := os.Getenv(Runtimes)
	if shared == "" {
		return nil
	}
	if !filepath.IsAbs(shared) {
		return errors.New(Runtimes + "=" + shared + ": expected an absolute path")
	}
	return errors.Join(os.MkdirAll(shared, 0o700), os.MkdirAll(cache, 0o700),
		os.Symlink(shared, filepath.Join(cache, "runtimes")))
}
