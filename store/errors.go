package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"

	"darwarp/kernels"
)

// What can be wrong with a run's file, or with a request. Errors that are returned wrap one of these
// with the file's name and a sentence of advice.
var (
	ErrExists    = errors.New("exists already")
	ErrLocked    = errors.New("in use by another process")
	ErrNewer     = errors.New("written by a newer darwarp")
	ErrNotOurs   = errors.New("not a darwarp run")
	ErrDamaged   = errors.New("damaged")
	ErrNoSpace   = errors.New("no space left to write")
	ErrDenied    = errors.New("cannot be opened")
	ErrNetwork   = errors.New("on a network file system")
	ErrReadOnly  = errors.New("opened for reading only")
	ErrNotFound  = errors.New("not found")
	ErrAmbiguous = errors.New("ambiguous")
	ErrNotServed = errors.New("no live search answers")
)

// errOlder asks View to migrate a copy: a file that is only read must not be changed.
var errOlder = errors.New("written by an older darwarp")

var advice = map[error]string{
	ErrExists:    "resume it, or choose another name",
	ErrLocked:    "wait until that process ends, or stop it",
	ErrNewer:     "update darwarp to open it",
	ErrNotOurs:   "check the file name",
	ErrDamaged:   "restore a copy of the file, or start a new run",
	ErrNoSpace:   "free some space and try again, nothing that was stored is lost",
	ErrDenied:    "change its permissions, or work on a copy",
	ErrNetwork:   "file locks and memory maps are not dependable there, keep the run on a local disk",
	ErrReadOnly:  "open the run for writing",
	ErrNotServed: "the search may have ended, open the file itself",
}

// fault is one of the sentinels with what was seen.
type fault struct{ kind, detail error }

func (f fault) Error() string   { return fmt.Sprintf("%v (%v)", f.kind, f.detail) }
func (f fault) Unwrap() []error { return []error{f.kind, f.detail} }

func damaged(format string, args ...any) error { return fault{ErrDamaged, fmt.Errorf(format, args...)} }

// named adds the file's name and the advice; it is applied once, where an error leaves the package.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	var f fault
	if errors.As(err, &f) {
		return fmt.Errorf("%s: %w: %s", path, err, advice[f.kind])
	}
	return fmt.Errorf("%s: %w", path, err)
}

// within says where an error was met.
func within(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}

// noSpace gives a full disk, a quota and a file size limit their sentinel. bbolt keeps only the text
// of some of these errors.
func noSpace(err error) error {
	if err == nil {
		return nil
	}
	for _, e := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, berrors.ErrMaxSizeReached} {
		if errors.Is(err, e) || strings.HasSuffix(err.Error(), e.Error()) {
			return fault{ErrNoSpace, err}
		}
	}
	return err
}

// maxCommandLine bounds how a process is told to have been started, in bytes.
const maxCommandLine = 100

// processText names a process by its number, with how it was started where that may be known: a view that somebody has
// left open keeps others from writing, too.
func processText(pid string) string {
	words, err := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
	words = bytes.ReplaceAll(bytes.TrimRight(words, "\x00"), []byte{0}, []byte{' '})
	if err != nil || len(words) == 0 {
		return "process " + pid
	}
	return "process " + pid + ": " + kernels.CleanLine(string(words), maxCommandLine)
}
