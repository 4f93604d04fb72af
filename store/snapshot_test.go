package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A damaged file gives way to its snapshot, and is kept.
func TestSnapshotRestores(t *testing.T) {
	page := os.Getpagesize()
	for _, tt := range []struct {
		name   string
		damage func([]byte) []byte
	}{
		{"empty", func([]byte) []byte { return nil }},
		{"cut in half", func(b []byte) []byte { return b[:len(b)/2] }},
		{"both metas zeroed", func(b []byte) []byte { clear(b[:2*page]); return b }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRun(t)
			for i := range 25 {
				if i == 20 {
					must(0, r.Snapshot())(t)
				}
				must(0, r.Put(candidate(i), fmt.Appendf(nil, "state %d", i)))(t)
			}
			must(0, r.Close())(t)
			whole, err := os.ReadFile(r.Path())
			if err != nil {
				t.Fatal(err)
			}
			bad := tt.damage(whole)
			write(t, r.Path(), bad)
			if _, err := View(r.Path()); !errors.Is(err, ErrDamaged) ||
				!strings.Contains(err.Error(), "darwarp search --resume") {
				t.Fatalf("View: %v", err)
			}
			again, err := Open(r.Path())
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			state, err := again.Checkpoint()
			if again.Len() != 20 || string(state) != "state 19" || err != nil {
				t.Errorf("%d candidates, state %q, %v: expected those of the snapshot", again.Len(), state, err)
			}
			if !strings.Contains(again.Remark(), "20 candidates") {
				t.Errorf("Remark: %q", again.Remark())
			}
			if kept, err := os.ReadFile(r.Path() + ".damaged"); !bytes.Equal(kept, bad) || err != nil {
				t.Errorf("the damaged file was not kept: %d bytes, %v", len(kept), err)
			}
			if err := again.Put(candidate(30), nil); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSnapshotThatIsDamagedToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.run")
	write(t, path, sample()[:10_000])
	write(t, SnapshotPath(path), []byte{1})
	_, err := Open(path)
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "its snapshot") {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadFile(path); len(left) != 10_000 {
		t.Error("the file was touched")
	}
}

func TestSnapshotIsReplacedAndDropped(t *testing.T) {
	r := newRun(t)
	for i := range 3 {
		if err := errors.Join(r.Put(candidate(i), nil), r.Snapshot()); err != nil {
			t.Fatal(err)
		}
		s, err := View(SnapshotPath(r.Path()))
		if err != nil || s.Len() != i+1 {
			t.Fatalf("snapshot %d: %v", i, err)
		}
		s.Close()
	}
	if err := errors.Join(r.DropSnapshot(), r.DropSnapshot()); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(filepath.Dir(r.Path()))
	if len(left) != 1 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
