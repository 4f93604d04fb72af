package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// maxSocketPath is the number of bytes that fit sockaddr_un.sun_path with its final zero.
const maxSocketPath = 107

// maxSocketName leaves room for /proc/self/fd/NUMBER/ before the name.
const maxSocketName = maxSocketPath - 24

// SocketPath is where the server of a run listens: PATH.sock, or beside the run under a short name where that has too
// long a name. It may be longer than a socket's address. Every way to name the file gives the same socket.
func SocketPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if len(filepath.Base(path)+".sock") <= maxSocketName {
		return path + ".sock", nil
	}
	hash := sha256.Sum256([]byte(filepath.Base(path)))
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".darwarp-%x.sock", hash[:12])), nil
}

// addressed calls fn with an address of a socket. One whose path is too long is reached through its folder: there is no
// second place for it, where others could be first.
func addressed(socket string, fn func(address string) error) error {
	if len(socket) <= maxSocketPath {
		return fn(socket)
	}
	folder, err := unix.Open(filepath.Dir(socket), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: filepath.Dir(socket), Err: err}
	}
	defer unix.Close(folder)
	return fn(fmt.Sprintf("/proc/self/fd/%d/%s", folder, filepath.Base(socket)))
}

// dial connects to a run's socket, and makes sure of who answers: this user, root, or the owner of the run.
func dial(ctx context.Context, path string) (conn net.Conn, err error) {
	socket, err := SocketPath(path)
	if err != nil {
		return nil, err
	}
	trusted := map[uint32]bool{0: true, uint32(os.Geteuid()): true}
	var st unix.Stat_t
	if unix.Stat(path, &st) == nil { // one who can write a run has no need to forge it
		trusted[st.Uid] = true
	}
	return dialTrusted(ctx, socket, trusted)
}

func dialTrusted(ctx context.Context, socket string, trusted map[uint32]bool) (conn net.Conn, err error) {
	err = addressed(socket, func(address string) (err error) {
		conn, err = (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "unix", address)
		return err
	})
	if err != nil {
		return nil, err
	}
	uid, err := peer(conn)
	if err == nil && !trusted[uid] {
		err = fmt.Errorf("%s is the socket of another user, number %d", socket, uid)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// peer is the user at the other end of a connection.
func peer(conn net.Conn) (uid uint32, err error) {
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, errors.New("not a unix socket")
	}
	raw, err := unixConn.SyscallConn()
	if err != nil {
		return 0, err
	}
	refused := raw.Control(func(fd uintptr) {
		var cred *unix.Ucred
		if cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			uid = cred.Uid
		}
	})
	return uid, errors.Join(refused, err)
}

// listen binds the socket, in place of one whose owner is dead.
func listen(socket string, b bounds) (net.Listener, error) {
	listener, err := bind(socket)
	if err != nil {
		if info, e := os.Lstat(socket); e != nil || info.Mode().Type() != os.ModeSocket {
			return nil, err
		}
		conn, e := dialTrusted(context.Background(), socket, map[uint32]bool{0: true, uint32(os.Geteuid()): true})
		switch {
		case e == nil:
			conn.Close()
			return nil, fault{ErrLocked, fmt.Errorf("%s answers", socket)}
		case !errors.Is(e, syscall.ECONNREFUSED):
			return nil, e
		}
		if e := os.Remove(socket); e != nil {
			return nil, e
		}
		if listener, err = bind(socket); err != nil {
			return nil, err
		}
	}
	return &guarded{Listener: listener, socket: socket, places: make(chan struct{}, b.connections)}, nil
}

// private binds sockets that only this user can connect to from the first moment: Linux gives the file
// the mode that the socket has before it is bound, less the umask.
var private = net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) (err error) {
	refused := raw.Control(func(fd uintptr) { err = syscall.Fchmod(int(fd), 0o600) })
	return errors.Join(refused, err)
}}

func bind(socket string) (listener net.Listener, err error) {
	err = addressed(socket, func(address string) (err error) {
		listener, err = private.Listen(context.Background(), "unix", address)
		return err
	})
	if err == nil {
		listener.(*net.UnixListener).SetUnlinkOnClose(false) // guarded does, by the socket's own path
	}
	return listener, err
}

// guarded lets in this user and root, and no more of them at once than there are places.
type guarded struct {
	net.Listener
	socket string
	places chan struct{}
	once   sync.Once
}

const busy = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// Accept waits for the next connection that is let in.
func (g *guarded) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if uid, err := peer(conn); err != nil || uid != 0 && uid != uint32(os.Geteuid()) {
			conn.Close()
			continue
		}
		select {
		case g.places <- struct{}{}:
			return &placed{Conn: conn, leave: sync.OnceFunc(func() { <-g.places })}, nil
		default:
			_, _ = io.WriteString(conn, busy) // fits the socket's buffer; what it is good for is lost with the client
			conn.Close()
		}
	}
}

// Close removes the socket.
func (g *guarded) Close() (err error) {
	g.once.Do(func() {
		_ = os.Remove(g.socket) // the next search replaces one that stays
		err = g.Listener.Close()
	})
	return err
}

// placed is a connection that gives its place back.
type placed struct {
	net.Conn
	leave func()
}

// Close ends the connection.
func (p *placed) Close() error {
	p.leave()
	return p.Conn.Close()
}
