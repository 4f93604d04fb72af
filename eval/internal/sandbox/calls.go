package sandbox

import (
	"os"
	"slices"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// The system calls that workers may make, by what they are for. Names that an architecture does not have are skipped.
// What is on no list fails with EPERM. The lists were taken from traces of each kind of worker on Linux 6.18, and
// widened by the relatives of each call that other versions of Go, glibc and the compilers use in its place.
var (
	// basic is what Go's runtime, the C library and its loader need: the process itself, its memory and its open files.
	basic = []string{
		"read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "close", "close_range", "lseek",
		"open", "openat", "stat", "lstat", "fstat", "newfstatat", "statx", "statfs", "fstatfs", "access", "faccessat",
		"faccessat2", "readlink", "readlinkat", "getdents", "getdents64", "getcwd", "dup", "dup2", "dup3", "pipe", "pipe2",
		"ftruncate", "fallocate", "fadvise64", "memfd_create", "munmap", "mremap", "madvise", "mprotect", "msync",
		"mincore", "brk", "membarrier", "futex", "set_robust_list", "get_robust_list", "rseq", "set_tid_address",
		"arch_prctl", "sched_yield", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_get_priority_max",
		"sched_get_priority_min", "getpriority", "getcpu", "nanosleep", "clock_nanosleep", "clock_gettime",
		"clock_getres", "gettimeofday", "time", "times", "getrusage", "getrlimit", "setrlimit", "sysinfo", "uname",
		"getrandom", "getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getgroups", "getpgrp",
		"getresuid", "getresgid", "capget", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending",
		"rt_sigsuspend", "rt_sigtimedwait", "sigaltstack", "restart_syscall", "epoll_create", "epoll_create1", "epoll_ctl",
		"epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2", "poll", "ppoll", "select", "pselect6", "exit",
		"exit_group",
	}
	// filing makes, renames and removes files, where Landlock allows it.
	filing = []string{"creat", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2",
		"umask", "flock", "fsync", "fdatasync", "chdir", "fchdir"}
	// starting starts programs and waits for them.
	starting = []string{"fork", "vfork", "execve", "wait4", "waitid", "pidfd_open", "getpgid", "chdir", "fchdir", "umask"}
	// undriven are what the GPU's driver does not need. Its list is the reverse of the others: every call that had a
	// number in Linux 6.15 but these, the hostile ones, and those whose arguments are checked. What a driver calls is in
	// no documentation and differs from release to release; one call too few is an error without a name.
	undriven = []string{
		"fork", "vfork", "execveat", "wait4", "waitid", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open",
		"pidfd_send_signal", "setpgid", "setsid", "setpriority", "sched_setparam", "sched_setscheduler", "sched_setattr",
		"ioprio_set", "migrate_pages", "move_pages", "personality", "vhangup", "process_mrelease",
		"chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "lchown", "fchown", "fchownat", "utime", "utimes", "utimensat",
		"futimesat", "setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr",
		"removexattrat", "truncate", "creat", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat",
		"renameat2", "link", "linkat", "symlink", "symlinkat", "mknod", "mknodat", "sync", "syncfs", "fanotify_init",
		"fanotify_mark", "name_to_handle_at", "lookup_dcookie", "syslog", "statmount", "listmount",
		"shmget", "shmat", "shmctl", "shmdt", "semget", "semop", "semctl", "semtimedop", "msgget", "msgsnd", "msgrcv",
		"msgctl", "mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr",
		"connect", "accept", "accept4", "sendto", "sendmmsg", "modify_ldt", "uselib", "seccomp", "capset",
	}
	// gone are calls of a driver that find nothing: it unlinks a name that is not there and takes no other error than that
	// (NVIDIA's 580.159.04: cuInit ends with CUDA_ERROR_OPERATING_SYSTEM).
	gone = []string{"unlink", "unlinkat"}
	// hostile calls end the worker: no compiler, driver or library makes one by chance.
	hostile = []string{
		"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
		"mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "open_tree", "move_mount", "fsopen", "fsmount",
		"fsconfig", "mount_setattr", "open_by_handle_at", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup",
		"io_uring_enter", "io_uring_register", "init_module", "finit_module", "delete_module", "kexec_load",
		"kexec_file_load", "reboot", "swapon", "swapoff", "acct", "quotactl", "settimeofday", "clock_settime",
		"clock_adjtime", "adjtimex", "add_key", "request_key", "keyctl", "iopl", "ioperm", "sethostname", "setdomainname",
		"setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid",
	}
)

// FIOCLEX and FIONCLEX of ioctl(2), which set a flag of one's own file.
const (
	closeOnExec = 0x5451
	keepOnExec  = 0x5450
)

// newNamespaces are the flags of clone(2) that make one.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// rule allows a call whose arguments meet all conditions. Several rules of one name are alternatives.
type rule = seccomp.NameWithConditions

// equal is the condition that an argument has a value. All 64 bits are compared, of which the kernel ignores some: what
// looks different is refused.
func equal(arg uint32, v uint64) seccomp.Condition {
	return seccomp.Condition{Argument: arg, Operation: seccomp.Equal, Value: v}
}

// without is the condition that an argument has none of the bits.
func without(arg uint32, bits uint64) seccomp.Condition {
	return seccomp.Condition{Argument: arg, Operation: seccomp.BitsNotSet, Value: bits}
}

// with is the condition that an argument has a bit.
func with(arg uint32, bit uint64) seccomp.Condition {
	return seccomp.Condition{Argument: arg, Operation: seccomp.BitsSet, Value: bit}
}

// oneOf allows a call if an argument has one of the values.
func oneOf(name string, arg uint32, values ...uint64) (rules []rule) {
	for _, v := range values {
		rules = append(rules, rule{Name: name, Conditions: seccomp.ArgumentConditions{equal(arg, v)}})
	}
	return rules
}

// when allows a call under all of the conditions.
func when(name string, all ...seccomp.Condition) []rule { return []rule{{Name: name, Conditions: all}} }

// checked are the calls that depend on their arguments. self is the worker's process id, which exec does not change:
// limits, signals and affinities of others are out of reach, also where the kernel has no namespaces.
func (p *Profile) checked(self int) (rules []rule) {
	add := func(more []rule) { rules = append(rules, more...) }
	me := uint64(self)
	add(oneOf("prlimit64", 0, 0))
	add(oneOf("kill", 0, me))
	add(oneOf("tgkill", 0, me))
	// Not the death signal, by which a worker ends with its supervisor.
	add(oneOf("prctl", 0, unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_SET_VMA, unix.PR_GET_DUMPABLE,
		unix.PR_CAPBSET_READ, unix.PR_GET_SECCOMP, unix.PR_GET_NO_NEW_PRIVS))
	// Not F_SETOWN, F_SETSIG, F_NOTIFY: signals to others; nor leases.
	add(oneOf("fcntl", 1, unix.F_DUPFD, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL, unix.F_DUPFD_CLOEXEC,
		unix.F_GET_SEALS, unix.F_GETLK, unix.F_SETLK, unix.F_SETLKW, unix.F_OFD_GETLK, unix.F_OFD_SETLK,
		unix.F_OFD_SETLKW))
	if p.Driver {
		add(oneOf("fcntl", 1, unix.F_ADD_SEALS))
		add(p.affinities())
		// It announces itself by an abstract socket and answers nobody. Datagrams would need no connection.
		for _, kind := range []uint64{unix.SOCK_STREAM, unix.SOCK_SEQPACKET} {
			for _, flags := range []uint64{0, unix.SOCK_CLOEXEC, unix.SOCK_NONBLOCK, unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK} {
				add(when("socket", equal(0, unix.AF_UNIX), equal(1, kind|flags)))
				add(when("socketpair", equal(0, unix.AF_UNIX), equal(1, kind|flags)))
			}
		}
	} else {
		add(oneOf("ioctl", 1, unix.TCGETS, unix.TIOCGWINSZ, unix.TIOCINQ, closeOnExec, keepOnExec)) // Python: the last two
		// Shared memory without a file is in no limit of the process.
		add(when("mmap", without(3, unix.MAP_SHARED)))
		add(when("mmap", without(3, unix.MAP_ANONYMOUS)))
	}
	if p.Children {
		add(when("clone", without(0, newNamespaces)))
	} else {
		add(when("clone", with(0, unix.CLONE_THREAD), without(0, newNamespaces)))
	}
	return rules
}

// affinities lets a driver place its threads: the calling one, and in a pid namespace, where there are no others than
// the worker's, any.
func (p *Profile) affinities() []rule {
	if p.Own != nil && p.Own.PIDs {
		return when("sched_setaffinity", seccomp.Condition{Argument: 0, Operation: seccomp.GreaterOrEqual})
	}
	return oneOf("sched_setaffinity", 0, 0)
}

// driving are the calls of a GPU's driver: all but undriven and hostile ones, and those that rules are about.
func driving(rules []rule) (names []string) {
	for name := range table() {
		ruled := slices.ContainsFunc(rules, func(r rule) bool { return r.Name == name })
		if !ruled && name != "clone3" && !slices.Contains(undriven, name) && !slices.Contains(hostile, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// stopped are what a driver in the wide fence must not call.
var stopped = []string{
	"ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "mount", "umount2", "pivot_root", "chroot",
	"unshare", "setns", "open_by_handle_at", "bpf", "perf_event_open", "userfaultfd", "init_module", "finit_module",
	"kexec_load", "reboot", "keyctl", "add_key", "request_key", "io_uring_setup", "io_uring_enter", "swapon",
	"settimeofday", "clock_settime", "fork", "vfork", "clone3",
}

// wideCalls are those of a driver for which undriven is too much: all but the stopped ones, new processes, and sockets
// to other machines. No such driver is known.
func wideCalls() (allowed []string, rules []rule) {
	for _, name := range []string{"socket", "socketpair"} {
		rules = append(rules, when(name, equal(0, unix.AF_UNIX))...)
	}
	rules = append(rules, when("clone", with(0, unix.CLONE_THREAD), without(0, newNamespaces))...)
	for name := range table() {
		ruled := slices.ContainsFunc(rules, func(r rule) bool { return r.Name == name })
		if !ruled && !slices.Contains(stopped, name) {
			allowed = append(allowed, name)
		}
	}
	slices.Sort(allowed)
	return allowed, rules
}

// policy is the whole filter. The only program that a worker without children starts is itself, by an execve whose
// path lies at the address start: what runs after it cannot know the address.
func (p *Profile) policy(start uintptr) *seccomp.Policy {
	allowed := slices.Clone(basic)
	if p.Files {
		allowed = append(allowed, filing...)
	}
	if p.Children {
		allowed = append(allowed, starting...)
	}
	rules := p.checked(os.Getpid())
	if !p.Children {
		rules = append(rules, oneOf("execve", 0, uint64(start))...)
	}
	if p.Driver {
		allowed = driving(rules)
		if p.Files { // but for what its driver must not find
			allowed = append(allowed, slices.DeleteFunc(slices.Clone(filing), func(name string) bool {
				return slices.Contains(allowed, name) || slices.Contains(gone, name)
			})...)
		}
	}
	if p.Wide {
		allowed, rules = wideCalls()
	}
	policy := &seccomp.Policy{DefaultAction: seccomp.ActionErrno, Syscalls: []seccomp.SyscallGroup{
		{Names: known(allowed), NamesWithCondtions: knownRules(rules), Action: seccomp.ActionAllow},
		// Its flags lie in memory, which a filter cannot read: where it is missing, C libraries take clone.
		{Names: known([]string{"clone3"}), Action: seccomp.Action(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS))},
	}}
	if p.Driver && !p.Wide {
		policy.Syscalls = append(policy.Syscalls, seccomp.SyscallGroup{
			Names: known(gone), Action: seccomp.Action(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOENT))})
	}
	if !p.Driver { // what drivers try is in nobody's documentation
		policy.Syscalls = append(policy.Syscalls,
			seccomp.SyscallGroup{Names: known(hostile), Action: seccomp.ActionKillProcess})
	}
	return policy
}
