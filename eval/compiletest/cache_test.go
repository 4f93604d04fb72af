package compiletest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCachesShareRuntimes(t *testing.T) {
	t.Setenv(Runtimes, filepath.Join(t.TempDir(), "shared"))
	one, other := Cache(t), Cache(t)
	if err := os.WriteFile(filepath.Join(one, "runtimes", "runtime.o"), []byte("compiled"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(one, "candidate"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(other, "runtimes", "runtime.o")); string(got) != "compiled" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(other, "candidate")); !os.IsNotExist(err) {
		t.Errorf("more than runtimes is shared: %v", err)
	}
}

func TestCachesOfTheirOwn(t *testing.T) {
	t.Setenv(Runtimes, "")
	if files, err := os.ReadDir(Cache(t)); len(files) != 0 || err != nil {
		t.Errorf("%v, %v", files, err)
	}
	t.Setenv(Runtimes, "somewhere")
	if err := ShareRuntimes(t.TempDir()); err == nil || !strings.Contains(err.Error(), Runtimes+"=somewhere: expected") {
		t.Errorf("a folder that depends on the package's own: %v", err)
	}
}
