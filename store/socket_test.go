package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nobody is another user.
const nobody = 65534

// sharedDir is a folder like the system's temporary one: all may make files there, and remove their own.
func sharedDir(t *testing.T) string {
	t.Helper()
	dir := must(os.MkdirTemp("", "darwarp-test-*"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	return dir
}

// asNobody starts a role of TestMain as another user, and gives what it prints.
func asNobody(t *testing.T, role, path string) (out *bufio.Reader) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("not tested: only root can be another user")
	}
	cmd := exec.Command("/proc/self/exe", path)
	cmd.Env = append(os.Environ(), childEnv+"="+role)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	pipe := must(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return bufio.NewReader(pipe)
}

// forge serves a run that there is not, to everybody.
func forge(socket string) {
	listener, err := net.Listen("unix", socket)
	if err == nil {
		err = os.Chmod(socket, 0o777)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("ready")
	http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"pid": 1, "problem": "forged", "len": 1000000}`)
	}))
}

// intrude says what a socket answers.
func intrude(socket string) {
	conn, err := net.Dial("unix", socket)
	if err == nil {
		fmt.Fprint(conn, "GET /status HTTP/1.0\r\n\r\n")
		var reply []byte
		reply, err = io.ReadAll(conn)
		fmt.Printf("%q ", reply)
	}
	fmt.Println("and", err)
	os.Exit(0)
}

// TestForgedSocket has another user make the socket of root's run first, as in a shared folder.
func TestForgedSocket(t *testing.T) {
	dir := sharedDir(t)
	r := must(Create(filepath.Join(dir, "mine.run"), testMeta()))(t)
	defer r.Close()
	socket := must(SocketPath(r.path))(t)
	if line, _ := asNobody(t, "forger", socket).ReadString('\n'); line != "ready\n" {
		t.Fatal(line)
	}
	for name, err := range map[string]error{
		"status": second(AskStatus(t.Context(), r.path)), "view": second(View(r.path)),
		"serve": second(Serve(t.Context(), r, socket, nil)), "steer": Tell(t.Context(), r.path, []byte("{}")),
		"watch": Watch(t.Context(), r.path, func([]byte) error { return nil }),
	} {
		if err == nil || !strings.Contains(err.Error(), "the socket of another user, number 65534") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Lstat(socket); err != nil {
		t.Errorf("what another user made: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestForeignRun: who asks about another user's run is answered by that user.
func TestForeignRun(t *testing.T) {
	dir := sharedDir(t)
	path := filepath.Join(dir, "theirs.run")
	write(t, path, []byte("not read"))
	if err := os.Chown(path, nobody, nobody); err != nil {
		t.Skipf("not tested: only root can be another user: %v", err)
	}
	if line, _ := asNobody(t, "forger", must(SocketPath(path))(t)).ReadString('\n'); line != "ready\n" {
		t.Fatal(line)
	}
	if s, err := AskStatus(t.Context(), path); err != nil || s.Problem != "forged" {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestIntruder connects as another user to a socket that, by some mistake, everybody may use.
func TestIntruder(t *testing.T) {
	dir := sharedDir(t)
	r := must(Create(filepath.Join(dir, "mine.run"), testMeta()))(t)
	defer r.Close()
	serve(t, r)
	socket := must(SocketPath(r.path))(t)
	if line, _ := asNobody(t, "intruder", socket).ReadString('\n'); !strings.Contains(line, "permission denied") {
		t.Errorf("a private socket says %s", line)
	}
	if err := os.Chmod(socket, 0o777); err != nil {
		t.Fatal(err)
	}
	if line, _ := asNobody(t, "intruder", socket).ReadString('\n'); !strings.HasPrefix(line, `"" and`) {
		t.Errorf("a socket that everybody may use says %s", line)
	}
	if _, err := AskStatus(t.Context(), r.path); err != nil {
		t.Error(err)
	}
}

func TestUntrusted(t *testing.T) {
	r := newRun(t)
	serve(t, r)
	conn, err := dialTrusted(t.Context(), must(SocketPath(r.path))(t), map[uint32]bool{nobody: true})
	if err == nil || conn != nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("%v, %v", conn, err)
	}
}

// TestLongSockets: wherever a run is and whatever it is called, its socket is beside it.
func TestLongSockets(t *testing.T) {
	for _, name := range []string{"test.run", strings.Repeat("n", maxSocketName-4), strings.Repeat("n", maxSocketName-5),
		strings.Repeat("n", 220)} {
		dir := filepath.Join(t.TempDir(), strings.Repeat("long", 40))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		r := must(Create(filepath.Join(dir, name), testMeta()))(t)
		socket := must(SocketPath(r.path))(t)
		same(t, "folder", filepath.Dir(socket), dir)
		stale := must(bind(socket))(t) // as a killed search leaves it
		stale.Close()
		s := serve(t, r)
		if info := must(os.Lstat(socket))(t); info.Mode() != os.ModeSocket|0o600 {
			t.Errorf("mode %v", info.Mode())
		}
		if _, err := Serve(t.Context(), r, socket, nil); !errors.Is(err, ErrLocked) {
			t.Errorf("second server: %v", err)
		}
		same(t, "problem", must(AskStatus(t.Context(), r.path))(t).Problem, "gemm")
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(socket); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the socket is left: %v", err)
		}
		r.Close()
	}
}

// brief is a server with little patience.
func brief(t *testing.T, r *Run, b bounds, steer Steer) string {
	t.Helper()
	socket := must(SocketPath(r.path))(t)
	s := must(serveWithin(t.Context(), r, socket, steer, b))(t)
	t.Cleanup(func() { s.Close() })
	return socket
}

// asks asks again and again: on a busy machine a request may take longer than a server with little patience waits.
func asks(t *testing.T, what string, ask func() error) {
	t.Helper()
	var err error
	for range 100 {
		if err = ask(); err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", what, err)
}

// TestHalfRequests: a client that does not go on loses its connection, and one that waits for events keeps it.
func TestHalfRequests(t *testing.T) {
	r := newRun(t)
	slow := func(context.Context, []byte) error { time.Sleep(300 * time.Millisecond); return errors.New("slow") }
	socket := brief(t, r, bounds{requests: 50 * time.Millisecond, connections: 50}, slow)
	var watcher net.Conn
	asks(t, "a watcher", func() error {
		watcher = must(net.Dial("unix", socket))(t)
		fmt.Fprint(watcher, "GET /events HTTP/1.1\r\nHost: darwarp\r\n\r\n")
		line, err := bufio.NewReader(watcher).ReadString('\n')
		if err == nil && strings.Contains(line, "200") {
			return nil
		}
		watcher.Close()
		return fmt.Errorf("%q: %w", line, err)
	})
	defer watcher.Close()
	for _, half := range []string{"", "G", "GET /status HTTP/1.1\r\nHost: x\r\n", "POST /steer HTTP/1.1\r\nHost: x\r\n" +
		"Content-Length: 10\r\n\r\nhalf", "GET /status HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf",
		"POST /steer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf",
		"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", "HEAD /events HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n",
		"GET /status HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 2*maxRequest)} {
		conn := must(net.Dial("unix", socket))(t)
		fmt.Fprint(conn, half)
		if _, err := io.ReadAll(conn); err != nil && !errors.Is(err, syscall.ECONNRESET) { // returns when the server closes
			t.Errorf("%.60q: %v", half, err)
		}
		conn.Close()
	}
	asks(t, "a command that takes its time", func() error {
		if err := Tell(t.Context(), r.path, []byte("{}")); err == nil || err.Error() != "slow" {
			return fmt.Errorf("it says %v", err)
		}
		return nil
	})
	watcher.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	if _, err := watcher.Read(make([]byte, 1000)); !errors.Is(err, os.ErrDeadlineExceeded) && err != nil {
		t.Errorf("the watcher has lost its connection: %v", err)
	}
}

// TestFlood: more connections than there is room for are told so at once, and the room is free again after them.
func TestFlood(t *testing.T) {
	r := newRun(t)
	const room = 8
	socket := brief(t, r, bounds{requests: time.Minute, connections: room}, nil)
	var open []net.Conn
	for range room {
		open = append(open, must(net.Dial("unix", socket))(t))
	}
	for range 100 {
		conn := must(net.Dial("unix", socket))(t)
		if reply, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(reply), "HTTP/1.1 503") {
			t.Fatalf("%q, %v", reply, err)
		}
		conn.Close()
	}
	// Where the refusal comes before the request was written, net/http has words of its own for it.
	if _, err := AskStatus(t.Context(), r.path); err == nil {
		t.Error("there is room")
	}
	for _, conn := range open {
		conn.Close()
	}
	for range 3 * room {
		until := time.Now().Add(time.Minute) // the server sees a moment later that a place is free
		for _, err := AskStatus(t.Context(), r.path); err != nil; _, err = AskStatus(t.Context(), r.path) {
			if time.Now().After(until) {
				t.Fatal(err)
			}
		}
	}
}
