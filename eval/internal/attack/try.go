package attack

import (
	"fmt"
	"runtime"
	"syscall"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"
)

// Outcome is what became of an attack. Returned is the last call's result; a negative one is an error's number.
type Outcome struct {
	Call     int   `json:"call"` // the first that failed
	Returned int64 `json:"returned"`
}

// try makes an attack in this process.
func try(a *Attack) Outcome {
	if a.Spawn > 0 {
		return spawn(a.Spawn)
	}
	m := &memory{}
	out := m.run(a.Calls)
	if out.Returned >= 0 {
		m.run(a.After)
	}
	runtime.KeepAlive(m)
	return out
}

// memory is what system calls are given addresses of.
type memory struct {
	results []int64
	held    [][]byte
	scratch [4096]byte
}

func (m *memory) run(list []Call) (out Outcome) {
	for i, c := range list {
		var args [6]uintptr
		for j, a := range c.Args {
			args[j] = m.value(a)
		}
		for range max(1, c.Repeat) {
			out = Outcome{i, systemCall(c.Nr, args)}
			if out.Returned < 0 {
				return out
			}
		}
		m.results = append(m.results, out.Returned)
	}
	return out
}

func systemCall(nr int, a [6]uintptr) int64 {
	if leaves(nr) {
		return fork(nr, a)
	}
	r, _, errno := unix.Syscall6(uintptr(nr), a[0], a[1], a[2], a[3], a[4], a[5])
	if errno != 0 {
		return -int64(errno)
	}
	return int64(r)
}

// fork makes a process that ends at once: it is a copy of one thread of this program, which can do nothing else.
//
//go:norace
func fork(nr int, a [6]uintptr) int64 {
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	r, _, errno := unix.RawSyscall6(uintptr(nr), a[0], a[1], a[2], a[3], a[4], a[5])
	if errno == 0 && r == 0 {
		for {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
	if errno != 0 {
		return -int64(errno)
	}
	return int64(r)
}

func (m *memory) value(a any) uintptr {
	switch v := a.(type) {
	case int:
		return uintptr(v)
	case Result:
		return uintptr(m.results[v])
	case Scratch:
		return address(m.scratch[:])
	case string:
		return m.hold([]byte(v))
	case []byte:
		return m.hold(v)
	case Vector:
		return m.hold(words(uint64(m.value(v.At)), uint64(v.Bytes)))
	}
	panic(fmt.Sprintf("argument of type %T", a))
}

func (m *memory) hold(b []byte) uintptr {
	b = append(b[:len(b):len(b)], 0)
	m.held = append(m.held, b)
	return address(b)
}

// spawn starts threads that Go's runtime knows nothing of.
func spawn(n int) Outcome {
	if runtime.GOARCH != "amd64" {
		return Outcome{Returned: -int64(unix.ENOSYS)}
	}
	page, err := unix.Mmap(-1, 0, unix.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC,
		unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return Outcome{Returned: -int64(unix.ENOMEM)}
	}
	copy(page, machineSpawn)
	started, _, _ := purego.SyscallN(address(page), uintptr(n))
	if int(started) < n {
		return Outcome{Call: int(started), Returned: -int64(unix.EAGAIN)}
	}
	return Outcome{Returned: int64(started)}
}
