package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"darwarp/kernels"
)

func serve(t *testing.T, r *Run) *Server {
	t.Helper()
	s := must(Serve(t.Context(), r, must(SocketPath(r.path))(t), nil))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func TestTwoWriters(t *testing.T) {
	r := newRun(t)
	fill(t, r, 0, 3)
	_, err := Open(r.path)
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("process %d: ", os.Getpid())) ||
		!strings.Contains(err.Error(), filepath.Base(os.Args[0])) {
		t.Errorf("second writer: %v", err)
	}
	_, err = View(r.path)
	if !errors.Is(err, ErrLocked) || !errors.Is(err, ErrNotServed) {
		t.Errorf("view of a run that nobody serves: %v", err)
	}
	if err := r.Put(candidate(3), nil); err != nil {
		t.Errorf("first writer afterwards: %v", err)
	}
}

func TestViewIsReadOnly(t *testing.T) {
	r := newRun(t)
	fill(t, r, 0, 3)
	r.Close()
	v := must(View(r.path))(t)
	defer v.Close()
	for name, err := range map[string]error{"Put": v.Put(candidate(3), nil), "PutDuel": v.PutDuel(kernels.Duel{}),
		"PutCheckpoint": v.PutCheckpoint(nil)} {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
	second := must(View(r.path))(t) // readers share
	second.Close()
}

func TestViewOfALiveRun(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	r := newRun(t)
	serve(t, r)
	fill(t, r, 0, 40)
	done := make(chan error)
	go func() { // the writer goes on while it is viewed
		var err error
		for i := 40; i < 140 && err == nil; i++ {
			err = r.Put(candidate(i), nil)
		}
		done <- err
	}()
	for range 5 {
		v := must(View(r.path))(t)
		n := v.Len()
		if err := v.Verify(); err != nil || n < 40 || v.Path() != r.path {
			t.Errorf("%d candidates in %s: %v", n, v.Path(), err)
		}
		v.Close()
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	for _, dir := range []string{os.TempDir(), filepath.Dir(r.path)} {
		if left, _ := filepath.Glob(filepath.Join(dir, "*darwarp-*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestStatus(t *testing.T) {
	r := newRun(t)
	if _, err := AskStatus(t.Context(), r.path); !errors.Is(err, ErrNotServed) {
		t.Errorf("nobody serves: %v", err)
	}
	s := serve(t, r)
	fill(t, r, 0, 8)
	if err := r.SetChampion(hash("id", 1), "test"); err != nil {
		t.Fatal(err)
	}
	got := must(AskStatus(t.Context(), r.path))(t)
	id := kernels.ID(hash("id", 1))
	same(t, "status", got, Status{PID: os.Getpid(), Started: got.Started, Version: "v1.2.3", Problem: "gemm", Len: 8,
		Counts: map[kernels.Outcome]int{kernels.OK: 6, kernels.Wrong: 2}, Champion: &id, Score: must(r.Get(id))(t).Score,
		Speedup: 1 / must(r.Get(id))(t).Score})
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(must(SocketPath(r.path))(t)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
}

// watcher collects events until the search ends.
func watcher(ctx context.Context, t *testing.T, r *Run, s *Server) (events func() ([]string, error)) {
	t.Helper()
	type outcome struct {
		lines []string
		err   error
	}
	result := make(chan outcome, 1)
	before := s.watching()
	go func() {
		var o outcome
		o.err = Watch(ctx, r.path, func(b []byte) error { o.lines = append(o.lines, string(b)); return nil })
		result <- o
	}()
	for s.watching() == before {
		time.Sleep(time.Millisecond)
	}
	return func() ([]string, error) { o := <-result; return o.lines, o.err }
}

func (s *Server) watching() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.watchers)
}

func TestEvents(t *testing.T) {
	r := newRun(t)
	s := serve(t, r)
	s.Publish([]byte(`{"n":"nobody hears it"}`))
	ctx, cancel := context.WithCancel(t.Context())
	a, b := watcher(t.Context(), t, r, s), watcher(ctx, t, r, s)
	s.Publish([]byte("{\n  \"n\": 1\n}"))
	s.Publish([]byte(`{"n":2}`))
	cancel()
	if _, err := b(); !errors.Is(err, context.Canceled) {
		t.Errorf("a watcher that leaves: %v", err)
	}
	large := `{"n":"` + strings.Repeat("x", 3<<20) + `"}` // a candidate with all that one can have
	s.Publish([]byte(large))
	s.Publish([]byte(`{"n":3}`))
	s.Close()
	s.Publish([]byte(`{"n":"too late"}`))
	lines, err := a()
	if err != nil {
		t.Error(err)
	}
	same(t, "events", lines, []string{`{   "n": 1 }`, `{"n":2}`, large, `{"n":3}`})
}

func TestSlowWatcherIsDropped(t *testing.T) {
	r := newRun(t)
	s := serve(t, r)
	conn := must(net.Dial("unix", must(SocketPath(r.path))(t)))(t)
	defer conn.Close()
	fmt.Fprint(conn, "GET /events HTTP/1.1\r\nHost: darwarp\r\n\r\n")
	if line, err := bufio.NewReader(conn).ReadString('\n'); !strings.Contains(line, "200") {
		t.Fatal(line, err)
	}
	got, quick := atomic.Int64{}, make(chan error, 1)
	go func() { quick <- Watch(t.Context(), r.path, func([]byte) error { got.Add(1); return nil }) }()
	for s.watching() < 2 {
		time.Sleep(time.Millisecond)
	}
	event := fmt.Appendf(nil, `{"text":%q}`, strings.Repeat("x", 1<<10))
	sent := 0
	for ; s.watching() == 2; sent++ { // never blocks, or the test ends by its time limit
		s.Publish(event)
		for sent%(eventQueue/2) == 0 && got.Load() < int64(sent) && s.watching() == 2 { // for the quick one
			time.Sleep(time.Millisecond)
		}
		if sent > 100*eventQueue {
			t.Fatal("the watcher that does not read was never dropped")
		}
	}
	s.Close()
	if err := <-quick; err != nil || got.Load() != int64(sent) {
		t.Errorf("the quick watcher got %d of %d events, %v", got.Load(), sent, err)
	}
}

func TestSocket(t *testing.T) {
	r := newRun(t)
	socket := must(SocketPath(r.path))(t)
	same(t, "beside the run", socket, r.path+".sock")

	// A listener that does not unlink leaves what a killed process leaves.
	stale := must(net.Listen("unix", socket))(t).(*net.UnixListener)
	stale.SetUnlinkOnClose(false)
	stale.Close()
	s := serve(t, r)
	if info := must(os.Lstat(socket))(t); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if _, err := Serve(t.Context(), r, socket, nil); !errors.Is(err, ErrLocked) {
		t.Errorf("second server: %v", err)
	}
	s.Close()

	write(t, socket, []byte("a file of the user"))
	if _, err := Serve(t.Context(), r, socket, nil); err == nil {
		t.Error("a plain file was taken for a stale socket")
	}
	same(t, "file of the user", string(must(os.ReadFile(socket))(t)), "a file of the user")
}

func TestLongPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 40))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r := must(Create(filepath.Join(dir, "test.run"), testMeta()))(t)
	defer r.Close()
	link := filepath.Join(t.TempDir(), "link.run")
	if err := os.Symlink(r.path, link); err != nil {
		t.Fatal(err)
	}
	same(t, "socket by another name", must(SocketPath(link))(t), must(SocketPath(r.path))(t))
	serve(t, r)
	fill(t, r, 0, 2)
	v := must(View(link))(t)
	defer v.Close()
	same(t, "candidates", v.Len(), 2)
}

func TestServeEndsWithItsContext(t *testing.T) {
	r := newRun(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := must(Serve(ctx, r, must(SocketPath(r.path))(t), nil))(t)
	<-s.served
	if err := s.Close(); err != nil { // again is harmless
		t.Error(err)
	}
}
