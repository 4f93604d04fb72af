package proc

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Shared is memory that a worker sees too: pass File in the Spec's Files and open it there with
// OpenShared. It can grow and never shrinks (a worker that shrank it would kill its parent with
// SIGBUS), nor can a worker forbid its parent to let it grow, or to write it.
type Shared struct {
	file *os.File
	mem  []byte
}

// NewShared makes size bytes of zeros. The name is for people who look into /proc.
func NewShared(name string, size int64) (*Shared, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	s := &Shared{file: os.NewFile(uintptr(fd), name)}
	if err := s.Grow(size); err != nil {
		s.Close()
		return nil, err
	}
	if _, err := unix.FcntlInt(s.file.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL); err != nil {
		s.Close()
		return nil, fmt.Errorf("shared memory: forbid shrinking: %w", err)
	}
	return s, nil
}

// OpenShared maps memory that another process made, at its present size. It takes the file.
func OpenShared(f *os.File) (*Shared, error) {
	s := &Shared{file: f}
	info, err := f.Stat()
	if err == nil {
		err = s.remap(info.Size())
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	return s, nil
}

// Grow makes the memory at least size bytes large. Earlier results of Map are invalid after it; the
// other side calls Grow with the same size, or opens it again.
func (s *Shared) Grow(size int64) error {
	info, err := s.file.Stat()
	if err != nil {
		return fmt.Errorf("shared memory: %w", err)
	}
	if size > info.Size() {
		if err := s.file.Truncate(size); err != nil {
			return fmt.Errorf("shared memory of %d bytes: %w", size, err)
		}
	}
	if size <= int64(len(s.mem)) {
		return nil
	}
	return s.remap(size)
}

func (s *Shared) remap(size int64) error {
	if s.mem != nil {
		if err := unix.Munmap(s.mem); err != nil {
			return fmt.Errorf("unmap: %w", err)
		}
		s.mem = nil
	}
	if size == 0 {
		return nil
	}
	mem, err := unix.Mmap(int(s.file.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("map %d bytes: %w", size, err)
	}
	s.mem = mem
	return nil
}

// Map is the memory. It is valid until Grow or Close.
func (s *Shared) Map() []byte { return s.mem }

// File is the memory as a file to pass on. It stays the Shared's.
func (s *Shared) File() *os.File { return s.file }

// Close unmaps the memory; it lives on in processes that have it open.
func (s *Shared) Close() error {
	err := s.remap(0)
	if e := s.file.Close(); err == nil {
		err = e
	}
	return err
}
