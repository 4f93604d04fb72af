// Package files reads what users name and others have made: regular files only, their size before their bytes, and of
// a folder nothing that lies outside of it.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Read reads a regular file of at most so many bytes. A link is followed, for its name was typed.
// Its errors name the file.
func Read(path string, most int64) ([]byte, error) {
	f, size, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > most {
		return nil, tooLarge(path, most)
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1)) // it may grow meanwhile; files of /proc have no size
	if err == nil && int64(len(data)) > most {
		err = tooLarge(path, most)
	}
	return data, err
}

// Head reads the first n bytes of a regular file, or all that there are.
func Head(path string, n int64) ([]byte, error) {
	f, _, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, n))
}

// Append opens a regular file to write at its end, and makes it where there is none. A link is not followed: the name
// was not typed, and who made the folder could have anything written anywhere.
func Append(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Reason is an error of the file system without the call that failed and the name, for messages that have a name.
func Reason(err error) error {
	if known := new(fs.PathError); errors.As(err, &known) {
		return known.Err
	}
	return err
}

func tooLarge(path string, most int64) error {
	return fmt.Errorf("%s: more than %d bytes", path, most)
}

// quick keeps the opening of a pipe from waiting for its other end. On regular files it has no effect.
const quick = os.O_RDONLY | syscall.O_NONBLOCK

// open asks twice what a file is: some devices act on being opened, and it may be exchanged in between.
func open(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, Reason(err))
	}
	if err := regular(path, info); err != nil {
		return nil, 0, err
	}
	f, err := os.OpenFile(path, quick, 0)
	if err != nil {
		return nil, 0, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func regular(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s is a %s: expected a file", path, kind(info.Mode()))
}

// kind names what is not a regular file.
func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "folder"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

// Folder is a folder whose files are read: links lead to files inside of it, or nowhere.
type Folder struct{ root *os.Root }

// OpenFolder opens a folder.
func OpenFolder(path string) (*Folder, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, Reason(err))
	}
	if !info.IsDir() { // a pipe would be waited for
		return nil, fmt.Errorf("%s is not a folder", path)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Folder{root}, nil
}

// Close closes the folder; files that are open stay so.
func (d *Folder) Close() error { return d.root.Close() }

// Open opens a regular file, or the folder itself as ".".
func (d *Folder) Open(name string) (fs.File, error) {
	fail := func(err error) (fs.File, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: err} }
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	info, err := d.root.Stat(name)
	if err == nil && !info.IsDir() {
		err = regular(name, info)
	}
	if err != nil {
		return fail(inner(err))
	}
	f, err := d.root.OpenFile(name, quick, 0)
	if err != nil {
		return fail(inner(err))
	}
	if info, err = f.Stat(); err == nil && !info.IsDir() {
		err = regular(name, info)
	}
	if err != nil {
		f.Close()
		return fail(inner(err))
	}
	return f, nil
}

var errOutside = errors.New("it leads out of the folder")

// inner is an error without the name that it will get.
func inner(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		err = e.Err
	}
	if err.Error() == "path escapes from parent" { // package os has no name for it
		return errOutside
	}
	return err
}
