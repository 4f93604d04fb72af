package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// own says that a worker starts in namespaces of its own, and as whom.
type own struct {
	UID     int  `json:"uid"` // outside, and inside
	GID     int  `json:"gid"`
	PIDs    bool `json:"pids"`    // also those of process ids and mounts
	Threads bool `json:"threads"` // bound the threads
}

// flags are those of clone(2). A user namespace lets anybody make the others, and has no privileges outside of it.
func (o *own) flags() uintptr {
	const always = unix.CLONE_NEWUSER | unix.CLONE_NEWIPC | unix.CLONE_NEWNET | unix.CLONE_NEWUTS
	if o.PIDs {
		return always | unix.CLONE_NEWPID | unix.CLONE_NEWNS
	}
	return always
}

// Separate makes a process start in namespaces of its own, where the kernel has them. Its first program is the worker
// that Args says, which keeps privileges inside of them until it has settled there.
func (p *Profile) Separate(attr *syscall.SysProcAttr) {
	if p == nil || p.Mode == Off {
		return
	}
	if o := p.own(); o != nil {
		o.separate(attr)
	}
}

// own is what a worker gets of the namespaces here, nil: nothing.
func (p *Profile) own() *own {
	if p.Shared {
		return nil
	}
	return Here().own()
}

// separate has the new process itself write who it is: the files for it belong to root while the supervisor, of which
// it is a copy, cannot be dumped.
func (o *own) separate(attr *syscall.SysProcAttr) {
	attr.Cloneflags |= o.flags()
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_SYS_RESOURCE}
}

// settle says who this process is in its user namespace, and gives it a /proc of its own.
func (o *own) settle() error {
	for _, f := range [][2]string{{"setgroups", "deny"},
		{"gid_map", fmt.Sprintf("%d %d 1", o.GID, o.GID)}, {"uid_map", fmt.Sprintf("%d %d 1", o.UID, o.UID)}} {
		if err := os.WriteFile("/proc/self/"+f[0], []byte(f[1]), 0); err != nil {
			return fmt.Errorf("user namespace: %w", err)
		}
	}
	if !o.PIDs {
		return nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mount namespace: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("/proc of its own: %w", err)
	}
	return nil
}

// boundThreads lets the pid namespace have so many threads and processes (Linux 6.14), which also holds for root, whom
// RLIMIT_NPROC does not count.
func (o *own) boundThreads() error {
	if !o.PIDs {
		return errors.ErrUnsupported
	}
	return os.WriteFile("/proc/sys/kernel/pid_max", []byte(strconv.Itoa(maxThreads)), 0)
}

// countsThreads reports whether RLIMIT_NPROC counts the threads of this user namespace alone (Linux 5.14).
func (o *own) countsThreads() bool {
	var name unix.Utsname
	var major, minor int
	if err := unix.Uname(&name); err != nil {
		return false
	}
	_, err := fmt.Sscanf(unix.ByteSliceToString(name.Release[:]), "%d.%d", &major, &minor)
	return err == nil && o.UID != root && (major > 5 || major == 5 && minor >= 14)
}

const root = 0
