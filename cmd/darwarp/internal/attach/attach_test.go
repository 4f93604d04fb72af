package attach

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// forge serves a run's copy and then what it likes, as any process of this user can.
func forge(t *testing.T, events string) (path string) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "x.run")
	r, err := store.Create(path, store.Meta{Problem: "gemm", DType: kernels.FP32, Created: time.Now().UTC(),
		Workloads: []kernels.Workload{{Name: "m=1", Dims: kernels.Dims{"m": 1}, Weight: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	socket, err := store.SocketPath(path)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /copy", func(w http.ResponseWriter, req *http.Request) { http.ServeFile(w, req, path) })
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(events)) })
	server := &http.Server{Handler: mux}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return path
}

// TestFollowHostile: what a forged search tells ends the view with one line, and never by a panic.
func TestFollowHostile(t *testing.T) {
	for name, line := range map[string]string{
		"candidate: expected one": `{"kind":"result"}`,
		"trial: expected one":     `{"kind":"trial"}`,
		"duel: expected one":      `{"kind":"duel"}`,
		"start: expected one":     `{"kind":"start"}`,
		"speedup: 1e+300":         `{"kind":"lost","speedup":1e300}`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			live, err := Join(ctx, forge(t, line+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			defer live.Close()
			err = live.Follow(func(e evolve.Event) error { t.Errorf("told: %+v", e); return nil })
			if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "\n") {
				t.Error(err)
			}
		})
	}
}

// TestKnown: of several candidates that were stored at once each is known, also after an event of no record; what comes
// after the first news is news.
func TestKnown(t *testing.T) {
	r, err := store.Create(filepath.Join(t.TempDir(), "x.db"), store.Meta{Problem: "gemm", DType: kernels.FP32,
		Created: time.Now().UTC(), Workloads: []kernels.Workload{{Name: "m=1", Dims: kernels.Dims{"m": 1}, Weight: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all []*kernels.Candidate
	for i := range 3 {
		all = append(all, &kernels.Candidate{ID: kernels.ID{byte(i + 1)}, At: time.Now().UTC(),
			Variant: kernels.Variant{Family: "f"}, Result: kernels.Result{Outcome: kernels.Wrong}})
	}
	if err := r.PutAll(all, nil); err != nil {
		t.Fatal(err)
	}
	result := func(seq int) evolve.Event {
		return evolve.Event{Kind: evolve.KindResult, Candidate: &kernels.Candidate{Seq: seq}}
	}
	duel := evolve.Event{Kind: evolve.KindDuel, Duel: &kernels.Duel{}}
	l := &Live{Run: r}
	for i, c := range []struct {
		event evolve.Event
		known bool
	}{{result(2), true}, {evolve.Event{Kind: evolve.KindLost}, false}, {result(3), true}, {result(4), false},
		{duel, false}, {result(5), false}} {
		if known, err := l.knows(c.event); known != c.known || err != nil {
			t.Errorf("event %d, %s: known %v, %v", i, c.event.Kind, known, err)
		}
	}
}
