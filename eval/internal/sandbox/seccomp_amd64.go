package sandbox

import "golang.org/x/sys/unix"

// forks are the older calls that start a process, extra those that reach for devices; only this
// architecture has them.
var (
	forks = []uint32{unix.SYS_FORK, unix.SYS_VFORK}
	extra = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM}
)
