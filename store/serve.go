package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"darwarp/kernels"
)

const (
	maxSocketPath = 107             // bytes that fit sockaddr_un.sun_path with its final zero
	eventQueue    = 256             // events that a watcher may be behind
	maxEvent      = 1 << 20         // bytes of one event that a watcher reads
	eventPatience = 5 * time.Second // for a watcher's connection to take one event
	copyPatience  = time.Minute     // for a viewer's connection to take a copy
	closePatience = time.Second     // for watchers to take their last events
	maxCommand    = 1 << 20         // bytes of a command
	eventHeader   = "Darwarp-Event" // of a copy: events that were told before it; of a stream: before its first
)

// Status is how a live search is.
type Status struct {
	PID      int                     `json:"pid"`
	Started  time.Time               `json:"started"` // of serving
	Version  string                  `json:"version"`
	Problem  string                  `json:"problem"`
	Len      int                     `json:"len"`
	Counts   map[kernels.Outcome]int `json:"counts"`
	Champion *kernels.ID             `json:"champion,omitempty"`
	Score    float64                 `json:"score,omitempty"` // the champion's
}

// Steer does what a command, a JSON object, asks of the search. An error is one line that says what was
// wrong with the command.
type Steer func(ctx context.Context, command []byte) error

// Server answers for a live run on a unix socket.
type Server struct {
	run     *Run
	steer   Steer
	started time.Time
	http    *http.Server
	served  chan struct{} // closed when the accept loop has ended

	mu       sync.Mutex
	stop     func() bool // detaches from the context
	watchers map[chan []byte]bool
	told     int // events
	closed   bool
}

// SocketPath is where the server of a run listens: PATH.sock, or a short name in the temporary folder
// where that would not fit a socket address. Every way to name the file gives the same socket.
func SocketPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if socket := path + ".sock"; len(socket) <= maxSocketPath {
		return socket, nil
	}
	hash := sha256.Sum256([]byte(path))
	return filepath.Join(os.TempDir(), fmt.Sprintf("darwarp-%x.sock", hash[:12])), nil
}

// Serve answers on a unix socket that only this user can use, until Close or the end of ctx:
//
//	GET /copy    a consistent copy of the file
//	GET /events  what Publish is given, as JSON lines
//	GET /status  Status
//	POST /steer  a command for steer: 200, or 400 with one line
//
// steer is called from many goroutines; nil refuses every command. Close the server before the run.
func Serve(ctx context.Context, r *Run, socket string, steer Steer) (*Server, error) {
	listener, err := listen(socket)
	if err != nil {
		return nil, named(r.path, err)
	}
	s := &Server{run: r, steer: steer, started: time.Now(), served: make(chan struct{}), watchers: map[chan []byte]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /copy", s.copy)
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /status", s.status)
	mux.HandleFunc("POST /steer", s.command)
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: eventPatience}
	go func() {
		defer close(s.served)
		s.http.Serve(listener) // always an error: that it was closed
	}()
	s.mu.Lock() // a context that is over calls Close at once
	defer s.mu.Unlock()
	s.stop = context.AfterFunc(ctx, func() { s.Close() })
	return s, nil
}

// listen binds the socket, in place of one whose owner is dead.
func listen(socket string) (net.Listener, error) {
	listener, err := private.Listen(context.Background(), "unix", socket)
	if err != nil {
		if info, e := os.Lstat(socket); e != nil || info.Mode().Type() != os.ModeSocket {
			return nil, err
		}
		if conn, e := net.DialTimeout("unix", socket, time.Second); e == nil {
			conn.Close()
			return nil, fault{ErrLocked, fmt.Errorf("%s answers", socket)}
		}
		if e := os.Remove(socket); e != nil {
			return nil, e
		}
		return private.Listen(context.Background(), "unix", socket)
	}
	return listener, nil
}

// private binds sockets that only this user can connect to from the first moment: Linux gives the file
// the mode that the socket has before it is bound, less the umask.
var private = net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) (err error) {
	refused := raw.Control(func(fd uintptr) { err = syscall.Fchmod(int(fd), 0o600) })
	return errors.Join(refused, err)
}}

// Publish sends one event, a JSON object, to every watcher. It never waits: a watcher that is too
// far behind is dropped.
func (s *Server) Publish(event []byte) {
	line := append(bytes.ReplaceAll(event, []byte{'\n'}, []byte{' '}), '\n') // in JSON a raw newline is white space
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told++
	for queue := range s.watchers {
		select {
		case queue <- line:
		default:
			s.drop(queue)
		}
	}
}

// drop ends a watcher after what is queued. The caller holds s.mu.
func (s *Server) drop(queue chan []byte) {
	if s.watchers[queue] {
		delete(s.watchers, queue)
		close(queue)
	}
}

// Close lets watchers take their last events for a moment, and removes the socket.
func (s *Server) Close() error {
	s.mu.Lock()
	s.stop()
	s.closed = true
	for queue := range s.watchers {
		s.drop(queue)
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-s.served
	return err
}
