package main

import (
	"golang.org/x/sys/unix"

	"darwarp/cmd/darwarp/internal/exit"
)

// leastSpace is the address space that every command has enough of: with less the Go runtime ends a process at some
// place or other, with a dump of all its goroutines.
const leastSpace = 2 << 30

// checkLimits refuses to begin where the process would not have the room to end well.
func checkLimits() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur >= leastSpace {
		return nil
	}
	return exit.Environmentf("the address space is limited to %.1f GiB (ulimit -v), and darwarp needs %d GiB: raise the "+
		"limit with ulimit -v unlimited", float64(limit.Cur)/(1<<30), leastSpace>>30)
}
