package attack

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLiesAreSeen: a worker that makes an attack and answers that it was stopped is not believed, nor is an ENOENT for
// a file that is there taken for a file that is not.
func TestLiesAreSeen(t *testing.T) {
	target, end, err := NewTarget()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	}()
	all := All(target)
	for _, name := range []string{"empty a file by opening it", "empty a file by its name", "make a file",
		"make a folder", "make a link", "make a symbolic link", "make a FIFO", "rename a file", "remove a file",
		"open shared memory by name", "change a mode", "change times"} {
		a := &all[slices.IndexFunc(all, func(a Attack) bool { return a.Name == name })]
		file := strings.HasPrefix(strings.Join(a.paths(), ""), target.Dir) // the first path
		before := target.Look()
		v := Judge(Kind{}, a, Outcome{Returned: -int64(unix.ENOENT)}, nil, target.Saw(a, before))
		if there := strings.HasSuffix(v.Layer, "is still there"); !v.Stopped || there != (file && exists(a.paths()[0])) {
			t.Errorf("%s: not made: %+v", name, v)
		}
		tidy := a.After
		a.After = nil
		if out := try(a); out.Returned < 0 {
			t.Errorf("%s: %v", name, unix.ErrnoName(unix.Errno(-out.Returned)))
			continue
		}
		for _, answer := range []error{nil, errors.New("the worker ended")} {
			a.Ends = answer != nil
			if v := Judge(Kind{}, a, Outcome{Returned: -int64(unix.EPERM)}, answer, target.Saw(a, before)); v.Stopped {
				t.Errorf("%s: made, and judged as %+v", name, v)
			}
		}
		(&memory{}).run(tidy)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
