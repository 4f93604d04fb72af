package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	bolt "go.etcd.io/bbolt"

	"darwarp/kernels"
)

// TestSyncFails: the disk is found full when the last page of a transaction, which is in the file, is synced. Nothing
// is put twice or refused for being there, and the next write waits for space.
func TestSyncFails(t *testing.T) {
	r := newRun(t)
	full := true
	sync := r.sync
	r.commit = func(fn func(*bolt.Tx) error) error {
		if err := r.db.Update(fn); err != nil || !full {
			return err
		}
		return syscall.ENOSPC
	}
	r.sync = func() error {
		if full {
			return syscall.ENOSPC
		}
		return sync()
	}
	first := candidate(0)
	if err := r.Put(first, []byte("state")); err != nil || first.Seq != 1 || r.Len() != 1 {
		t.Fatalf("%v, Seq %d of %d", err, first.Seq, r.Len())
	}
	second := candidate(1)
	for range 2 {
		if err := r.Put(second, []byte("more")); !errors.Is(err, ErrNoSpace) || second.Seq != 0 {
			t.Fatalf("%v, Seq %d", err, second.Seq)
		}
	}
	if err := r.PutDuel(kernels.Duel{}); !errors.Is(err, ErrNoSpace) {
		t.Errorf("a duel: %v", err)
	}
	full = false
	if err := errors.Join(r.Put(second, []byte("more")), r.PutDuel(kernels.Duel{})); err != nil {
		t.Fatal(err)
	}
	again := reopen(t, r)
	same(t, "candidates", again.Len(), 2)
	same(t, "duels", len(must(again.Duels())(t)), 1)
	same(t, "state", string(must(again.Checkpoint())(t)), "more")
	if err := again.Verify(); err != nil {
		t.Error(err)
	}
}

// TestSyncFailsAtTheEnd: what is owed to the disk is told when the run is closed.
func TestSyncFailsAtTheEnd(t *testing.T) {
	r := newRun(t)
	r.commit = func(fn func(*bolt.Tx) error) error { return errors.Join(r.db.Update(fn), syscall.ENOSPC) }
	r.sync = func() error { return syscall.ENOSPC }
	must(0, r.Put(candidate(0), nil))(t)
	if err := r.Close(); !errors.Is(err, ErrNoSpace) {
		t.Errorf("closed with %v", err)
	}
}

// TestPlace: a run gets its name also where the file system knows neither hard links nor a rename that replaces
// nothing.
func TestPlace(t *testing.T) {
	unable := func(from, to string) error {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EINVAL}
	}
	for name, rename := range map[string]func(string, string) error{"able": renameNew, "unable": unable} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			temp, path := filepath.Join(dir, "temp"), filepath.Join(dir, "run.db")
			write(t, temp, []byte("new"))
			if err := place(temp, path, rename); err != nil {
				t.Fatal(err)
			}
			same(t, "the file", string(must(os.ReadFile(path))(t)), "new")
			write(t, temp, []byte("newer"))
			if err := place(temp, path, rename); !errors.Is(err, os.ErrExist) {
				t.Errorf("over a file: %v", err)
			}
			same(t, "the file", string(must(os.ReadFile(path))(t)), "new")
			must(0, os.Symlink("nowhere", path+".link"))(t)
			if err := place(temp, path+".link", rename); !errors.Is(err, os.ErrExist) {
				t.Errorf("over a link: %v", err)
			}
		})
	}
}

// TestSetAside: a damaged file is kept also where it cannot have two names.
func TestSetAside(t *testing.T) {
	unable := func(from, to string) error { return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EPERM} }
	for name, link := range map[string]func(string, string) error{"able": os.Link, "unable": unable} {
		path := filepath.Join(t.TempDir(), "run.db")
		write(t, path, []byte("bad"))
		for _, want := range []string{path + ".damaged", path + ".damaged2"} {
			kept, err := setAside(path, link)
			if err != nil || kept != want || !bytes.Equal(must(os.ReadFile(kept))(t), []byte("bad")) {
				t.Errorf("%s: %s, %v", name, kept, err)
			}
		}
	}
}

// TestUpgradeLeavesLinks: the copy of an older layout does not go where a link of its name leads.
func TestUpgradeLeavesLinks(t *testing.T) {
	dir := t.TempDir()
	path, victim := filepath.Join(dir, "run.db"), filepath.Join(dir, "victim")
	write(t, path, layout3(t))
	write(t, victim, []byte("mine"))
	must(0, os.Symlink(victim, path+".layout3"))(t)
	must(Open(path))(t).Close()
	same(t, "the victim", string(must(os.ReadFile(victim))(t)), "mine")
	must(0, verifyCopy(path+".layout3"))(t)
}

func verifyCopy(path string) error {
	r, err := View(path)
	if err != nil {
		return err
	}
	return r.Close()
}

// TestReadWithoutDisk: a live run is read, and a run of an older layout, where nothing can be written beside either.
func TestReadWithoutDisk(t *testing.T) {
	r := newRun(t)
	fill(t, r, 0, 5)
	old := filepath.Join(t.TempDir(), "old.db")
	write(t, old, layout3(t))
	serve(t, r)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	path := r.path
	r.path = filepath.Join(t.TempDir(), "gone", "run.db") // where the server would put its copy
	v := must(View(path))(t)
	same(t, "candidates", v.Len(), 5)
	must(0, v.Verify())(t)
	must(0, v.Close())(t)
	joined, feed, err := Join(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "candidates", joined.Len(), 5)
	must(0, errors.Join(joined.Close(), feed.Close()))(t)
	o := must(View(old))(t)
	same(t, "candidates of the older one", o.Len(), 8)
	must(0, o.Close())(t)
}

// TestSpill: a place that is full gives way to the next; a copy that fails for another reason fails.
func TestSpill(t *testing.T) {
	full := func(string) (*scratch, error) {
		f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		return &scratch{f, "/dev/full", ""}, err
	}
	put := func(f *os.File) error {
		_, err := f.WriteString("copy")
		return err
	}
	s, err := spill("", []func(string) (*scratch, error){full, inMemory}, put)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the copy", string(must(os.ReadFile(s.path))(t)), "copy")
	s.drop()
	if _, err := spill("", []func(string) (*scratch, error){full, full}, put); !errors.Is(err, ErrNoSpace) {
		t.Errorf("all full: %v", err)
	}
	broken, calls := errors.New("broken"), 0
	_, err = spill(t.TempDir(), scratches, func(*os.File) error { calls++; return broken })
	if !errors.Is(err, broken) || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
	dir := t.TempDir()
	s = must(spill(dir, scratches, put))(t)
	same(t, "the copy on disk", string(must(os.ReadFile(s.path))(t)), "copy")
	same(t, "names left", len(must(os.ReadDir(dir))(t)), 0)
	s.drop()
}

// TestOneMeta: a run with one of its meta pages damaged may have lost what was stored last, and says so until the page
// is written again.
func TestOneMeta(t *testing.T) {
	page := os.Getpagesize()
	for i := range 2 {
		path := filepath.Join(t.TempDir(), "x.run")
		b := bytes.Clone(sample())
		b[i*page+pageHeader+20] ^= 1
		write(t, path, b)
		v := must(View(path))(t)
		if remark := v.Remark(); !strings.Contains(remark, "meta pages is damaged") || !strings.Contains(remark, path) {
			t.Errorf("meta %d: %q", i, remark)
		}
		v.Close()
		r := must(Open(path))(t)
		if !strings.Contains(r.Remark(), "meta pages is damaged") {
			t.Errorf("meta %d: %q", i, r.Remark())
		}
		must(0, errors.Join(r.PutCheckpoint([]byte("a")), r.PutCheckpoint([]byte("b"))))(t)
		if again := reopen(t, r); again.Remark() != "" {
			t.Errorf("after writing: %q", again.Remark())
		}
	}
	path := filepath.Join(t.TempDir(), "x.run")
	write(t, path, sample())
	v := must(View(path))(t)
	defer v.Close()
	same(t, "the remark on an intact run", v.Remark(), "")
}
