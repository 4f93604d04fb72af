package attack

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const (
	here      = unix.AT_FDCWD
	fchmodat2 = 452 // on every architecture
)

// shared is a file of shared memory that nobody else has.
func (t *Target) shared() string { return fmt.Sprintf("/dev/shm/darwarp-attack-%d", t.PID) }

// open is a call of openat.
func open(path string, flags int) []Call {
	return call(unix.SYS_OPENAT, here, path, flags|unix.O_CLOEXEC, 0o600)
}

func files(t *Target) []Attack {
	of := func(name string) string { return fmt.Sprintf("/proc/%d/%s", t.PID, name) }
	return []Attack{
		{Name: "read a file of this user", Calls: open(t.Secret, unix.O_RDONLY)},
		{Name: "read /etc/passwd", Calls: open("/etc/passwd", unix.O_RDONLY)},
		{Name: "list a folder of this user", Calls: open(t.Dir, unix.O_DIRECTORY)},
		{Name: "read the supervisor's environment", Calls: open(of("environ"), unix.O_RDONLY), Supervisor: true},
		{Name: "read the supervisor's memory", Calls: open(of("mem"), unix.O_RDONLY), Supervisor: true},
		{Name: "read through the supervisor's root", Calls: open(of("root"+t.Secret), unix.O_RDONLY), Supervisor: true},
		{Name: "list the supervisor's open files", Calls: open(of("fd"), unix.O_DIRECTORY), Supervisor: true},
		{Name: "write a file of this user", Calls: open(t.Victim, unix.O_WRONLY)},
		{Name: "empty a file by opening it", Calls: open(t.Victim, unix.O_RDONLY|unix.O_TRUNC)},
		{Name: "empty a file by its name", Calls: call(unix.SYS_TRUNCATE, t.Victim, 0)},
		{Name: "make a file", Calls: open(t.Dir+"/made", unix.O_WRONLY|unix.O_CREAT)},
		{Name: "make a folder", Calls: call(unix.SYS_MKDIRAT, here, t.Dir+"/folder", 0o700)},
		{Name: "make a link", Calls: call(unix.SYS_LINKAT, here, t.Victim, here, t.Dir+"/link", 0)},
		{Name: "make a symbolic link", Calls: call(unix.SYS_SYMLINKAT, "/etc", here, t.Dir+"/symlink")},
		{Name: "make a FIFO", Calls: call(unix.SYS_MKNODAT, here, t.Dir+"/fifo", unix.S_IFIFO|0o600, 0)},
		{Name: "rename a file", Calls: call(unix.SYS_RENAMEAT2, here, t.Victim, here, t.Dir+"/renamed", 0),
			After: call(unix.SYS_RENAMEAT2, here, t.Dir+"/renamed", here, t.Victim, 0)},
		{Name: "remove a file", Calls: call(unix.SYS_UNLINKAT, here, t.Dir+"/removed", 0)},
		{Name: "write a setting of the kernel", Calls: open("/proc/sys/kernel/core_pattern", unix.O_WRONLY)},
		{Name: "write to process 1", Calls: open("/proc/1/oom_score_adj", unix.O_WRONLY)},
		{Name: "write to the supervisor's /proc", Calls: open(of("oom_score_adj"), unix.O_WRONLY), Supervisor: true},
		{Name: "join another cgroup", Calls: open("/sys/fs/cgroup/cgroup.procs", unix.O_WRONLY)},
		{Name: "open the kernel's log", Calls: open("/dev/kmsg", unix.O_WRONLY)},
		{Name: "open the machine's memory", Calls: open("/dev/mem", unix.O_RDONLY)},
		{Name: "open a virtual machine", Calls: open("/dev/kvm", unix.O_RDWR)},
		{Name: "open FUSE", Calls: open("/dev/fuse", unix.O_RDWR)},
		{Name: "open shared memory by name", Calls: open(t.shared(), unix.O_RDWR|unix.O_CREAT),
			After: call(unix.SYS_UNLINKAT, here, t.shared(), 0)},
	}
}

func modes(t *Target) []Attack {
	return []Attack{
		{Name: "change a mode", Calls: call(unix.SYS_FCHMODAT, here, t.Victim, 0o600)},
		{Name: "change a mode by fchmodat2", Calls: call(fchmodat2, here, t.Victim, 0o600, 0)},
		{Name: "change a mode by an open file", Calls: calls(c(unix.SYS_MEMFD_CREATE, "attack", 0),
			c(unix.SYS_FCHMOD, Result(0), 0o600))},
		{Name: "change an owner", Calls: call(unix.SYS_FCHOWNAT, here, t.Victim, t.UID, t.GID, 0)},
		{Name: "change an owner by an open file", Calls: calls(c(unix.SYS_MEMFD_CREATE, "attack", 0),
			c(unix.SYS_FCHOWN, Result(0), -1, -1))},
		{Name: "change times", Calls: call(unix.SYS_UTIMENSAT, here, t.Victim, 0, 0)},
		{Name: "set an attribute", Calls: call(unix.SYS_SETXATTR, t.Victim, "user.darwarp", "x", 1, 0)},
		{Name: "remove an attribute", Calls: call(unix.SYS_REMOVEXATTR, t.Victim, "user.kept")},
	}
}

func supervisor(t *Target) []Attack {
	local, remote := Vector{At: Scratch{}, Bytes: 8, Slot: 512}, Vector{At: int(t.Address), Bytes: 8, Slot: 520}
	return []Attack{
		{Name: "read its limits", Calls: call(unix.SYS_PRLIMIT64, t.PID, unix.RLIMIT_NOFILE, 0, Scratch{})},
		{Name: "set its limits", Calls: calls(c(unix.SYS_PRLIMIT64, t.PID, unix.RLIMIT_CORE, 0, Scratch{}),
			c(unix.SYS_PRLIMIT64, t.PID, unix.RLIMIT_CORE, Scratch{}, 0))},
		{Name: "signal it", Calls: call(unix.SYS_KILL, t.PID, 0)},
		{Name: "signal one of its threads", Calls: call(unix.SYS_TGKILL, t.PID, t.PID, 0)},
		{Name: "signal a thread by tkill", Calls: call(unix.SYS_TKILL, t.PID, 0)},
		{Name: "signal all that there is", Calls: call(unix.SYS_KILL, -1, 0)},
		{Name: "queue a signal", Calls: call(unix.SYS_RT_SIGQUEUEINFO, t.PID, 0, queued)},
		{Name: "signal it by a pidfd", Calls: calls(c(unix.SYS_PIDFD_OPEN, t.PID, 0),
			c(unix.SYS_PIDFD_SEND_SIGNAL, Result(0), 0, 0, 0))},
		{Name: "have signals sent to it", Calls: call(unix.SYS_FCNTL, 2, unix.F_SETOWN, t.PID)},
		{Name: "change its priority", Calls: call(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, t.PID, t.Nice)},
		{Name: "change its affinity", Calls: call(unix.SYS_SCHED_SETAFFINITY, t.PID, len(t.Affinity), t.Affinity)},
		{Name: "change its scheduler", Calls: call(unix.SYS_SCHED_SETSCHEDULER, t.PID, 0, words(0))},
		{Name: "change its priority for files", Calls: call(unix.SYS_IOPRIO_SET, 1, t.PID, 2<<13|4)},
		{Name: "debug it", Calls: call(unix.SYS_PTRACE, unix.PTRACE_SEIZE, t.PID, 0, 0)},
		{Name: "read its memory by a call", Calls: call(unix.SYS_PROCESS_VM_READV, t.PID, local, 1, remote, 1, 0)},
		{Name: "write its memory by a call", Calls: calls(c(unix.SYS_PROCESS_VM_READV, t.PID, local, 1, remote, 1, 0),
			c(unix.SYS_PROCESS_VM_WRITEV, t.PID, local, 1, remote, 1, 0))},
		{Name: "take one of its open files", Calls: calls(c(unix.SYS_PIDFD_OPEN, t.PID, 0),
			c(unix.SYS_PIDFD_GETFD, Result(0), 0, 0))},
		{Name: "compare with it", Calls: call(unix.SYS_KCMP, t.PID, t.PID, 0, 0, 0)},
		{Name: "join its process group", Calls: call(unix.SYS_SETPGID, 0, t.Group)},
		{Name: "outlive it", Calls: call(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, 0)},
	}
}

func kernel(t *Target) []Attack {
	return []Attack{
		{Name: "a user namespace", Calls: call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER)},
		{Name: "a mount namespace", Calls: call(unix.SYS_UNSHARE, unix.CLONE_NEWNS)},
		{Name: "join the supervisor's namespace", Calls: calls(c(unix.SYS_PIDFD_OPEN, t.PID, 0),
			c(unix.SYS_SETNS, Result(0), unix.CLONE_NEWPID))},
		{Name: "mount", Calls: call(unix.SYS_MOUNT, "none", t.Dir, "tmpfs", 0, 0),
			After: call(unix.SYS_UMOUNT2, t.Dir, 0)},
		{Name: "change the root folder", Calls: call(unix.SYS_CHROOT, "/")},
		{Name: "a key", Calls: call(unix.SYS_ADD_KEY, "user", "darwarp", "x", 1, -2)},
		{Name: "the keys of the session", Calls: call(unix.SYS_KEYCTL, 0, -3, 0)},
		{Name: "BPF", Calls: call(unix.SYS_BPF, 0, bpfArray, len(bpfArray))},
		{Name: "performance counters", Calls: call(unix.SYS_PERF_EVENT_OPEN, perfClock, 0, -1, -1, 0)},
		{Name: "io_uring", Calls: call(unix.SYS_IO_URING_SETUP, 1, make([]byte, 120))},
		{Name: "userfaultfd", Calls: call(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|1)},
		{Name: "the name of the machine", Calls: call(unix.SYS_SETHOSTNAME, t.Host, len(t.Host))},
		{Name: "a terminal's input", Calls: calls(c(unix.SYS_OPENAT, here, "/dev/tty", unix.O_RDWR),
			c(unix.SYS_IOCTL, Result(0), unix.TIOCSTI, ""))},
	}
}

func leftovers(*Target) []Attack {
	return []Attack{
		{Name: "shared memory of System V", Calls: call(unix.SYS_SHMGET, 0, 1<<20, unix.IPC_CREAT|0o600),
			After: call(unix.SYS_SHMCTL, Result(0), 0, 0)},
		{Name: "semaphores of System V", Calls: call(unix.SYS_SEMGET, 0, 1, unix.IPC_CREAT|0o600),
			After: call(unix.SYS_SEMCTL, Result(0), 0, 0)},
		{Name: "messages of System V", Calls: call(unix.SYS_MSGGET, 0, unix.IPC_CREAT|0o600),
			After: call(unix.SYS_MSGCTL, Result(0), 0, 0)},
		{Name: "a queue by name", Calls: call(unix.SYS_MQ_OPEN, "darwarp-attack", unix.O_CREAT|unix.O_RDWR, 0o600, 0),
			After: call(unix.SYS_MQ_UNLINK, "darwarp-attack")},
	}
}

func network(t *Target) []Attack {
	dial := func(family, kind int, address []byte) []Call {
		return calls(c(unix.SYS_SOCKET, family, kind|unix.SOCK_CLOEXEC, 0),
			c(unix.SYS_CONNECT, Result(0), address, len(address)))
	}
	socket := func(family, kind int) []Call { return call(unix.SYS_SOCKET, family, kind|unix.SOCK_CLOEXEC, 0) }
	return []Attack{
		{Name: "TCP", Calls: dial(unix.AF_INET, unix.SOCK_STREAM, t.TCP)},
		{Name: "UDP", Calls: dial(unix.AF_INET, unix.SOCK_DGRAM, t.UDP)},
		{Name: "a service of this machine", Calls: dial(unix.AF_UNIX, unix.SOCK_STREAM, t.Unix)},
		{Name: "a socket of IPv6", Calls: socket(unix.AF_INET6, unix.SOCK_STREAM)},
		{Name: "a socket of the kernel", Calls: socket(unix.AF_NETLINK, unix.SOCK_RAW)},
		{Name: "raw packets", Calls: socket(unix.AF_PACKET, unix.SOCK_RAW)},
		{Name: "the host of a virtual machine", Calls: socket(unix.AF_VSOCK, unix.SOCK_STREAM)},
		{Name: "the kernel's ciphers", Calls: socket(unix.AF_ALG, unix.SOCK_SEQPACKET)},
	}
}

func processes(t *Target) []Attack {
	starts := func(k Kind) bool { return k.Children }
	return []Attack{
		{Name: "a process", Calls: call(unix.SYS_CLONE, int(unix.SIGCHLD), 0, 0, 0, 0), Not: starts},
		{Name: "a process by clone3", Calls: call(unix.SYS_CLONE3, clone3Args(0), 88), Not: starts},
		{Name: "a process in another user namespace",
			Calls: call(unix.SYS_CLONE, unix.CLONE_NEWUSER|int(unix.SIGCHLD), 0, 0, 0, 0)},
		{Name: "the same by clone3", Calls: call(unix.SYS_CLONE3, clone3Args(unix.CLONE_NEWUSER), 88)},
		{Name: "another program", Calls: call(unix.SYS_EXECVE, t.Program, 0, 0), Not: starts},
		{Name: "another program by execveat", Calls: call(unix.SYS_EXECVEAT, here, t.Program, 0, 0, 0)},
	}
}

func resources(t *Target) []Attack {
	const gib = 1 << 30
	anonymous, shared := unix.MAP_ANONYMOUS|unix.MAP_PRIVATE|unix.MAP_NORESERVE, unix.MAP_ANONYMOUS|unix.MAP_SHARED
	both := unix.PROT_READ | unix.PROT_WRITE
	drives := func(k Kind) bool { return k.Driver } // its own mappings are shared
	return []Attack{
		{Name: "all of the memory", Calls: calls(
			Call{Nr: unix.SYS_MMAP, Args: []any{0, gib, both, anonymous, -1, 0}, Repeat: int(t.Memory/gib) + 1}), Ends: true},
		{Name: "shared memory without a file", Calls: call(unix.SYS_MMAP, 0, gib, both, shared, -1, 0), Not: drives},
		{Name: "ten gigabytes in a file of memory", Calls: calls(c(unix.SYS_MEMFD_CREATE, "attack", 0),
			c(unix.SYS_FTRUNCATE, Result(0), 10*gib))},
		{Name: "memory that cannot be swapped out", Calls: calls(c(unix.SYS_MMAP, 0, gib, both, anonymous, -1, 0),
			c(unix.SYS_MLOCK2, Result(0), 256<<20, 1)), Ends: true, Not: drives},
		{Name: fmt.Sprintf("%d threads", manyThreads), Spawn: manyThreads, Ends: true},
		{Name: "a higher priority", Calls: call(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, 0, -20)},
	}
}

// manyThreads is how many threads a candidate has been seen to start.
const manyThreads = 12006
