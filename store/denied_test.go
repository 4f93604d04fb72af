package store

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestDenied: a file that its reader may not write, or not even read, is told from a damaged one, in one line.
func TestDenied(t *testing.T) {
	dir := t.TempDir()
	shown, hidden := filepath.Join(dir, "shown.db"), filepath.Join(dir, "hidden.db")
	for path, mode := range map[string]os.FileMode{shown: 0o444, hidden: 0} {
		r := must(Create(path, testMeta()))(t)
		if err := errors.Join(r.Close(), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		openDenied(t, dir, shown, hidden)
	}()
	<-done
	for _, err := range []error{&os.PathError{Op: "open", Path: shown, Err: syscall.EROFS},
		&os.PathError{Op: "open", Path: shown, Err: syscall.EMFILE}} {
		got := denied(err, true)
		if errors.Is(got, ErrDenied) != errors.Is(err, syscall.EROFS) || strings.Contains(got.Error(), shown) {
			t.Error(got)
		}
	}
}

func openDenied(t *testing.T, dir, shown, hidden string) {
	if os.Geteuid() == 0 { // who may do everything: this thread becomes another user's, and ends with its goroutine
		for _, d := range []string{dir, filepath.Dir(dir)} {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Error(err)
				return
			}
		}
		runtime.LockOSThread()
		if err := syscall.Setfsuid(65534); err != nil {
			t.Error(err)
			return
		}
	}
	for _, tt := range []struct {
		open func(string) (*Run, error)
		path string
		want string
	}{
		{Open, shown, ": cannot be opened (for writing: permission denied): change its permissions, or work on a copy"},
		{Open, hidden, ": cannot be opened (for writing: permission denied): change its permissions, or work on a copy"},
		{View, hidden, ": cannot be opened (for reading: permission denied): change its permissions, or work on a copy"},
	} {
		if _, err := tt.open(tt.path); !errors.Is(err, ErrDenied) || err.Error() != tt.path+tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	r, err := View(shown)
	if err != nil {
		t.Error(err)
		return
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
