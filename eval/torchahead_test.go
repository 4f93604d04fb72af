package eval

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// notes is what the fake torch was asked for until now.
func notes(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(os.Getenv("DARWARP_FAKE_NOTES"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(data)), " ")
}

// notedPool is a torchPool whose torch takes notes.
func notedPool(t *testing.T) *Pool {
	t.Setenv("DARWARP_FAKE_NOTES", filepath.Join(t.TempDir(), "notes"))
	return torchPool(t, torchBaselines)
}

// waited is the Python that was begun, once it has imported torch.
func waited(t *testing.T, pool *Pool) loaded {
	t.Helper()
	if pool.early.got == nil {
		t.Fatal("nothing was begun")
	}
	l := <-pool.early.got
	pool.early.got <- l
	if l.err != nil {
		t.Fatal(l.err)
	}
	return l
}

// TestTorchAhead: torch is imported beside the search, once, without a look at the GPU, and its Python is the one that
// is asked at the end.
func TestTorchAhead(t *testing.T) {
	pool := notedPool(t)
	pool.Ahead(nil)
	pool.Ahead(nil)
	l := waited(t, pool)
	if got := notes(t); got != "import compiler" {
		t.Errorf("beside a search torch was asked for %q", got)
	}
	if names, missing := found(t, pool); len(names) != 3 {
		t.Errorf("baselines %v, missing %v", names, missing)
	}
	if got := notes(t); got != "import compiler gpu" || pool.torch.Helper != l.helper {
		t.Errorf("torch was asked for %q", got)
	}
	if pool.Ahead(nil); pool.early.got != nil {
		t.Error("another one was begun")
	}
	if err := pool.close(); err != nil || l.helper.Alive() {
		t.Errorf("it lives on: %v", err)
	}
}

// TestTorchAheadOfNothing: no Python is begun for baselines that need none, and none compiles for those that do not.
func TestTorchAheadOfNothing(t *testing.T) {
	pool := notedPool(t)
	if pool.Ahead([]string{"cublaslt"}); pool.early.got != nil {
		t.Error("cuBLASLt needs no Python")
	}
	pool.Session.Device.Kind = "cpu"
	if pool.Ahead(nil); pool.early.got != nil {
		t.Error("the cpu device has no baselines")
	}
	pool.Session.Device.Kind = "cuda"
	pool.Ahead([]string{"torch"})
	l := waited(t, pool)
	if got := notes(t); got != "import" {
		t.Errorf("torch was asked for %q", got)
	}
	if err := pool.close(); err != nil || l.helper.Alive() {
		t.Errorf("a search without a measurement: %v", err)
	}
	if pool.Ahead(nil); pool.early.got != nil {
		t.Error("it began after the end")
	}
}

// TestTorchAheadDies: where the Python that waited is gone, another one is asked.
func TestTorchAheadDies(t *testing.T) {
	pool := notedPool(t)
	pool.Ahead(nil)
	l := waited(t, pool)
	if err := l.helper.Close(); err != nil {
		t.Fatal(err)
	}
	if names, missing := found(t, pool); len(names) != 3 {
		t.Errorf("baselines %v, missing %v", names, missing)
	}
	if got := notes(t); got != "import compiler import gpu" {
		t.Errorf("torch was asked for %q", got)
	}
}
