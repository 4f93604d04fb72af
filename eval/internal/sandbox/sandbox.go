// Package sandbox restricts a worker process before it sees untrusted sources or machine code: Landlock for files,
// TCP, signals and abstract sockets; seccomp for sockets, debugging, mounts and, where a worker has no children, for
// fork; rlimits for files and core dumps.
//
// A worker is started as `worker sandbox PROFILE ARG...`: it restricts its own thread and replaces itself by exec,
// after which that thread is the only one of the process. Neither needs privileges. It does not protect against bugs
// of the kernel or of the GPU's driver.
package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Mode says what happens if a layer is missing.
type Mode string

// The modes.
const (
	Best   Mode = "best"   // take the layers that the kernel has
	Strict Mode = "strict" // refuse to work without files, TCP (Landlock ABI 4, Linux 6.7) and seccomp
	Off    Mode = "off"
)

// Modes lists them for messages.
func Modes() []string { return []string{string(Best), string(Strict), string(Off)} }

// Profile is what a worker may do. Paths that do not exist are skipped.
type Profile struct {
	Mode     Mode     `json:"mode"`
	Read     []string `json:"read"`            // files and folders to read, and to execute
	Write    []string `json:"write"`           // folders to write, and devices to control
	Children bool     `json:"children"`        // may start processes
	Local    bool     `json:"local"`           // may use sockets within this machine, as NVIDIA's driver does
	FileSize uint64   `json:"bytes,omitempty"` // of any file it writes; 0: no limit
}

// System lists where programs and libraries are, and what every process reads of the kernel. Files about the users of
// this machine are not among them. Landlock protects the secrets of other processes under /proc, because a restricted
// process cannot inspect others.
func System() []string {
	return []string{"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
		"/etc/alternatives",
		"/proc", "/sys/devices/system", "/sys/kernel/mm", "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/opt/rh"}
}

// Args turns a worker's arguments into those that restrict it first.
func (p *Profile) Args(args []string) ([]string, error) {
	if p == nil || p.Mode == Off {
		return args, nil
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return append([]string{"worker", "sandbox", string(text)}, args...), nil
}

// Layers names what this kernel offers, as "landlock 7, seccomp"; empty if there are none.
func Layers() string {
	var have []string
	if abi := landlockABI(); abi > 0 {
		have = append(have, fmt.Sprintf("landlock %d", abi))
	}
	if seccompWorks() {
		have = append(have, "seccomp")
	}
	return strings.Join(have, ", ")
}

// Check reports what a mode lacks here, nil if it is available.
func Check(m Mode) error {
	if m == Strict && (landlockABI() < strictABI || !seccompWorks()) {
		return fmt.Errorf("a strict sandbox needs Landlock ABI %d (Linux 6.7) and seccomp, this kernel has %s: "+
			"use --sandbox best to continue with that", strictABI, orNothing(Layers()))
	}
	return nil
}

func orNothing(s string) string {
	if s == "" {
		return "neither"
	}
	return s
}

// strictABI is the first version of Landlock that restricts TCP.
const strictABI = 4

// Main is the worker: args are the profile and the arguments of the real worker. It returns only if the restrictions
// cannot be applied.
func Main(args []string) int {
	const internal = 70 // EX_SOFTWARE, as proc has it
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "worker sandbox: expected a profile and the arguments of a worker")
		return internal
	}
	runtime.LockOSThread() // the restrictions are a thread's until exec makes them the process's
	var p Profile
	err := json.Unmarshal([]byte(args[0]), &p)
	if err == nil {
		err = Check(p.Mode)
	}
	if err == nil {
		err = p.enter()
	}
	if err == nil {
		err = syscall.Exec("/proc/self/exe", append([]string{os.Args[0]}, args[1:]...), os.Environ())
	}
	fmt.Fprintln(os.Stderr, "worker sandbox:", err)
	return internal
}

// enter applies all layers to this thread, seccomp last, because it forbids what the others need.
func (p *Profile) enter() error {
	for resource, limit := range map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: p.FileSize} {
		if resource == unix.RLIMIT_FSIZE && limit == 0 {
			continue
		}
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("rlimit: %w", err)
		}
	}
	dropCapabilities()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	if err := p.landlock(); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	if err := p.seccomp(); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return nil
}

// dropCapabilities removes root's privileges from the program that is executed next: with them a process can read the
// memory of others in spite of Landlock. For a process without privileges the kernel returns an error, which is
// ignored.
func dropCapabilities() {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
	}
}
