package compile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// FolderError says that a folder that compilers need cannot be used.
type FolderError struct {
	What     string // the cache folder
	Dir      string
	Variable string // of the environment, that names another one
	Err      error
}

func (e *FolderError) Error() string {
	return fmt.Sprintf("%s %s cannot be written to: %v", e.What, e.Dir, e.Err)
}

// Unwrap is what the system says.
func (e *FolderError) Unwrap() error { return e.Err }

// makeCache makes the folder of compiled kernels, and writes there to see whether that works.
func makeCache(dir string) error {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = tryWriting(dir)
	}
	if err == nil {
		return nil
	}
	return &FolderError{"the cache folder", dir, "XDG_CACHE_HOME", reason(err)}
}

func tryWriting(dir string) error {
	f, err := os.CreateTemp(dir, "new-*") // a leftover would be removed as an unfinished entry is
	if err != nil {
		return err
	}
	err = os.Remove(f.Name())
	if errors.Is(err, fs.ErrNotExist) { // another process that makes room has removed it
		err = nil
	}
	return errors.Join(f.Close(), err)
}

// reason is an error of the file system without the name that nobody typed.
func reason(err error) error {
	if known := new(fs.PathError); errors.As(err, &known) {
		return known.Err
	}
	return err
}
