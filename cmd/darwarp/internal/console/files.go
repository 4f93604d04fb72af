package console

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// WriteFile writes beside the place and renames, so that a file that was there stays whole until then.
func WriteFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".darwarp-write-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	if err := errors.Join(write(f), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
