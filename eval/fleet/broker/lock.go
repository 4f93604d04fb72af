package broker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const lockFile = "lock"

// LockDir keeps other processes from a private folder: two servers would remove each other's queues and address. It
// holds until the file is closed, also by the end of the process.
func LockDir(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, Mistaken(fmt.Errorf("the folder %s of keys: %w", dir, err))
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		by, _ := os.ReadFile(path)
		return nil, errors.Join(Mistaken(fmt.Errorf("the folder %s of keys is in use by another process (process %s): wait "+
			"until that ends, or stop it", dir, strings.TrimSpace(string(by[:min(len(by), 20)])))), f.Close())
	}
	// A file system without locks has none; who is there is for people alone.
	_ = f.Truncate(0)
	_, _ = fmt.Fprintf(f, "%d\n", os.Getpid())
	return f, nil
}
