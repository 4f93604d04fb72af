package proc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// raw bypasses the protocol.
func raw(b []byte) { _, _ = syscall.Write(fdReplies, b) }

func lengths(parts ...uint32) (header []byte) {
	for _, n := range append(parts, 0, 0, 0)[:3] {
		header = binary.BigEndian.AppendUint32(header, n)
	}
	return header
}

// act is the fake worker's handler: it does what it is asked to, however bad.
func act(ctx context.Context, f Frame, c *Conn) error {
	var r request
	if err := f.Decode(&r); err != nil {
		return err
	}
	c.Phase("doing " + r.Do)
	for _, acts := range []map[string]func(*request, *Conn) error{answers, deaths, lies} {
		if do := acts[r.Do]; do != nil {
			return do(&r, c)
		}
	}
	return fmt.Errorf("cannot %q", r.Do)
}

// answers are what a worker may do.
var answers = map[string]func(r *request, c *Conn) error{
	"echo": func(r *request, c *Conn) error { return c.Reply(&reply{Text: r.Do, N: r.N, Data: r.Data}) },
	"env":  func(_ *request, c *Conn) error { return c.Reply(&reply{Text: strings.Join(os.Environ(), "\n")}) },
	"last": func(_ *request, c *Conn) error {
		if err := c.Finish(&reply{Text: "bye"}); err != nil {
			return err
		}
		return ErrDeviceFault
	},
	"shared":     func(r *request, c *Conn) error { return fillShared(r.N, c) },
	"send":       func(r *request, c *Conn) error { return sendFiles(r.N, c) },
	"grandchild": func(_ *request, c *Conn) error { return withGrandchild(false, c) },
	"escaped":    func(_ *request, c *Conn) error { return withGrandchild(true, c) },
}

// deaths are how a worker ends, or does not.
var deaths = map[string]func(r *request, c *Conn) error{
	"fault":  func(*request, *Conn) error { return ErrDeviceFault },
	"silent": func(*request, *Conn) error { return nil },
	"panic":  func(*request, *Conn) error { panic("our bug") },
	"segv": func(*request, *Conn) error {
		signal.Reset(syscall.SIGSEGV)
		return byOwnHand(syscall.SIGSEGV)
	},
	"eat": func(*request, *Conn) error {
		for eaten := [][]byte{}; ; eaten = append(eaten, bytes.Repeat([]byte{1}, 1<<20)) {
		}
	},
	"kill":  func(*request, *Conn) error { return byOwnHand(syscall.SIGKILL) },
	"stop":  func(*request, *Conn) error { return byOwnHand(syscall.SIGSTOP) },
	"hang":  func(*request, *Conn) error { select {} },
	"exit":  func(r *request, _ *Conn) error { os.Exit(r.N); return nil },
	"close": func(*request, *Conn) error { syscall.Close(fdReplies); select {} },
	"stderr": func(r *request, _ *Conn) error {
		line := strings.Repeat("x", 99) + "\n"
		for range r.N / len(line) {
			fmt.Fprint(os.Stderr, line)
		}
		fmt.Fprintln(os.Stderr, "the end")
		os.Exit(3)
		return nil
	},
}

// byOwnHand sends this process a signal, and waits for what it does.
func byOwnHand(s syscall.Signal) error {
	_ = syscall.Kill(os.Getpid(), s)
	time.Sleep(time.Minute)
	return fmt.Errorf("survived %v", s)
}

// lies are what is no answer to the request.
var lies = map[string]func(r *request, c *Conn) error{
	"twice":   func(_ *request, c *Conn) error { return errors.Join(c.Reply(&reply{}), c.Reply(&reply{})) },
	"garbage": says([]byte("printf from a library that thinks it owns every descriptor\n")),
	"notjson": says(append(lengths(5, 0), "hello"...)),
	"notjsonbody": func(_ *request, c *Conn) error {
		head := fmt.Sprintf(`{"kind":"reply","id":%d}`, c.id)
		raw(append(lengths(uint32(len(head)), 5), head+"hello"...))
		time.Sleep(time.Minute)
		return nil
	},
	"gigabyte":     says(lengths(1<<30, 0)),
	"unknownfield": says(append(lengths(9, 0), `{"bad":1}`...)),
	"half": func(*request, *Conn) error {
		raw(append(lengths(100, 0), `{"kind":"reply"`...))
		os.Exit(0)
		return nil
	},
	"wrongid": func(_ *request, c *Conn) error {
		return writeFrame(c.to, envelope{Kind: kindReply, ID: c.id + 1}, nil)
	},
	"wrongkind": func(_ *request, c *Conn) error {
		return writeFrame(c.to, envelope{Kind: kindHello, ID: c.id}, nil)
	},
	"wrongbody": func(_ *request, c *Conn) error { return c.Reply("a string") },
	"flood": func(_ *request, c *Conn) error {
		for c.err == nil {
			c.Phase(strings.Repeat("p", 1000) + "\x1b[31m")
		}
		return c.err
	},
}

// says writes bytes past the protocol, and is silent from then on.
func says(b []byte) func(*request, *Conn) error {
	return func(*request, *Conn) error { raw(b); select {} }
}

// withGrandchild leaves a process behind that lives on, and dies. An escaped one is in a session of
// its own and holds the reply pipe.
func withGrandchild(escape bool, c *Conn) error {
	cmd := exec.Command("sleep", "100")
	cmd.Stderr = os.Stderr
	if escape {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.ExtraFiles = []*os.File{os.NewFile(fdReplies, "")}
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.Phase(fmt.Sprint("pid ", cmd.Process.Pid))
	os.Exit(0)
	return nil
}

// sendFiles sends n memories with their number in them.
func sendFiles(n int, c *Conn) error {
	channel, err := Inherited(0)
	if err != nil {
		return err
	}
	for i := range n {
		s, err := NewShared("sent", 1)
		if err != nil {
			return err
		}
		s.Map()[0] = byte(i + 1)
		if err := errors.Join(SendFile(channel, s.File()), s.Close()); err != nil {
			return err
		}
	}
	return c.Reply(&reply{})
}

func fillShared(n int, c *Conn) error {
	f, err := Inherited(0)
	if err != nil {
		return err
	}
	s, err := OpenShared(f)
	if err != nil {
		return err
	}
	shrunk := f.Truncate(1) == nil
	_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_GROW)
	sealed := err == nil
	for i := range s.Map() {
		s.Map()[i] = byte(n)
	}
	return c.Reply(&reply{Text: fmt.Sprint("shrunk ", shrunk, ", sealed ", sealed), N: len(s.Map())})
}
