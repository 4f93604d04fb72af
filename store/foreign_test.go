package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// A loop of pages and a bucket in itself make bbolt recurse until its stack is full.
func TestLoops(t *testing.T) {
	whole, page := sample(), os.Getpagesize()
	tried := 0
	for id := 2; id < len(whole)/page; id++ {
		at := id * page
		if order.Uint16(whole[at+8:]) != branchPage || order.Uint64(whole[at:]) != uint64(id) {
			continue
		}
		b := bytes.Clone(whole)
		order.PutUint64(b[at+pageHeader+8:], uint64(id))
		path := filepath.Join(t.TempDir(), "x.run")
		write(t, path, b)
		if err := use(path); err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("page %d: %v", id, err)
		}
		tried++
	}
	if tried == 0 {
		t.Error("no branch page in the sample")
	}
}

func TestForeignAndNewerFiles(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.db")
	db := must(bolt.Open(foreign, 0o600, nil))(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	text, note := filepath.Join(dir, "text"), filepath.Join(dir, "note")
	write(t, text, []byte(strings.Repeat("a long text\n", 1000)))
	write(t, note, []byte("hello\n"))
	newer := filepath.Join(dir, "newer.run")
	r := must(Create(newer, testMeta()))(t)
	err := r.update(func(root *bolt.Bucket) error { return root.Put(schemaKey, number(schemaVersion()+1)) })
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		path string
		want error
	}{{foreign, ErrNotOurs}, {text, ErrNotOurs}, {note, ErrNotOurs},
		{newer, ErrNewer}, {dir, ErrNotOurs}, {"/dev/null", ErrNotOurs},
		{filepath.Join(dir, "missing"), os.ErrNotExist}}
	for _, tt := range tests {
		for _, open := range []func(string) (*Run, error){Open, View} {
			if _, err := open(tt.path); !errors.Is(err, tt.want) {
				t.Errorf("%s: got %v: expected %v", tt.path, err, tt.want)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "missing")); err == nil {
		t.Error("opening a file that is missing made one")
	}
	if _, err := Create(foreign, testMeta()); !errors.Is(err, ErrExists) {
		t.Errorf("Create over a file: %v", err)
	}
}

func TestNetworkFileSystems(t *testing.T) {
	for kind, name := range networks {
		if err := networkFault(kind); !errors.Is(err, ErrNetwork) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// ext4, xfs, tmpfs, btrfs, overlay
	for _, kind := range []uint32{0xef53, 0x58465342, 0x01021994, 0x9123683e, 0x794c7630} {
		if err := networkFault(kind); err != nil {
			t.Errorf("%#x: %v", kind, err)
		}
	}
}

// A file that is cut under a live run gives errors, then and later, and does not hang.
func TestCutWhileOpen(t *testing.T) {
	r := newRun(t)
	fill(t, r, 0, 100)
	if err := os.Truncate(r.path, int64(2*os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Top(10); !errors.Is(err, ErrDamaged) {
		t.Errorf("Top: %v", err)
	}
	for range 2 {
		if err := r.Put(candidate(100), nil); !errors.Is(err, ErrDamaged) {
			t.Errorf("Put: %v", err)
		}
	}
	if err := r.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}
