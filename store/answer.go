package store

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	bolt "go.etcd.io/bbolt"
)

// bounded has each request come in within its time. One without a body has no bound: a watcher sends nothing more.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		control := http.NewResponseController(w)
		if request.ContentLength != 0 && control.SetReadDeadline(time.Now().Add(s.bounds.requests)) != nil {
			return
		}
		if request.ContentLength != 0 && request.Method != http.MethodPost {
			w.Header().Set("Connection", "close")
			http.Error(w, "a request with a body", http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, request)
	})
}

// hurry gives the client of a short answer a moment to take it.
func (s *Server) hurry(w http.ResponseWriter) error {
	return http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.bounds.requests))
}

func (s *Server) events(w http.ResponseWriter, request *http.Request) {
	queue := make(chan []byte, eventQueue)
	s.mu.Lock()
	if !s.closed {
		s.watchers[queue] = true
	} else {
		close(queue)
	}
	told := s.told
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.drop(queue)
	}()
	w.Header().Set("Content-Type", "application/jsonl")
	w.Header().Set(eventHeader, strconv.Itoa(told))
	control := http.NewResponseController(w)
	if control.Flush() != nil { // the watcher sees that it is subscribed
		return
	}
	for {
		select {
		case <-request.Context().Done():
			return
		case line, more := <-queue:
			// The end needs time too: it is what tells an ended search from a broken one.
			if control.SetWriteDeadline(time.Now().Add(eventPatience)) != nil || !more {
				return
			}
			if _, err := w.Write(line); err != nil || control.Flush() != nil {
				return
			}
		}
	}
}

// copy sends a copy that is first made, on disk or in memory: the transaction then lasts as long as the disk takes
// and not as long as the client likes, for the writer may have to wait for it.
func (s *Server) copy(w http.ResponseWriter, request *http.Request) {
	select {
	case s.copies <- struct{}{}:
		defer func() { <-s.copies }()
	case <-request.Context().Done():
		return
	}
	f, err := spill(filepath.Dir(s.run.path), scratches, func(f *os.File) error {
		return guard(func() error {
			tx, told, err := s.snapshot()
			if err != nil {
				return err
			}
			defer tx.Rollback()
			w.Header().Set(eventHeader, strconv.Itoa(told))
			_, err = tx.WriteTo(f)
			return err
		})
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer f.drop()
	size, err := f.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err == nil {
		err = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(copyPatience))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	io.Copy(w, f) // the client sees what is missing by the length
}

// snapshot begins a transaction between two events. What was told before is stored in it. Of what is
// told later it can hold the first record alone, for one is stored at a time and then told.
func (s *Server) snapshot() (tx *bolt.Tx, told int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tx, err = s.run.db.Begin(false)
	return tx, s.told, err
}

// copyTo writes a consistent copy of the run.
func (r *Run) copyTo(w io.Writer) error {
	return guard(func() error {
		return r.db.View(func(tx *bolt.Tx) error {
			_, err := tx.WriteTo(w)
			return err
		})
	})
}

// command hands a command to the search.
func (s *Server) command(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxCommand))
	if err == nil { // the search may take its time
		err = http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	if err == nil && s.steer == nil {
		err = errors.New("this search takes no commands")
	}
	if err == nil {
		err = s.steer(request.Context(), body)
	}
	if s.hurry(w) == nil && err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

func (s *Server) status(w http.ResponseWriter, request *http.Request) {
	meta := s.run.Meta()
	status := Status{PID: os.Getpid(), Started: s.started, Version: meta.Version, Problem: meta.Problem, Len: s.run.Len(),
		Counts: s.run.Counts()}
	if id, ok := s.run.Champion(); ok {
		status.Champion = &id
		if c, err := s.run.Get(id); err == nil {
			status.Score = c.Score
		}
		if p, err := s.run.Pace(); err == nil {
			status.Speedup, status.Estimate = p.Speedup(status.Score), p.Estimate
		}
	}
	if s.hurry(w) != nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(status) // an error means that the client has left
}
