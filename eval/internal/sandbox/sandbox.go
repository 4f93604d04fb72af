// Package sandbox restricts a worker process before it sees untrusted sources or machine code: Landlock for files,
// TCP, signals and abstract sockets; seccomp with a list of the system calls that its kind of worker makes; namespaces
// of its own for users, processes, IPC and the network; rlimits for memory, files, threads and core dumps.
//
// A worker is started as `worker sandbox PROFILE ARG...`: it restricts its own thread and replaces itself by exec,
// after which that thread is the only one of the process. Neither needs privileges. It does not protect against bugs
// of the kernel or of the GPU's driver.
package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

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
	Read     []string `json:"read"`              // files and folders to read, and to execute
	Write    []string `json:"write"`             // folders to write, and devices to control
	Files    bool     `json:"files"`             // may make and remove files, in the folders to write
	Children bool     `json:"children"`          // may start processes
	Driver   bool     `json:"driver"`            // drives a GPU
	Shared   bool     `json:"shared"`            // stays in the supervisor's namespaces
	Wide     bool     `json:"wide"`              // a driver that the list of its calls stops: see wideCalls
	FileSize uint64   `json:"bytes,omitempty"`   // of any file it writes; 0: no limit
	Memory   uint64   `json:"memory,omitempty"`  // bytes of private memory; 0: no limit
	Program  string   `json:"program,omitempty"` // what the worker becomes; empty: this very program
	Own      *own     `json:"own,omitempty"`     // set by Args
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
	here := *p
	here.Own = p.own()
	var err error
	if here.Read, err = absolute(p.Read); err != nil {
		return nil, err
	}
	if here.Write, err = absolute(p.Write); err != nil {
		return nil, err
	}
	text, err := json.Marshal(here)
	if err != nil {
		return nil, err
	}
	return append([]string{"worker", "sandbox", string(text)}, args...), nil
}

// absolute makes the paths independent of where a worker starts, and leaves empty ones out.
func absolute(paths []string) (list []string, err error) {
	for _, p := range paths {
		if p == "" {
			continue
		}
		if p, err = filepath.Abs(p); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// Check reports what a mode lacks here, nil if it is available.
func Check(m Mode) error {
	if abi := landlockABI(); m == Strict && (abi < strictABI || !seccompWorks()) {
		have := Layers{Landlock: abi, Seccomp: seccompWorks()}.String()
		return fmt.Errorf("a strict sandbox needs Landlock ABI %d (Linux 6.7) and seccomp, this kernel has %s: choose best "+
			"to go on with that", strictABI, cmp.Or(have, "neither"))
	}
	return nil
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
	var err error
	if args[0] == "probe" {
		if err = tryOut(args[1]); err == nil {
			return 0
		}
	} else {
		err = become(args[0], args[1:])
	}
	fmt.Fprintln(os.Stderr, "worker sandbox:", err)
	return internal
}

// become restricts this process and makes it the worker. It returns only with an error.
func become(profile string, args []string) error {
	var p Profile
	if err := json.Unmarshal([]byte(profile), &p); err != nil {
		return err
	}
	if err := Check(p.Mode); err != nil {
		return err
	}
	next, err := prepare(cmp.Or(p.Program, self), append([]string{cmp.Or(p.Program, os.Args[0])}, args...))
	if err != nil {
		return err
	}
	if err := p.enter(next.path()); err != nil {
		return err
	}
	return next.exec()
}

const self = "/proc/self/exe"

// enter applies all layers to this thread, seccomp last, because it forbids what the others need.
func (p *Profile) enter(start uintptr) error {
	if p.Own != nil {
		if err := p.Own.settle(); err != nil {
			return err
		}
		_ = p.Own.boundThreads() // an older kernel does not have it, which Here has found
	}
	goFirst()
	if err := p.limits(); err != nil {
		return err
	}
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	if err := p.landlock(); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	if err := p.seccomp(start); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return nil
}
