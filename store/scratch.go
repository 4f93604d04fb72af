package store

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// scratch is a file for a copy of a run. It is gone with its last handle.
type scratch struct {
	*os.File
	path string // by which it can be opened until drop
	name string // to be removed; empty: it has none
}

// drop closes the file and removes its name.
func (s *scratch) drop() {
	s.Close()
	if s.name != "" {
		os.Remove(s.name)
	}
}

// scratches are the places for a copy, in order: a run can be read although the disk is full, or nothing can be written
// where it lies.
var scratches = []func(dir string) (*scratch, error){onDisk, inMemory}

// onDisk makes a file in a folder; an empty one is that for temporary files.
func onDisk(dir string) (*scratch, error) {
	f, err := os.CreateTemp(dir, ".darwarp-copy-*") // mode 0600
	if err != nil {
		return nil, err
	}
	s := &scratch{f, handle(f), ""}
	if _, err := os.Stat(s.path); err != nil || os.Remove(f.Name()) != nil { // no /proc
		s.path, s.name = f.Name(), f.Name()
	}
	return s, nil
}

// inMemory makes a file that lies nowhere.
func inMemory(string) (*scratch, error) {
	fd, err := unix.MemfdCreate("darwarp-copy", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	f := os.NewFile(uintptr(fd), "darwarp-copy")
	return &scratch{f, handle(f), ""}, nil
}

// handle is a path to an open file that needs no name.
func handle(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }

// spill writes a copy to the first of the places that takes it. write is called again for the next one where there was
// no space; any other error of it is the last.
func spill(dir string, places []func(string) (*scratch, error), write func(*os.File) error) (*scratch, error) {
	var all []error
	for _, place := range places {
		s, err := place(dir)
		if err != nil {
			all = append(all, err)
			continue
		}
		if err = noSpace(write(s.File)); err == nil {
			return s, nil
		}
		s.drop()
		if all = append(all, err); !errors.Is(err, ErrNoSpace) {
			break
		}
	}
	return nil, errors.Join(all...)
}
