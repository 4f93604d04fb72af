package console

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
)

// CheckFile refuses, before there is anything to write, a path that cannot become a file, and one that has a run. It is
// a mistake of usage.
func CheckFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return exit.Usagef("%s is a folder: name a file", path)
	case err == nil && !info.Mode().IsRegular(): // a file would take the place of /dev/null
		return exit.Usagef("%s is no regular file: name a file", path)
	case err == nil && isRun(path):
		return exit.Usagef("%s is a run, which would be lost: name another file", path)
	}
	if err := files.Writable(filepath.Dir(path)); err != nil {
		return exit.Usagef("%s: %w: name a file elsewhere", path, err)
	}
	return nil
}

// boltMagic is what a run's file, as any of bbolt, has in its first page, behind the page's own 16 bytes.
var boltMagic = []byte{0xed, 0xda, 0x0c, 0xed}

func isRun(path string) bool {
	head, err := files.Head(path, 20)
	return err == nil && len(head) == 20 && bytes.Equal(head[16:], boltMagic)
}

// WriteFile writes beside the place and renames, so that a file that was there stays whole until then. What a link
// leads to is replaced, and not the link.
func WriteFile(path string, write func(io.Writer) error) error {
	if err := CheckFile(path); err != nil {
		return err
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".darwarp-write-*")
	if err != nil { // nobody asked for a file of that name
		return exit.Usagef("cannot write to the folder %s: %w", filepath.Dir(path), files.Reason(err))
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	if err := errors.Join(write(f), f.Chmod(0o644), f.Close()); err != nil {
		return named(path, err)
	}
	return named(path, os.Rename(f.Name(), path))
}

// named has an error of the file system name the file that was asked for.
func named(path string, err error) error {
	if why := files.Reason(err); why != err {
		return fmt.Errorf("%s cannot be written: %w", path, why)
	}
	return err
}
