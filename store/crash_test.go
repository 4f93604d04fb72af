package store

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"darwarp/kernels"
)

// child starts this test binary in one of the roles of TestMain.
func child(t *testing.T, role, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(must(os.Executable())(t), path)
	cmd.Env = append(os.Environ(), childEnv+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

// writeForEver opens or creates a run and acknowledges each Put on standard output.
func writeForEver(path string) {
	r, err := Open(path)
	if errors.Is(err, os.ErrNotExist) {
		r, err = Create(path, testMeta())
	}
	for i := 0; err == nil; i++ {
		if i == 0 {
			i = r.Len()
		}
		if err = r.Put(candidate(i), binary.BigEndian.AppendUint64(nil, uint64(i))); err == nil {
			fmt.Println(i + 1)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func TestKill(t *testing.T) {
	kills := rounds(t, 60)
	rnd := rand.New(rand.NewPCG(17, 19))
	path, acknowledged, grown := filepath.Join(t.TempDir(), "kill.run"), 0, 0
	for round := range kills {
		// Every other one is killed while it opens the run, perhaps; the rest once it writes, however long that takes here.
		n := killed(t, path, time.Duration(5+rnd.IntN(80))*time.Millisecond, round%2 == 0, acknowledged)
		if n > acknowledged {
			grown++
		}
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) && n == 0 {
			continue // killed before the file had its name
		}
		if err := verify(path); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		r := must(View(path))(t)
		// The last one may have been stored and not yet acknowledged.
		if stored := r.Len(); stored != n && stored != n+1 {
			t.Fatalf("round %d: %d stored, %d acknowledged", round, stored, n)
		}
		if state := must(r.Checkpoint())(t); r.Len() > 0 && binary.BigEndian.Uint64(state) != uint64(r.Len()-1) {
			t.Fatalf("round %d: the checkpoint is not of the last candidate", round)
		}
		acknowledged = r.Len()
		r.Close()
	}
	r := must(View(path))(t)
	defer r.Close()
	for i := range acknowledged {
		if c := must(r.Get(hash("id", i)))(t); c.Seq != i+1 {
			t.Errorf("candidate %d has Seq %d", i, c.Seq)
		}
	}
	if grown < kills/2 {
		t.Errorf("only %d of %d writers got to write", grown, kills)
	}
	t.Logf("%d candidates survived %d kills", acknowledged, kills)
}

// killed has a process write a run until it is killed a while after its start, or after it has acknowledged a first
// candidate, and gives the number of candidates that it has acknowledged: as many as before where it came to none.
func killed(t *testing.T, path string, after time.Duration, atOnce bool, before int) int {
	t.Helper()
	cmd := child(t, "writer", path)
	out := must(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := sync.OnceValue(func() *time.Timer { return time.AfterFunc(after, func() { cmd.Process.Kill() }) })
	if atOnce {
		kill()
	}
	for lines := bufio.NewScanner(out); lines.Scan(); kill() {
		before = must(strconv.Atoi(lines.Text()))(t)
	}
	cmd.Wait() // killed: always an error
	kill().Stop()
	return before
}

// fillUp writes under a file size limit, then without: standard output tells the test what happened.
func fillUp(path string) {
	signal.Ignore(syscall.SIGXFSZ)
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	r, err := Create(path, testMeta())
	fail(err)
	var old syscall.Rlimit
	fail(syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	fail(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 300 << 10, Max: old.Max}))
	fail(untilFull(r, func() error { return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old) }))
	fail(r.Close())
	fmt.Println("survived")
	os.Exit(0)
}

// untilFull puts candidates until there is no space, checks that the run is then as it was, makes
// space and puts the refused candidate again.
func untilFull(r *Run, free func() error) error {
	stored := 0
	var refused *kernels.Candidate
	for ; refused == nil; stored++ {
		c := candidate(stored)
		err := r.Put(c, []byte("state"))
		switch {
		case errors.Is(err, ErrNoSpace):
			refused = c
			stored--
		case err != nil:
			return err
		case stored > 20_000:
			return errors.New("the limit has no effect")
		}
	}
	for range 3 { // it stays usable, and full
		if err := r.Put(refused, nil); !errors.Is(err, ErrNoSpace) || refused.Seq != 0 {
			return fmt.Errorf("full, and Put gave %v and Seq %d", err, refused.Seq)
		}
	}
	if top, err := r.Top(3); err != nil || len(top) != 3 || r.Len() != stored {
		return fmt.Errorf("full, and %d of %d candidates are there: %w", r.Len(), stored, err)
	}
	if err := r.Verify(); err != nil {
		return err
	}
	if err := free(); err != nil {
		return err
	}
	if err := r.Put(refused, []byte("state")); err != nil || refused.Seq != stored+1 {
		return fmt.Errorf("after making space: %w, Seq %d", err, refused.Seq)
	}
	return r.Verify()
}

func TestFileSizeLimit(t *testing.T) {
	out, err := child(t, "full", filepath.Join(t.TempDir(), "full.run")).Output()
	if err != nil || string(out) != "survived\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("NOT TESTED, a full disk: a small tmpfs cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	write(t, ballast, make([]byte, 1<<20))
	r := must(Create(filepath.Join(dir, "full.run"), testMeta()))(t)
	defer r.Close()
	if err := untilFull(r, func() error { return os.Remove(ballast) }); err != nil {
		t.Error(err)
	}
	f := must(os.Create(ballast))(t)
	_, _ = io.Copy(f, bytes.NewReader(make([]byte, 4<<20))) // as much as fits
	f.Close()
	if _, err := Create(filepath.Join(dir, "second.run"), testMeta()); !errors.Is(err, ErrNoSpace) {
		t.Errorf("Create on a full disk: %v", err)
	}
}
