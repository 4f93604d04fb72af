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
