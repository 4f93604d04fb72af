package sandbox

import (
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sockets are the calls that create sockets, talk those that use them.
var (
	sockets = []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR}
	talk    = []uint32{unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4,
		unix.SYS_SENDTO, unix.SYS_SENDMSG}
)

// forbidden are the system calls that no worker needs: debugging of other processes, mounts and
// namespaces, kernel code, keys, and io_uring, which does file and network work past this filter.
var forbidden = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
	unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER,
	unix.SYS_SWAPON, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME,
}

// Offsets into struct seccomp_data: the call's number, the architecture, the low word of its first argument.
const (
	dataNr   = 0
	dataArch = 4
	dataArg0 = 16
)

// arch is the audit number of the architecture that this binary is for; on another there is no filter.
func arch() uint32 {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64
	}
	return 0
}

func seccompWorks() bool {
	mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	return arch() != 0 && err == nil && (mode == 0 || mode == 2)
}

// filter is the program: calls of another architecture and forbidden calls fail with EPERM; so does a new process
// where none are allowed. clone3, whose flags a filter cannot read, appears to be missing, so that the C library
// falls back to clone.
func (p *Profile) filter() []unix.SockFilter {
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		test  = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		ret   = unix.BPF_RET | unix.BPF_K
	)
	deny := unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}
	program := []unix.SockFilter{
		{Code: load, K: dataArch},
		{Code: equal, K: arch(), Jt: 1},
		deny,
		{Code: load, K: dataNr},
	}
	if runtime.GOARCH == "amd64" { // the same calls under the numbers of x32
		program = append(program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: 0x40000000, Jf: 1}, deny)
	}
	for _, nr := range p.denied() {
		program = append(program, unix.SockFilter{Code: equal, K: nr, Jf: 1}, deny)
	}
	if p.Local {
		for _, nr := range sockets {
			program = append(program,
				unix.SockFilter{Code: equal, K: nr, Jf: 4},
				unix.SockFilter{Code: load, K: dataArg0},
				unix.SockFilter{Code: equal, K: unix.AF_UNIX, Jt: 1},
				deny,
				unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW})
		}
	}
	if !p.Children {
		for _, nr := range forks {
			program = append(program, unix.SockFilter{Code: equal, K: nr, Jf: 1}, deny)
		}
		program = append(program,
			unix.SockFilter{Code: equal, K: unix.SYS_CLONE3, Jf: 1},
			unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
			unix.SockFilter{Code: equal, K: unix.SYS_CLONE, Jf: 3},
			unix.SockFilter{Code: load, K: dataArg0},
			unix.SockFilter{Code: test, K: unix.CLONE_THREAD, Jt: 1},
			deny)
	}
	return append(program, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW})
}

// denied lists the calls that this profile forbids whatever their arguments.
func (p *Profile) denied() []uint32 {
	all := slices.Concat(forbidden, extra)
	if !p.Local {
		all = slices.Concat(all, sockets, talk)
	}
	return all
}

// seccomp applies the filter to this thread.
func (p *Profile) seccomp() error {
	if !seccompWorks() {
		return nil // Check has refused this if it matters
	}
	program := p.filter()
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0,
		uintptr(unsafe.Pointer(&prog))); errno != 0 {
		return errno
	}
	return nil
}
