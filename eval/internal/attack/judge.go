package attack

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"darwarp/eval/internal/proc"
)

// Verdict is what an attack came to.
type Verdict struct {
	Worker  string `json:"worker"`
	Group   string `json:"group"`
	Attack  string `json:"attack"`
	Stopped bool   `json:"stopped"`
	Layer   string `json:"layer"` // what stopped it, or what it came to
}

// Judge says what an attack came to by its outcome, or by how its worker ended. What is seen from outside counts more
// than either.
func Judge(k Kind, a *Attack, out Outcome, err error, seen Seen) Verdict {
	v := Verdict{Worker: k.Name, Group: a.Group, Attack: a.Name}
	var died *proc.Died
	switch {
	case seen.Changed:
		v.Layer = "nothing: it has happened, seen from outside"
	case err == nil && out.Returned >= 0:
		v.Layer = "nothing"
	case err == nil:
		v.Stopped, v.Layer = layer(a, out, seen)
	case errors.As(err, &died) && died.Signal == unix.SIGSYS:
		v.Stopped, v.Layer = true, "seccomp: the worker was ended"
	case a.Ends:
		v.Stopped, v.Layer = true, "the worker ended: "+firstLine(err)
	default:
		v.Layer = "the worker ended: " + firstLine(err)
	}
	return v
}

// layers are what answers with an error's number.
var layers = map[syscall.Errno]string{
	unix.EPERM: "seccomp", unix.ENOSYS: "seccomp", unix.EACCES: "Landlock", unix.EXDEV: "Landlock",
	unix.ENOMEM: "RLIMIT_DATA", unix.EAGAIN: "a bound on threads", unix.EFBIG: "RLIMIT_FSIZE",
	unix.ESRCH: "pid namespace", unix.ENETUNREACH: "network namespace", unix.EROFS: "a read-only file system",
}

// layer says what stopped an attack. An error that the kernel gives only to who was let through counts as a success of
// the attack.
func layer(a *Attack, out Outcome, seen Seen) (stopped bool, what string) {
	errno := syscall.Errno(-out.Returned)
	name := unix.ErrnoName(errno)
	if errno == unix.ENOENT || errno == unix.ENXIO || errno == unix.ENODEV {
		if a.Supervisor {
			return true, "pid namespace: " + name
		}
		if seen.There { // namespaces hide no files, and Landlock answers EACCES
			return true, "seccomp: " + name + ", and the file is still there"
		}
		return true, "there is none here: " + name
	}
	if a.Spawn > 0 {
		return true, fmt.Sprintf("a bound on threads: %d started", out.Call)
	}
	if what, ok := layers[errno]; ok {
		return true, what + ": " + name
	}
	return false, "nothing: the kernel answered " + name
}

func firstLine(err error) string {
	text := err.Error()
	for i, r := range text {
		if r == '\n' {
			return text[:i]
		}
	}
	return text
}
