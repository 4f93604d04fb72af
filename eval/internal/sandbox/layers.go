package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
)

// Layers is what the kernel offers here.
type Layers struct {
	Landlock int  `json:"landlock"` // ABI; 0: none
	Seccomp  bool `json:"seccomp"`
	User     bool `json:"user"`    // namespaces of users, IPC and the network
	PIDs     bool `json:"pids"`    // namespaces of process ids and mounts, with a /proc of its own
	Threads  bool `json:"threads"` // a bound on a worker's threads
	Group    bool `json:"group"`   // a control group bounds the memory and the processes of all workers together
}

// Here finds the layers, once: a process of ours tries the namespaces.
var Here = sync.OnceValue(func() Layers {
	found := Layers{Landlock: landlockABI(), Seccomp: seccompWorks(), Group: grouped(cgroups, "/proc/self/cgroup")}
	for _, pids := range []bool{true, false} {
		if l, err := probe(&own{UID: os.Getuid(), GID: os.Getgid(), PIDs: pids}); err == nil {
			found.User, found.PIDs, found.Threads = true, pids, l.Threads
			break
		}
	}
	return found
})

// own is what workers get of the namespaces, nil: nothing.
func (l Layers) own() *own {
	if !l.User {
		return nil
	}
	return &own{UID: os.Getuid(), GID: os.Getgid(), PIDs: l.PIDs, Threads: l.Threads}
}

// probe starts a process in such namespaces.
func probe(o *own) (found Layers, err error) {
	text, err := json.Marshal(o)
	if err != nil {
		return found, err
	}
	cmd := exec.Command("/proc/self/exe", "worker", "sandbox", "probe", string(text))
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	o.separate(cmd.SysProcAttr)
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	return found, err
}

// tryOut is the process that probe starts: it prints what it has.
func tryOut(text string) error {
	var o own
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	if err := o.settle(); err != nil {
		return err
	}
	out := Layers{User: true, PIDs: o.PIDs, Threads: o.boundThreads() == nil || o.countsThreads()}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// String names the layers, as "landlock 7, seccomp, namespaces"; empty if there are none.
func (l Layers) String() string {
	var have []string
	if l.Landlock > 0 {
		have = append(have, fmt.Sprintf("landlock %d", l.Landlock))
	}
	if l.Seccomp {
		have = append(have, "seccomp")
	}
	if l.PIDs {
		have = append(have, "namespaces")
	} else if l.User {
		have = append(have, "namespaces but for processes")
	}
	return strings.Join(have, ", ")
}

// Files reports whether files are fenced at all.
func (l Layers) Files() bool { return l.Landlock > 0 }

// Layer is one of them as people are told of it.
type Layer struct {
	Name  string `json:"name"`
	What  string `json:"what"` // the kernel's name for it
	Stops string `json:"stops"`
	OK    bool   `json:"ok"`
	Lack  string `json:"lack,omitempty"` // what candidates can do without it
	Needs string `json:"needs,omitempty"`
	Open  string `json:"open,omitempty"` // what they can do with it, and what would stop that
}

// truncating and controlling are the first versions of Landlock that keep files from being cut, and devices from being
// controlled.
const (
	truncating  = 3
	controlling = 5
)

// List tells of each layer, whether it is here or not.
func (l Layers) List() []Layer {
	return []Layer{
		{Name: "files", What: fmt.Sprintf("Landlock ABI %d", l.Landlock), OK: l.Landlock >= controlling,
			Stops: "reading what is not the system's, writing what is not the worker's",
			Lack:  l.unfenced(), Needs: "Linux 6.10"},
		{Name: "system calls", What: "seccomp, an allow-list", OK: l.Seccomp,
			Stops: "sockets, changes to other processes and to the modes, owners and times of files, rare parts of the kernel",
			Lack:  "every system call", Needs: "a kernel with CONFIG_SECCOMP_FILTER on amd64 or arm64"},
		{Name: "network", What: "seccomp, a network namespace", OK: l.User && l.Seccomp,
			Stops: "connections", Lack: "only one layer or none keeps candidates from the network", Needs: needsUsers},
		{Name: "processes", What: "a pid namespace with its own /proc", OK: l.PIDs,
			Stops: "seeing and signalling other processes, and outliving the worker",
			Lack:  "other processes can be seen", Needs: needsUsers + ", and a /proc that is not covered in part"},
		{Name: "privileges", What: "a user namespace, no capabilities", OK: l.User,
			Stops: "what root or a set-user-id program may", Lack: "only dropped capabilities keep root from its privileges",
			Needs: needsUsers},
		{Name: "leftovers", What: "an IPC namespace", OK: l.User, Stops: "shared memory and queues that stay behind",
			Lack: "only seccomp keeps candidates from them", Needs: needsUsers},
		{Name: "threads", What: "pid_max of the namespace, RLIMIT_NPROC", OK: l.Threads,
			Stops: fmt.Sprintf("more than %d threads", maxThreads), Lack: "any number of threads",
			Needs: needsUsers + "; for root Linux 6.14"},
		l.memory(),
	}
}

// memory is bounded for each worker. A control group bounds the rest, too, but only whoever starts darwarp can give it
// one, so that none is no layer that a search has to tell of.
func (l Layers) memory() Layer {
	m := Layer{Name: "memory", What: "RLIMIT_DATA, RLIMIT_FSIZE, oom_score_adj", OK: true,
		Stops: "taking all memory; the kernel ends the worker before the supervisor"}
	if l.Group {
		m.What += ", a cgroup of memory and processes"
	} else {
		m.Open = "memory in files without a name, and what all workers take together, which a cgroup around darwarp " +
			"bounds (systemd-run --user --scope -p Delegate=yes -p MemoryMax=64G -p TasksMax=16384 darwarp search ...)"
	}
	return m
}

const needsUsers = "user namespaces for this user, which containers often forbid"

// unfenced says what Landlock leaves open.
func (l Layers) unfenced() string {
	switch {
	case l.Landlock == 0:
		return "candidates can read and write every file of this user"
	case l.Landlock < truncating:
		return "devices that are open can be controlled, and files cut"
	}
	return "devices that are open can be controlled"
}

// Missing says in a few words which layers are not here, empty if all are.
func (l Layers) Missing() string {
	var names []string
	for _, layer := range l.List() {
		if !layer.OK {
			names = append(names, layer.Name)
		}
	}
	return strings.Join(names, ", ")
}
