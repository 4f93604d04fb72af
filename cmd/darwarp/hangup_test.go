package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"darwarp/cmd/darwarp/internal/attach"
	"darwarp/evolve"
	"darwarp/store"
)

// pty opens a terminal: the end that a person sits at, and the one that a program has.
func pty(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("not tested: no terminal can be made: %v", err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return person, program
}

// until waits for something that another process does.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for begun := time.Now(); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("still not: %s", what)
		}
	}
}

// startOn runs darwarp in a terminal until it ends.
func startOn(t *testing.T, terminal *os.File, home string, args ...string) (ended <-chan error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A test that is itself under nohup would hand that on; a signal that is taken is not.
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hangup) })
	cmd := exec.Cmd{Path: self, Args: append([]string{"darwarp"}, args...),
		Env:   append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "TERM=xterm"),
		Stdin: terminal, Stdout: terminal, Stderr: terminal,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true}}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	return gone
}

// TestOutliveTerminal closes the terminal of a search: it goes on, and what it says is in the log, as lines, also where
// there was a view.
func TestOutliveTerminal(t *testing.T) {
	for name, more := range map[string][]string{"lines": {"--plain"}, "view": nil} {
		t.Run(name, func(t *testing.T) { outlive(t, more) })
	}
}

func outlive(t *testing.T, more []string) {
	dir := t.TempDir()
	t.Setenv("TESTDATA", "testdata")
	space, run, log := filepath.Join(dir, "wide.json.gz"), filepath.Join(dir, "night.db"), filepath.Join(dir, "night.log")
	if err := makeSpaceOf(space, wideBundle, madeUpWide); err != nil {
		t.Fatal(err)
	}
	person, program := pty(t)
	ended := startOn(t, program, dir, append([]string{"search", space, "--seed", "1", "--evals", "7000", "--store", run},
		more...)...)
	seen := make(chan int64)
	go func() { // a terminal takes what it is sent
		n, _ := io.Copy(io.Discard, person) // until it is closed
		seen <- n
	}()
	until(t, "the search pauses", func() bool {
		return attach.Steer(t.Context(), run, evolve.Command{Do: "pause"}) == nil
	})
	if err := errors.Join(program.Close(), person.Close()); err != nil {
		t.Fatal(err)
	}
	if n := <-seen; n == 0 {
		t.Error("nothing was drawn")
	}
	until(t, "the log says that the terminal is gone", func() bool {
		text, _ := os.ReadFile(log) // not there yet: no text
		return strings.Contains(string(text), "The terminal was closed; the search continues.")
	})
	for _, do := range []string{"resume", "stop"} {
		if err := attach.Steer(t.Context(), run, evolve.Command{Do: do}); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	checkOutlived(t, run, log)
}

// checkOutlived reads a run and its log after the search has ended.
func checkOutlived(t *testing.T, run, log string) {
	t.Helper()
	r, err := store.View(run)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := os.ReadFile(log)
	if r.Len() == 0 || err != nil || !strings.Contains(string(text), "\nchampion ") {
		t.Errorf("%d candidates, log (%v):\n%s", r.Len(), err, text)
	}
	if bytes.ContainsAny(text, "\x1b\r") || len(text) > 64<<10 {
		t.Errorf("the log has %d bytes, and what moves a cursor:\n%.2000q", len(text), text)
	}
}
