package sandbox

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// image is a program that this process is about to become.
type image struct {
	page       []byte // holds the path, where nobody can foresee it
	argv, envp []*byte
}

func prepare(path string, args []string) (*image, error) {
	page, err := unix.Mmap(-1, 0, unix.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	copy(page, path)
	i := &image{page: page}
	if i.argv, err = syscall.SlicePtrFromStrings(args); err != nil {
		return nil, err
	}
	i.envp, err = syscall.SlicePtrFromStrings(os.Environ())
	return i, err
}

// path is the address of the path.
func (i *image) path() uintptr { return uintptr(unsafe.Pointer(&i.page[0])) }

// exec is syscall.Exec with the path at that address.
func (i *image) exec() error {
	_, _, errno := unix.RawSyscall(unix.SYS_EXECVE, i.path(), uintptr(unsafe.Pointer(&i.argv[0])),
		uintptr(unsafe.Pointer(&i.envp[0])))
	runtime.KeepAlive(i)
	return errno
}
