// Package attack tries from inside of a worker what a hostile candidate would try: system calls that reach files,
// processes, the network and the kernel. A fence is as good as the list of attacks that it stops.
//
// An attack is a list of system calls as data, so that it can be made by Go in any worker (Worker) and by native code
// in a worker that runs candidates (Source). None of them does harm where nothing stops it: files are the suite's own,
// limits and priorities are set to what they are, memory is reserved and not touched.
package attack

// Attack is one attempt. It succeeds if all of its calls do; After is called then to tidy up.
type Attack struct {
	Name  string
	Group string
	Calls []Call
	After []Call
	Spawn int  // instead of calls: start so many threads
	Ends  bool // the worker is of no use afterwards

	Supervisor bool              // is about files of the supervisor's /proc
	Not        func(k Kind) bool // does not apply to such a worker, which may do it
}

// Call is a system call. An argument is an int, a string or []byte (the address of a copy that ends with a zero),
// a Result, or Scratch.
type Call struct {
	Nr     int
	Args   []any
	Repeat int // times; 0: once
}

// Result stands for what the n-th call of an attack returned.
type Result int

// Scratch stands for the address of 4 KiB that the kernel may write.
type Scratch struct{}

// Vector stands for the address of a struct iovec: so many bytes at an argument. Slot says where in scratch it may lie,
// in words of 4 bytes.
type Vector struct {
	At    any
	Bytes int
	Slot  int
}

// Kind is what matters of a worker.
type Kind struct {
	Name     string
	Children bool // may start processes
	Driver   bool // may use its devices
	Native   bool // the attacks are a candidate's
}

// Target is what is attacked: the process that runs the suite, and files of its own.
type Target struct {
	PID      int
	Group    int    // its process group
	Nice     int    // its niceness
	Affinity []byte // its mask
	Address  uint64 // 8 bytes of its memory
	spoils
	sockets
	Memory   uint64 // bytes of this machine
	UID, GID int
	Host     string
}

// spoils are files that can be read, lost or started.
type spoils struct {
	Secret  string // a file that only this user can read
	Victim  string // a file that can be lost
	Dir     string // the folder of both, in which nothing else is
	Program string // any that ends at once
}

// sockets are what can be connected to, each as struct sockaddr.
type sockets struct {
	TCP  []byte // of a listener
	UDP  []byte
	Unix []byte // of a socket in Dir
}

func call(nr int, args ...any) []Call { return []Call{{Nr: nr, Args: args}} }

func calls(list ...Call) []Call { return list }

func c(nr int, args ...any) Call { return Call{Nr: nr, Args: args} }

// All are the attacks on a target.
func All(t *Target) []Attack {
	var all []Attack
	for _, g := range []struct {
		name string
		list []Attack
	}{{"files", files(t)}, {"modes and owners", modes(t)}, {"supervisor", supervisor(t)}, {"kernel", kernel(t)},
		{"leftovers", leftovers(t)}, {"network", network(t)}, {"processes", processes(t)}, {"resources", resources(t)}} {
		for _, a := range g.list {
			a.Group = g.name
			all = append(all, a)
		}
	}
	return all
}
