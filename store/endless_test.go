package store

import (
	"bytes"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestEndless: what a process that says it is a search sends without end is read up to a bound.
func TestEndless(t *testing.T) {
	defer func(growth, queue int64) { copyGrowth, joinBytes = growth, queue }(copyGrowth, joinBytes)
	copyGrowth, joinBytes = 1<<20, 1<<20
	r := newRun(t)
	listener := must(net.Listen("unix", must(SocketPath(r.path))(t)))(t)
	var sent atomic.Int64
	endless := func(chunk string) http.HandlerFunc {
		block := bytes.Repeat([]byte(chunk), 1<<16/len(chunk))
		return func(w http.ResponseWriter, _ *http.Request) {
			for sent.Add(int64(len(block))) < 1<<30 {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}
	}
	flood := endless(strings.Repeat("x", 1<<13-1) + "\n")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", endless(" "))
	mux.HandleFunc("GET /copy", endless("x"))
	events := endless("x")
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, request *http.Request) { events(w, request) })
	server := &http.Server{Handler: mux}
	go server.Serve(listener)
	defer server.Close()

	_, err := AskStatus(t.Context(), r.path)
	bounded(t, "status", err, "EOF", &sent)
	bounded(t, "watch", Watch(t.Context(), r.path, func([]byte) error { return nil }), "an event of more than", &sent)
	bounded(t, "copy", second(View(r.path)), "far larger than the run", &sent)
	events = flood
	f, _, err := subscribe(t.Context(), r.path)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-f.gone:
	case <-time.After(time.Minute):
		t.Error("events come in without end")
	}
	bounded(t, "join", f.Follow(func([]byte) error { return nil }), "bytes of events at once", &sent)
	f.Close()
}

// bounded wants an error, and that far less than a gigabyte was taken.
func bounded(t *testing.T, what string, err error, want string, sent *atomic.Int64) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
	if n := sent.Swap(0); n > 1<<28 {
		t.Errorf("%s: %d bytes were taken", what, n)
	}
}

// TestForgedStatus: how a process that says it is a search says it is can be shown and computed with.
func TestForgedStatus(t *testing.T) {
	r := newRun(t)
	listener := must(net.Listen("unix", must(SocketPath(r.path))(t)))(t)
	var text string
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(text))
	})}
	go server.Serve(listener)
	defer server.Close()
	for reply, want := range map[string]string{
		`{"pid":-1}`:                            "pid: -1",
		`{"len":-5}`:                            "len: -5",
		`{"counts":{"ok":-1}}`:                  "counts: -1",
		`{"counts":{"ok":9000000000000000000}}`: "counts: 9000000000000000000",
		`{"counts":{"evil":1}}`:                 "evil",
		`{"score":-1}`:                          "score",
		`{"speedup":1e300}`:                     "speedup: 1e+300",
		`{"champion":"x"}`:                      "candidate id",
		`{`:                                     "EOF",
	} {
		text = reply
		if s, err := AskStatus(t.Context(), r.path); err == nil || !strings.Contains(err.Error(), want) || s.PID != 0 {
			t.Errorf("%s: %+v, %v", reply, s, err)
		}
	}
	text = `{"pid":7,"problem":"\u001b]0;x\u0007"}`
	if s, err := AskStatus(t.Context(), r.path); err != nil || s.PID != 7 || strings.ContainsAny(s.Problem, "\x1b\a") {
		t.Errorf("%+v, %v", s, err)
	}
}
