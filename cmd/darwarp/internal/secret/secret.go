// Package secret keeps API keys where no other process can read them. The environment that a process was started with
// can be read in /proc by every process of the same user, also after the process has unset a variable.
package secret

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Env is what was taken out of the environment, by variable.
type Env map[string]string

// marks are what names of variables have that hold a secret.
var marks = []string{"KEY", "TOKEN", "SECRET", "PASSWORD"}

// Take takes every variable with a secret out of this process's environment, for itself and for its children, and
// overwrites what the kernel shows of it. It gives those that are named; the others are of no use here.
func Take(names ...string) Env {
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); isSecret(name) {
			defer os.Unsetenv(name)
		}
	}
	taken := Env{}
	for _, name := range names {
		if v := os.Getenv(name); v != "" {
			taken[name] = strings.Clone(v)
		}
	}
	erase()
	return taken
}

func isSecret(name string) bool {
	for _, mark := range marks {
		if strings.Contains(strings.ToUpper(name), mark) {
			return true
		}
	}
	return false
}

// Getenv is os.Getenv with what was taken.
func (e Env) Getenv(name string) string {
	if v, ok := e[name]; ok {
		return v
	}
	return os.Getenv(name)
}

// Conceal keeps this process's memory and its files in /proc from other processes of the same user, and from root's
// without privileges: they cannot debug it, and it leaves no core dump. What it starts is not concealed.
func Conceal() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// Concealed reports whether this process is.
func Concealed() bool {
	dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	return err == nil && dumpable == 0
}

// erase overwrites the values of secrets in the memory that /proc/PID/environ shows. Where the kernel does not let a
// process write its own memory they stay, and only what keeps other processes out of /proc protects them.
func erase() {
	start, end := environ()
	all := make([]byte, end-start)
	if len(all) == 0 || access(unix.ProcessVMReadv, start, all) != nil {
		return
	}
	for at := 0; at < len(all); {
		entry, _, _ := bytes.Cut(all[at:], []byte{0})
		if name, value, _ := bytes.Cut(entry, []byte("=")); isSecret(string(name)) && len(value) > 0 {
			_ = access(unix.ProcessVMWritev, start+uintptr(at+len(entry)-len(value)), make([]byte, len(value)))
		}
		at += len(entry) + 1
	}
}

// environ is where the environment stands in this process's memory (proc(5): stat, fields 50 and 51); nowhere where
// that is not known.
func environ() (start, end uintptr) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // the program's name may hold anything
	const state, from, to = 3, 50, 51
	if len(fields) <= to-state {
		return 0, 0
	}
	a, errA := strconv.ParseUint(fields[from-state], 10, 64)
	b, errB := strconv.ParseUint(fields[to-state], 10, 64)
	if errA != nil || errB != nil || b < a || b-a > 64<<20 {
		return 0, 0
	}
	return uintptr(a), uintptr(b)
}

type transfer func(pid int, local []unix.Iovec, remote []unix.RemoteIovec, flags uint) (int, error)

// access reads or writes this process's memory. The files in /proc would not do for a process that is not dumpable.
func access(how transfer, at uintptr, data []byte) error {
	local := unix.Iovec{Base: &data[0]}
	local.SetLen(len(data))
	_, err := how(os.Getpid(), []unix.Iovec{local}, []unix.RemoteIovec{{Base: at, Len: len(data)}}, 0)
	return err
}
