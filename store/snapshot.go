package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"darwarp/kernels"
)

// SnapshotPath is where the copy of a run lies that Open falls back to.
func SnapshotPath(path string) string { return path + ".snapshot" }

// Snapshot copies the run as it is now to SnapshotPath, in place of the copy before; the run can be written
// meanwhile. The copy is complete and synced, or the one before stays.
func (r *Run) Snapshot() error {
	return named(r.path, replaceFile(SnapshotPath(r.path), r.copyTo))
}

// DropSnapshot removes the copy, which a search that ended well needs no more.
func (r *Run) DropSnapshot() error {
	if err := os.Remove(SnapshotPath(r.path)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func hasSnapshot(path string) bool {
	_, err := os.Stat(SnapshotPath(path))
	return err == nil
}

// Remark says in one line what was odd about the file when it was opened, and what was done about it; empty where it
// was intact.
func (r *Run) Remark() string { return r.remark }

// replaceFile writes a file under another name, syncs it, and gives it its name.
func replaceFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".new-*") // mode 0600
	if err != nil {
		return unwritable(filepath.Dir(path), err)
	}
	defer os.Remove(f.Name())
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return noSpace(err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// restore puts the snapshot in the place of a damaged file, which is kept under another name, and opens it.
func restore(path string, damage error) (*Run, error) {
	from := SnapshotPath(path)
	intact, err := openCurrent(from)
	if err != nil {
		return nil, fmt.Errorf("%w; its snapshot %s: %v", damage, from, err)
	}
	n := intact.Len()
	if err := intact.db.Close(); err != nil {
		return nil, err
	}
	info, err := os.Stat(from)
	if err != nil {
		return nil, err
	}
	kept, err := setAside(path, os.Link)
	if err != nil {
		return nil, err
	}
	err = replaceFile(path, func(w io.Writer) error {
		f, err := os.Open(from)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	r, err := open(path, true)
	if err == nil {
		r.remark = fmt.Sprintf("%s was damaged (%v): restored its snapshot of %s with %s; the damaged file "+
			"is kept as %s",
			path, damage, info.ModTime().Format(time.DateTime), kernels.Quantity(n, "candidate"), kept)
	}
	return r, err
}

// setAside gives a file a second name that is free, or makes a copy of that name where a file has one name only.
func setAside(path string, link func(from, to string) error) (kept string, err error) {
	for i := 1; ; i++ {
		kept = path + ".damaged"
		if i > 1 {
			kept = fmt.Sprintf("%s%d", kept, i)
		}
		err := link(path, kept) // rename would replace a file that is there
		if err != nil && !errors.Is(err, os.ErrExist) {
			err = copyNew(path, kept)
		}
		if errors.Is(err, os.ErrExist) {
			continue
		}
		return kept, err
	}
}

// copyNew copies a file to a name that must be free.
func copyNew(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return noSpace(errors.Join(err, os.Remove(to)))
	}
	return nil
}
