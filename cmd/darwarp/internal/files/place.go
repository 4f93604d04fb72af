package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Writable refuses a folder in which no file can be made. It makes one for a moment: nothing else tells of a file
// system that takes none, such as /proc. Its error names the folder.
func Writable(dir string) error {
	if _, err := os.Stat(dir); err != nil {
		return unwritable(dir, err)
	}
	f, err := os.CreateTemp(dir, ".darwarp-write-*")
	switch {
	case errors.Is(err, fs.ErrNotExist): // of a folder that is there
		return fmt.Errorf("cannot write to the folder %s: its file system takes no new files", dir)
	case err != nil:
		return unwritable(dir, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// unwritable leaves out the name of a file that nobody asked for.
func unwritable(dir string, err error) error {
	return fmt.Errorf("cannot write to the folder %s: %w", dir, Reason(err))
}

// Makeable refuses a folder that could neither be written, where it is there, nor be made with those above it.
func Makeable(dir string) error {
	for {
		_, err := os.Lstat(dir)
		above := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || above == dir {
			return Writable(dir)
		}
		dir = above
	}
}
