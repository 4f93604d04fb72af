package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"darwarp/kernels"
)

const (
	eventQueue    = 256             // events that a watcher may be behind
	maxEvent      = 16 << 20        // bytes of one event that a watcher reads: what a stored candidate can have
	maxStatus     = 1 << 20         // bytes of how a search is
	eventPatience = 5 * time.Second // for a watcher's connection to take one event
	copyPatience  = time.Minute     // for a viewer's connection to take a copy
	closePatience = time.Second     // for watchers to take their last events
	maxCommand    = 1 << 20         // bytes of a command
	maxRequest    = 16 << 10        // bytes of a request's head
	mostCopies    = 4               // that are made at once: each takes as much room as the run
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
	Score    float64                 `json:"score,omitempty"`    // the champion's
	Speedup  float64                 `json:"speedup,omitempty"`  // of the champion over the naive start
	Estimate bool                    `json:"estimate,omitempty"` // Speedup is not of a final measurement
}

// Admit checks how a process that says it is a search says it is.
func (s *Status) Admit() error {
	s.Version, s.Problem = kernels.CleanLine(s.Version, kernels.MaxName), kernels.CleanLine(s.Problem, kernels.MaxName)
	return cmp.Or(kernels.AdmitCounts("pid", s.PID), kernels.AdmitCounts("len", s.Len),
		kernels.AdmitCounts("counts", slices.Collect(maps.Values(s.Counts))...),
		kernels.AdmitFigures("score", s.Score), kernels.AdmitFigures("speedup", s.Speedup))
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
	copies  chan struct{} // a place for each that is being made
	bounds  bounds

	mu       sync.Mutex
	stop     func() bool // detaches from the context
	watchers map[chan []byte]bool
	told     int // events
	closed   bool
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
	return serveWithin(ctx, r, socket, steer, bounds{requests: 5 * time.Second, connections: 128})
}

// bounds are what clients may take.
type bounds struct {
	requests    time.Duration // for a request to come in whole
	connections int           // at once
}

func serveWithin(ctx context.Context, r *Run, socket string, steer Steer, b bounds) (*Server, error) {
	listener, err := listen(socket, b)
	if err != nil {
		return nil, named(r.path, err)
	}
	s := &Server{run: r, steer: steer, started: time.Now(), served: make(chan struct{}),
		copies: make(chan struct{}, mostCopies), bounds: b, watchers: map[chan []byte]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /copy", s.copy)
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /status", s.status)
	mux.HandleFunc("POST /steer", s.command)
	s.http = &http.Server{Handler: s.bounded(mux), ReadHeaderTimeout: b.requests, IdleTimeout: b.requests,
		MaxHeaderBytes: maxRequest, ErrorLog: log.New(io.Discard, "", 0)}
	go func() {
		defer close(s.served)
		s.http.Serve(listener) // always an error: that it was closed
	}()
	s.mu.Lock() // a context that is over calls Close at once
	defer s.mu.Unlock()
	s.stop = context.AfterFunc(ctx, func() { s.Close() })
	return s, nil
}

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
