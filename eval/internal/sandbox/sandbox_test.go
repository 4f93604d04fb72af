package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// This binary is also the worker: `worker sandbox PROFILE try DEED ARG` restricts itself and tries one action.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 2 && os.Args[1] == "worker" && os.Args[2] == "sandbox":
		os.Exit(Main(os.Args[3:]))
	case len(os.Args) > 3 && os.Args[1] == "try":
		if err := deeds[os.Args[2]](os.Args[3]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// deeds are the actions that a worker may try.
var deeds = map[string]func(arg string) error{
	"read": func(path string) error {
		_, err := os.ReadFile(path)
		return err
	},
	"write": func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
	"grow": func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		return f.Truncate(10 << 30)
	},
	"connect": func(address string) error {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err
	},
	"unix": func(path string) error {
		c, err := net.Dial("unix", path)
		if err == nil {
			c.Close()
		}
		return err
	},
	"run": func(program string) error { return exec.Command(program).Run() },
	"signal": func(pid string) error {
		n, err := strconv.Atoi(pid)
		if err != nil {
			return err
		}
		return syscall.Kill(n, syscall.SIGCONT)
	},
	"debug": func(pid string) error {
		n, err := strconv.Atoi(pid)
		if err != nil {
			return err
		}
		return unix.PtraceAttach(n)
	},
	"name": func(string) error {
		runtime.LockOSThread()
		return os.WriteFile(fmt.Sprintf("/proc/self/task/%d/comm", unix.Gettid()), []byte("cuda"), 0)
	},
	"announce": func(name string) error { // as NVIDIA's driver does
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		return errors.Join(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PASSCRED, 1),
			unix.Bind(fd, &unix.SockaddrUnix{Name: "@" + name}), unix.Listen(fd, 1))
	},
	"thread":  func(string) error { return unix.SchedSetaffinity(unix.Gettid(), affinity()) },
	"unshare": func(string) error { return unix.Unshare(unix.CLONE_NEWUSER) },
	"send": func(fd string) error { // standard input, over an inherited socket
		n, err := strconv.Atoi(fd)
		if err != nil {
			return err
		}
		return unix.Sendmsg(n, []byte{0}, unix.UnixRights(0), nil, 0)
	},
}

// command is a worker as proc starts it.
func command(p *Profile, args []string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	p.Separate(cmd.SysProcAttr)
	return cmd
}

// affinity is this thread's.
func affinity() *unix.CPUSet {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		panic(err)
	}
	return &all
}

// TestWhatADriverNeeds: a GPU's driver does not start where it cannot do this, and nobody else can.
func TestWhatADriverNeeds(t *testing.T) {
	if err := Check(Strict); err != nil {
		t.Skipf("no sandbox here, nothing is tested: %v", err)
	}
	for deed, arg := range map[string]string{"name": "", "announce": fmt.Sprintf("cuda-uvmfd-%d", os.Getpid()),
		"thread": ""} {
		for _, driver := range []bool{true, false} {
			p := &Profile{Mode: Strict, Read: System(), Write: []string{"/dev/null"}, Driver: driver}
			got := try(t, p, deed, arg)
			if deed == "thread" && !Here().PIDs {
				continue // only the calling thread, by number 0
			}
			if (got == "") != driver {
				t.Errorf("%s, a driver: %v: %q", deed, driver, got)
			}
		}
	}
}

// try runs one action within the profile and returns what it printed, empty if it succeeded.
func try(t *testing.T, p *Profile, deed, arg string) string {
	t.Helper()
	args, err := p.Args([]string{"try", deed, arg})
	if err != nil {
		t.Fatal(err)
	}
	out, err := command(p, args).CombinedOutput()
	var failed *exec.ExitError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &failed):
		return strings.TrimSpace(string(out)) + " (" + failed.String() + ")"
	}
	t.Fatal(err)
	return ""
}

func TestWhatIsKeptIn(t *testing.T) {
	if err := Check(Strict); err != nil {
		t.Skipf("no sandbox here, nothing is tested: %v", err)
	}
	dir, outside := t.TempDir(), t.TempDir()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	local, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	pid := strconv.Itoa(os.Getpid())
	program, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, deed, arg string
		kept            bool
	}{
		{"the system's libraries", "read", "/proc/self/exe", false},
		{"its own folder", "write", filepath.Join(dir, "x"), false},
		{"who has accounts", "read", "/etc/passwd", true},
		{"a home", "read", outside, true},
		{"another process's environment", "read", "/proc/" + pid + "/environ", true},
		{"a file of ours", "write", filepath.Join(outside, "x"), true},
		{"through its folder and out", "write", filepath.Join(dir, "..", filepath.Base(outside), "x"), true},
		{"ten gigabytes", "grow", filepath.Join(dir, "large"), true},
		{"the network", "connect", tcp.Addr().String(), true},
		{"a local service", "unix", filepath.Join(dir, "s"), true},
		{"a new process", "run", program, true},
		{"a signal to us", "signal", pid, true},
		{"a debugger on us", "debug", pid, true},
		{"a namespace of its own", "unshare", "-", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &Profile{Mode: Strict, Read: System(), Write: []string{dir, "/dev/null"}, Files: true, FileSize: 1 << 20}
			if got := try(t, p, tt.deed, tt.arg); (got != "") != tt.kept {
				t.Errorf("%s %s: %q, kept in: %v", tt.deed, tt.arg, got, tt.kept)
			}
		})
	}
	if got := try(t, &Profile{Mode: Strict, Read: System(), Write: []string{"/dev/null"}, Children: true},
		"run", program); got != "" {
		t.Errorf("a worker that may have children cannot start one: %s", got)
	}
	if got := try(t, &Profile{Mode: Strict, Shared: true, Read: System(), Write: []string{dir, "/dev/null"}}, "signal",
		pid); got == "" {
		t.Error("in our namespaces a worker signals us")
	}
	if got := try(t, nil, "read", "/etc/passwd"); got != "" {
		t.Errorf("without a fence: %s", got)
	}
}

// TestSending: a worker with local sockets sends open files to the process that started it, another sends nothing.
func TestSending(t *testing.T) {
	if err := Check(Strict); err != nil {
		t.Skipf("no sandbox here, nothing is tested: %v", err)
	}
	for _, may := range []bool{true, false} {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
		p := &Profile{Mode: Strict, Read: System(), Write: []string{"/dev/null"}, Driver: may}
		args, err := p.Args([]string{"try", "send", "3"})
		if err != nil {
			t.Fatal(err)
		}
		cmd := command(p, args)
		cmd.ExtraFiles = []*os.File{theirs}
		if out, err := cmd.CombinedOutput(); (err == nil) != may {
			t.Errorf("local sockets %v: %v %s", may, err, out)
		}
		if err := errors.Join(ours.Close(), theirs.Close()); err != nil {
			t.Error(err)
		}
	}
}

func TestArgs(t *testing.T) {
	plain := []string{"worker", "gpu"}
	for name, p := range map[string]*Profile{"none": nil, "off": {Mode: Off}} {
		if got, err := p.Args(plain); err != nil || len(got) != 2 {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	p := &Profile{Mode: Best, Read: []string{"/usr"}}
	got, err := p.Args(plain)
	if err != nil || len(got) != 5 || got[1] != "sandbox" {
		t.Fatalf("%q, %v", got, err)
	}
	var back Profile
	if err := json.Unmarshal([]byte(got[2]), &back); err != nil || back.Mode != Best || back.Read[0] != "/usr" {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestNonsenseIsRefused(t *testing.T) {
	for name, args := range map[string][]string{"nothing": {}, "no worker": {"{}"},
		"not JSON": {"{", "try", "read", "/"}} {
		if code := Main(args); code == 0 {
			t.Errorf("%s: exit code 0", name)
		}
	}
}

// BenchmarkStart is what a fence adds to the start of a worker.
func BenchmarkStart(b *testing.B) {
	for name, p := range map[string]*Profile{"fenced": {Mode: Best, Read: System(), Write: []string{"/dev/null"}},
		"off": nil} {
		b.Run(name, func(b *testing.B) {
			args, err := p.Args([]string{"try", "read", "/proc/self/stat"})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if out, err := command(p, args).CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
			}
		})
	}
}
