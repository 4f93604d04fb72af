package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"darwarp/kernels"
)

// told is what the test's events tell of.
type told struct{ Seq int }

// TestJoin joins a run again and again while it is written: a copy with the events after it must give
// every candidate once.
func TestJoin(t *testing.T) {
	r := newRun(t)
	s := serve(t, r)
	const total = 400
	var wg sync.WaitGroup
	start := make(chan struct{})
	for range 6 {
		wg.Go(func() {
			<-start
			for range 3 {
				if err := joinOnce(t.Context(), r.path, total); err != nil {
					t.Error(err)
				}
			}
		})
	}
	fill(t, r, 0, 3)
	close(start)
	for i := 3; i < total; i++ {
		c := candidate(i)
		if err := r.Put(c, nil); err != nil {
			t.Fatal(err)
		}
		s.Publish(must(json.Marshal(told{c.Seq}))(t))
	}
	s.Publish([]byte(`{"Seq":-1}`)) // the end
	wg.Wait()
}

func joinOnce(ctx context.Context, path string, total int) error {
	copied, feed, err := Join(ctx, path)
	if err != nil {
		return err
	}
	defer copied.Close()
	defer feed.Close()
	have, first := copied.Len(), true
	if have == total { // came too late
		return nil
	}
	done := errors.New("done")
	err = feed.Follow(func(event []byte) error {
		var e told
		if err := json.Unmarshal(event, &e); err != nil {
			return err
		}
		switch {
		case e.Seq == -1:
			return done
		case e.Seq == have && first: // the one that may be told of twice
		case e.Seq == have+1:
			have++
		default:
			return fmt.Errorf("candidate %d after %d", e.Seq, have)
		}
		first = false
		return nil
	})
	if !errors.Is(err, done) || have != total {
		return fmt.Errorf("joined at %d: %d of %d candidates, %w", copied.Len(), have, total, err)
	}
	return nil
}

func TestJoinEnds(t *testing.T) {
	r := newRun(t)
	if _, _, err := Join(t.Context(), r.path); !errors.Is(err, ErrNotServed) {
		t.Errorf("nobody serves: %v", err)
	}
	s := serve(t, r)
	fill(t, r, 0, 2)
	copied, feed, err := Join(t.Context(), r.path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "candidates", copied.Len(), 2)
	same(t, "path", copied.Path(), r.path)
	copied.Close()
	s.Publish([]byte(`{}`))
	n := 0
	s.Close()
	if err := feed.Follow(func([]byte) error { n++; return nil }); err != nil || n != 1 {
		t.Errorf("%d events, %v", n, err)
	}
	feed.Close()

	serve(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	copied, feed, err = Join(ctx, r.path)
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	defer feed.Close()
	cancel()
	if err := feed.Follow(func([]byte) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("its context has ended: %v", err)
	}
}

func TestTell(t *testing.T) {
	r := newRun(t)
	socket := must(SocketPath(r.path))(t)
	if err := Tell(t.Context(), r.path, []byte(`{}`)); !errors.Is(err, ErrNotServed) {
		t.Errorf("nobody serves: %v", err)
	}
	var heard []string
	s := must(Serve(t.Context(), r, socket, func(_ context.Context, command []byte) error {
		if heard = append(heard, string(command)); strings.Contains(string(command), "dance") {
			return errors.New("cannot dance")
		}
		return nil
	}))(t)
	if err := Tell(t.Context(), r.path, []byte(`{"do":"pause"}`)); err != nil {
		t.Error(err)
	}
	if err := Tell(t.Context(), r.path, []byte(`{"do":"dance"}`)); err == nil || err.Error() != "cannot dance" {
		t.Errorf("a command that is refused: %v", err)
	}
	same(t, "commands", heard, []string{`{"do":"pause"}`, `{"do":"dance"}`})
	if err := Tell(t.Context(), r.path, make([]byte, maxCommand+1)); err == nil || len(heard) != 2 {
		t.Errorf("a command that is too long: %v", err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}}
	reply, err := client.Get("http://darwarp/steer")
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
	same(t, "GET /steer", reply.StatusCode, http.StatusMethodNotAllowed)
	s.Close()
	serve(t, r)
	if err := Tell(t.Context(), r.path, []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "takes no commands") {
		t.Errorf("a server without a search: %v", err)
	}
}

// TestSocketIsPrivate looks at the mode that the socket is born with: chmod alone would leave a moment
// in which others can connect.
func TestSocketIsPrivate(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	r := newRun(t)
	serve(t, r)
	info := must(os.Lstat(must(SocketPath(r.path))(t)))(t)
	same(t, "mode", info.Mode().Perm(), os.FileMode(0o600))
}

func TestWeighIsOneTransaction(t *testing.T) {
	r := newRun(t)
	fill(t, r, 0, 30)
	before := must(r.Top(100))(t)
	workloads := testMeta().Workloads
	workloads[0].Weight = 7
	err := r.Weigh(workloads, func(c *kernels.Candidate) float64 { return 1 / c.Score }, []byte("after"))
	if err != nil {
		t.Fatal(err)
	}
	check := func(r *Run) {
		t.Helper()
		after := must(r.Top(100))(t)
		same(t, "number", len(after), len(before))
		for i, c := range after {
			was := before[len(before)-1-i]
			if c.Score != 1/was.Score {
				t.Fatalf("rank %d has score %g, expected %g", i+1, c.Score, 1/was.Score)
			}
		}
		same(t, "weight", r.Meta().Workloads[0].Weight, 7.0)
		same(t, "checkpoint", string(must(r.Checkpoint())(t)), "after")
		if err := r.Verify(); err != nil {
			t.Error(err)
		}
	}
	check(r)
	if err := r.Weigh(workloads, func(*kernels.Candidate) float64 { return -1 }, nil); err == nil {
		t.Error("a negative score was stored")
	}
	check(r)
	r.Close()
	again := must(Open(r.path))(t)
	defer again.Close()
	check(again)
}
