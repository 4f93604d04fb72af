package sandbox

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// limits applies what bounds this process by itself. A limit of 0 in the profile is none.
func (p *Profile) limits() error {
	all := []struct {
		resource int
		limit    uint64
		set      bool
	}{
		{unix.RLIMIT_CORE, 0, true},
		{unix.RLIMIT_MSGQUEUE, 0, !p.Wide},
		{unix.RLIMIT_RTPRIO, 0, !p.Wide},
		{unix.RLIMIT_MEMLOCK, 0, !p.Driver},
		{unix.RLIMIT_NOFILE, maxFiles, !p.Driver}, // of which each may be one of memory
		{unix.RLIMIT_FSIZE, p.FileSize, p.FileSize > 0},
		// Not the address space, of which Go and the driver reserve many times what they use.
		{unix.RLIMIT_DATA, p.Memory, p.Memory > 0 && !p.Wide},
		// In a user namespace of its own a worker's threads are the only ones that count.
		{unix.RLIMIT_NPROC, maxThreads, p.Own != nil && p.Own.Threads},
	}
	for _, l := range all {
		if !l.set {
			continue
		}
		var now unix.Rlimit
		if err := unix.Getrlimit(l.resource, &now); err != nil {
			return fmt.Errorf("rlimit: %w", err)
		}
		limit := min(l.limit, now.Max)
		if err := unix.Setrlimit(l.resource, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("rlimit: %w", err)
		}
	}
	return nil
}

// maxFiles is the usual limit.
const maxFiles = 1024

// maxThreads bounds the threads of a worker together with those of its children. A driver starts some for each core.
const maxThreads = 4096

// goFirst has the kernel end a worker before its supervisor, and before anything else, when memory runs out.
func goFirst() { _ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) }

// dropCapabilities removes root's privileges from the program that is executed next: with them a process can read the
// memory of others in spite of Landlock. For a process without privileges the kernel returns an error, which is
// ignored.
func dropCapabilities() error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	none := [2]unix.CapUserData{}
	return unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0])
}
