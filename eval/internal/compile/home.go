package compile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

const (
	homePattern = "darwarp-compile-*"
	settled     = time.Minute // a younger folder may be about to be locked
)

// home is the folder that holds the workers' private folders. It is locked while its process lives, so that the next
// process can remove the folders of a killed one.
type home struct {
	path string
	lock *os.File
}

// The parts of a worker's folder.
func setupFile(folder string) string  { return filepath.Join(folder, "setup.json") }
func includeDir(folder string) string { return filepath.Join(folder, "include") }
func overlayDir(folder string) string { return filepath.Join(folder, "overlay") }
func pchDir(folder string) string     { return filepath.Join(folder, "pch") }
func workDir(folder string) string    { return filepath.Join(folder, "work") } // stays empty
func tempDir(folder string) string    { return filepath.Join(folder, "tmp") }

func newHome() (*home, error) {
	sweep()
	path, err := os.MkdirTemp("", homePattern)
	if err != nil {
		return nil, &FolderError{"the temporary folder", os.TempDir(), "TMPDIR", reason(err)}
	}
	lock, err := lockFolder(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("folder for compilers: %w", err), os.RemoveAll(path))
	}
	return &home{path: path, lock: lock}, nil
}

// sweep removes the folders of processes that are gone. Failures do not matter: the folder of another user is left to
// that user.
func sweep() {
	left, err := filepath.Glob(filepath.Join(os.TempDir(), homePattern))
	if err != nil {
		return
	}
	for _, path := range left {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < settled {
			continue
		}
		if lock, err := lockFolder(path); err == nil {
			_ = os.RemoveAll(path)
			lock.Close()
		}
	}
}

// lockFolder fails if another process holds the folder.
func lockFolder(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return f, nil
}

func (h *home) folder(slot int) string { return filepath.Join(h.path, strconv.Itoa(slot)) }

// fill creates a worker's folder, empty of earlier files.
func (h *home) fill(slot int, s setup, headers, overlay map[string][]byte) (string, error) {
	h.clear(slot)
	folder := h.folder(slot)
	for _, dir := range []string{includeDir(folder), overlayDir(folder), pchDir(folder), workDir(folder),
		tempDir(folder)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(setupFile(folder), text, 0o600); err != nil {
		return "", err
	}
	if err := writeTree(includeDir(folder), headers); err != nil {
		return "", err
	}
	return folder, writeTree(overlayDir(folder), overlay)
}

// writeTree writes headers under the names that they are included by.
func writeTree(dir string, headers map[string][]byte) error {
	for name, data := range headers {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("header %q is outside the include library", name)
		}
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
			return err
		}
	}
	return nil
}

// clear removes a worker's folder; what cannot be removed now is removed with the home.
func (h *home) clear(slot int) { _ = os.RemoveAll(h.folder(slot)) }

func (h *home) close() error {
	err := os.RemoveAll(h.path)
	return errors.Join(err, h.lock.Close())
}
