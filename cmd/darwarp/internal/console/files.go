package console

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"darwarp/cmd/darwarp/internal/exit"
)

// CheckFile refuses, before there is anything to write, a path that cannot become a file. It is a mistake of usage.
func CheckFile(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return exit.Usagef("%s is a folder: name a file", path)
	}
	return nil
}

// WriteFile writes beside the place and renames, so that a file that was there stays whole until then.
func WriteFile(path string, write func(io.Writer) error) error {
	if err := CheckFile(path); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".darwarp-write-*")
	if err != nil {
		if known := new(os.PathError); errors.As(err, &known) { // nobody asked for a file of that name
			err = known.Err
		}
		return exit.Usagef("cannot write to the folder %s: %w", filepath.Dir(path), err)
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	if err := errors.Join(write(f), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
