package sandbox

import (
	"encoding/binary"
	"os"
	"runtime"
	"slices"
	"testing"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// TestNamesOfCalls: a name with a typing error would be skipped like one that another architecture has.
func TestNamesOfCalls(t *testing.T) {
	for _, list := range [][]string{basic, filing, starting, undriven, hostile, stopped} {
		for _, name := range list {
			_, amd64 := arch.X86_64.SyscallNames[name]
			_, arm64 := arch.AARCH64.SyscallNames[name]
			if !amd64 && !arm64 {
				t.Errorf("no architecture has %s", name)
			}
			if slices.Contains(hostile, name) && slices.Contains(slices.Concat(basic, filing, starting), name) {
				t.Errorf("%s is allowed and hostile", name)
			}
		}
	}
}

// start stands for the address of the path that a worker becomes.
const start = 0x7f0123456000

// judged runs a filter on one system call, as the kernel does.
func judged(t *testing.T, vm *bpf.VM, number, architecture uint32, args [6]uint64) seccomp.Action {
	t.Helper()
	// struct seccomp_data, with each 32-bit word big-endian, as the interpreter for packets reads it; the low word of an
	// argument is the first, as on the machines that there is a filter for.
	data := binary.BigEndian.AppendUint32(nil, number)
	data = binary.BigEndian.AppendUint32(data, architecture)
	data = append(data, make([]byte, 8)...)
	for _, a := range args {
		data = binary.BigEndian.AppendUint32(data, uint32(a))
		data = binary.BigEndian.AppendUint32(data, uint32(a>>32))
	}
	action, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return seccomp.Action(uint32(action))
}

const (
	allowed = seccomp.ActionAllow
	refused = seccomp.ActionErrno | seccomp.Action(unix.EPERM)
	absent  = seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)
	nothing = seccomp.ActionErrno | seccomp.Action(unix.ENOENT)
	fatal   = seccomp.ActionKillProcess
)

// The kinds of worker.
var kinds = map[string]*Profile{"cpu": {}, "races": {Children: true}, "compile": {Files: true},
	"cxx": {Files: true, Children: true}, "gpu": {Driver: true},
	"python": {Driver: true, Files: true},
	"wide":   {Driver: true, Wide: true}}

// machine is a kind's filter.
func machine(t *testing.T, kind string) *bpf.VM {
	t.Helper()
	program, err := kinds[kind].policy(start).Assemble()
	if err != nil {
		t.Fatal(err)
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

// TestWideFilter: what a driver asks for that the narrow list stops is allowed; other processes, new ones, mounts and
// other machines are not.
func TestWideFilter(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("there is no filter for this architecture")
	}
	thread := uint64(unix.CLONE_THREAD | unix.CLONE_VM | unix.CLONE_SIGHAND)
	for _, tt := range []struct {
		call string
		args [6]uint64
		want seccomp.Action
	}{
		{"unlinkat", [6]uint64{}, allowed}, {"mkdirat", [6]uint64{}, allowed}, {"connect", [6]uint64{}, allowed},
		{"execve", [6]uint64{start}, allowed}, {"prctl", [6]uint64{unix.PR_SET_NAME}, allowed},
		{"socket", [6]uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET}, allowed},
		{"socketpair", [6]uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET}, allowed},
		{"socket", [6]uint64{unix.AF_INET, unix.SOCK_STREAM}, refused},
		{"socket", [6]uint64{1<<32 | unix.AF_UNIX, unix.SOCK_STREAM}, refused},
		{"clone", [6]uint64{thread}, allowed}, {"clone", [6]uint64{uint64(unix.SIGCHLD)}, refused},
		{"clone", [6]uint64{thread | unix.CLONE_NEWUSER}, refused}, {"clone3", [6]uint64{}, absent},
		{"ptrace", [6]uint64{}, refused}, {"process_vm_readv", [6]uint64{}, refused}, {"mount", [6]uint64{}, refused},
		{"unshare", [6]uint64{}, refused}, {"bpf", [6]uint64{}, refused}, {"io_uring_setup", [6]uint64{}, refused},
	} {
		number := uint32(table()[tt.call])
		if got := judged(t, machine(t, "wide"), number, auditArch(), tt.args); got != tt.want {
			t.Errorf("%s%x: %#x, expected %#x", tt.call, tt.args, got, tt.want)
		}
	}
}

func TestFilter(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("there is no filter for this architecture")
	}
	self, high := uint64(os.Getpid()), uint64(1)<<32
	all := []string{"cpu", "races", "compile", "cxx", "gpu"}
	host, bare := []string{"cpu", "races", "compile", "cxx"}, []string{"cpu", "compile", "gpu"}
	for _, tt := range []struct {
		call  string
		args  [6]uint64
		kinds []string
		want  seccomp.Action
	}{
		{"read", [6]uint64{0, 1, 2}, all, allowed},
		{"prlimit64", [6]uint64{}, all, allowed},
		{"prlimit64", [6]uint64{self}, all, refused}, // exec keeps the number, and 0 will do
		{"prlimit64", [6]uint64{1}, all, refused},
		{"prlimit64", [6]uint64{high}, all, refused},
		{"kill", [6]uint64{self}, all, allowed},
		{"kill", [6]uint64{self + 1}, all, refused},
		{"kill", [6]uint64{high | self}, all, refused},
		{"kill", [6]uint64{0}, all, refused},
		{"kill", [6]uint64{^uint64(0)}, all, refused},
		{"kill", [6]uint64{-self}, all, refused},
		{"tgkill", [6]uint64{self, self, 6}, all, allowed},
		{"tgkill", [6]uint64{1, 1, 6}, all, refused},
		{"tkill", [6]uint64{self}, all, refused},
		{"prctl", [6]uint64{unix.PR_SET_NAME}, all, allowed},
		{"prctl", [6]uint64{unix.PR_SET_PDEATHSIG}, all, refused},
		{"prctl", [6]uint64{unix.PR_SET_SECCOMP}, all, refused},
		{"prctl", [6]uint64{unix.PR_SET_PTRACER, ^uint64(0)}, all, refused},
		{"fcntl", [6]uint64{3, unix.F_GETFL}, all, allowed},
		{"fcntl", [6]uint64{3, unix.F_SETOWN, 1}, all, refused},
		{"fcntl", [6]uint64{3, unix.F_NOTIFY}, all, refused},
		{"fcntl", [6]uint64{3, unix.F_ADD_SEALS}, host, refused},
		{"ioctl", [6]uint64{0, unix.TCGETS}, all, allowed},
		{"ioctl", [6]uint64{0, unix.TIOCSTI}, host, refused},
		{"ioctl", [6]uint64{0, high | unix.TCGETS}, host, refused},
		{"mmap", [6]uint64{0, 1, 3, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS}, all, allowed},
		{"mmap", [6]uint64{0, 1, 3, unix.MAP_SHARED}, all, allowed},
		{"mmap", [6]uint64{0, 1, 3, unix.MAP_SHARED | unix.MAP_ANONYMOUS}, host, refused},
		{"mmap", [6]uint64{0, 1, 3, unix.MAP_SHARED_VALIDATE | unix.MAP_ANONYMOUS}, host, refused},
		{"clone", [6]uint64{unix.CLONE_THREAD | unix.CLONE_VM}, all, allowed},
		{"clone", [6]uint64{unix.CLONE_VM | unix.CLONE_VFORK}, bare, refused},
		{"clone", [6]uint64{uint64(unix.SIGCHLD)}, bare, refused},
		{"clone", [6]uint64{uint64(unix.SIGCHLD)}, []string{"races", "cxx"}, allowed},
		{"clone", [6]uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)}, all, refused},
		{"clone", [6]uint64{unix.CLONE_THREAD | unix.CLONE_NEWNET}, all, refused},
		{"clone3", [6]uint64{}, all, absent},
		{"execve", [6]uint64{start}, all, allowed},
		{"execve", [6]uint64{start + 1}, bare, refused},
		{"execve", [6]uint64{start + 1}, []string{"races", "cxx"}, allowed},
		{"execveat", [6]uint64{start}, all, refused},
		{"socket", [6]uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET}, host, refused},
		{"socket", [6]uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET | unix.SOCK_CLOEXEC}, []string{"gpu"}, allowed},
		{"socket", [6]uint64{unix.AF_UNIX, unix.SOCK_DGRAM}, all, refused},
		{"socket", [6]uint64{unix.AF_INET, unix.SOCK_STREAM}, all, refused},
		{"socket", [6]uint64{unix.AF_NETLINK, unix.SOCK_RAW}, all, refused},
		{"socketpair", [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM}, host, refused},
		{"socketpair", [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM}, []string{"gpu"}, allowed},
		{"socketpair", [6]uint64{unix.AF_UNIX, unix.SOCK_DGRAM}, all, refused},
		{"bind", [6]uint64{}, []string{"gpu"}, allowed},
		{"listen", [6]uint64{}, []string{"gpu"}, allowed},
		{"connect", [6]uint64{}, all, refused},
		{"accept4", [6]uint64{}, all, refused},
		{"sendto", [6]uint64{}, all, refused},
		{"sendmsg", [6]uint64{}, host, refused},
		{"sched_setaffinity", [6]uint64{0}, []string{"gpu"}, allowed},
		{"sched_setaffinity", [6]uint64{1}, all, refused},
		{"sched_setaffinity", [6]uint64{0}, host, refused},
		{"setpriority", [6]uint64{}, all, refused},
		{"fchmod", [6]uint64{}, all, refused},
		{"fchmodat", [6]uint64{}, all, refused},
		{"fchownat", [6]uint64{}, all, refused},
		{"utimensat", [6]uint64{}, all, refused},
		{"setxattr", [6]uint64{}, all, refused},
		{"truncate", [6]uint64{}, all, refused},
		{"unlinkat", [6]uint64{}, []string{"compile", "cxx"}, allowed},
		{"unlinkat", [6]uint64{}, []string{"cpu", "races"}, refused}, {"unlinkat", [6]uint64{}, []string{"gpu"}, nothing},
		{"mkdirat", [6]uint64{}, []string{"gpu"}, refused}, {"mkdirat", [6]uint64{}, []string{"python"}, allowed},
		{"unlinkat", [6]uint64{}, []string{"python"}, nothing}, {"renameat2", [6]uint64{}, []string{"python"}, allowed},
		{"linkat", [6]uint64{}, all, refused},
		{"symlinkat", [6]uint64{}, all, refused},
		{"mknodat", [6]uint64{}, all, refused},
		{"shmget", [6]uint64{}, all, refused},
		{"mq_open", [6]uint64{}, all, refused},
		{"setsid", [6]uint64{}, all, refused},
		{"setpgid", [6]uint64{}, all, refused},
		{"ptrace", [6]uint64{}, host, fatal},
		{"ptrace", [6]uint64{}, []string{"gpu"}, refused},
		{"mount", [6]uint64{}, host, fatal},
		{"io_uring_setup", [6]uint64{}, host, fatal},
		{"bpf", [6]uint64{}, []string{"gpu"}, refused},
		{"seccomp", [6]uint64{}, all, refused},
	} {
		number, ok := table()[tt.call]
		if !ok {
			t.Errorf("no call %s", tt.call)
			continue
		}
		for _, kind := range tt.kinds {
			if got := judged(t, machine(t, kind), uint32(number), auditArch(), tt.args); got != tt.want {
				t.Errorf("%s: %s%v: %#x, want %#x", kind, tt.call, tt.args, uint32(got), uint32(tt.want))
			}
		}
	}
}

func auditArch() uint32 {
	if runtime.GOARCH == "arm64" {
		return unix.AUDIT_ARCH_AARCH64
	}
	return unix.AUDIT_ARCH_X86_64
}

// TestForeignNumbers: the same calls have other numbers in other calling conventions of a processor.
func TestForeignNumbers(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("amd64 has three calling conventions")
	}
	const x32 = 0x40000000
	for kind := range kinds {
		vm := machine(t, kind)
		for name, number := range table() {
			if got := judged(t, vm, uint32(number)|x32, auditArch(), [6]uint64{}); got == allowed {
				t.Errorf("%s: %s of x32: %#x", kind, name, uint32(got))
			}
			if got := judged(t, vm, uint32(number), unix.AUDIT_ARCH_I386, [6]uint64{}); got == allowed {
				t.Errorf("%s: %d of i386: %#x", kind, number, uint32(got))
			}
		}
		for number := uint32(500); number < 600; number++ { // those of kernels to come
			if got := judged(t, vm, number, auditArch(), [6]uint64{}); got == allowed {
				t.Errorf("%s: call %d: %#x", kind, number, uint32(got))
			}
		}
	}
}
