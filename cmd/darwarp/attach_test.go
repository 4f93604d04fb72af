package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"darwarp/cmd/darwarp/internal/attach"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/search"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval/replay"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// slowly is a wide recording that takes a millisecond for each answer, as they come, and after many of them waits until
// it may go on: however long its viewers take, the search is there.
type slowly struct {
	*replay.Evaluator
	asked *atomic.Int64
	goOn  chan struct{}
}

func (slowly) InOrder() bool { return false }
func (slowly) Slots() int    { return 3 }

func (s slowly) Capabilities() kernels.Capabilities { return kernels.Capabilities{Weigh: s.Weigh} }

func (s slowly) Evaluate(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	time.Sleep(time.Millisecond)
	if s.asked.Add(1) > 3000 {
		select {
		case <-s.goOn:
		case <-ctx.Done():
		}
	}
	return s.Evaluator.Evaluate(ctx, job)
}

// live drives a search on slowly until it is told to stop.
func live(t *testing.T) (path string, ended func() evolve.Summary) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TESTDATA", "testdata")
	t.Setenv("XDG_STATE_HOME", dir)
	space := filepath.Join(dir, "wide.json.gz")
	path = filepath.Join(dir, "r.db")
	if err := makeSpaceOf(space, wideBundle, madeUpWide); err != nil {
		t.Fatal(err)
	}
	a := newApp(&console.Console{Out: &bytes.Buffer{}, Err: &syncBuffer{}})
	o := search.Options{Budget: store.Budget{Evals: 6000}, Strategy: "evolve", Seed: 1, Store: path,
		Target: session.Target{Problem: space, Device: "auto"}}
	s, err := search.Open(t.Context(), o, a.Sayf)
	if err != nil {
		t.Fatal(err)
	}
	goOn := make(chan struct{})
	s.Session.Evaluator = slowly{s.Session.Evaluator.(*replay.Evaluator), new(atomic.Int64), goOn}
	begun := make(chan struct{})
	var once sync.Once
	s.Listen(func(e evolve.Event) {
		if e.Evals > 5 {
			once.Do(func() { close(begun) })
		}
	})
	stop := console.OnInterrupt(t.Context())
	var sum evolve.Summary
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer stop.Release()
		if sum, err = s.Drive(stop, a.showSearch(s, searchFlags{}, stop.Press, nil)); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	<-begun
	return path, func() evolve.Summary {
		close(goOn)
		<-gone
		return sum
	}
}

// seen is what a viewer has of a run.
type seen struct {
	candidates map[kernels.ID]bool
	kinds      map[evolve.Kind]int
	champion   kernels.ID
	end        *evolve.Summary
}

// look joins a run, says so, and follows it to its end.
func look(ctx context.Context, path string, joined func()) (v seen, err error) {
	l, err := attach.Join(ctx, path)
	joined()
	if err != nil {
		return v, err
	}
	defer l.Close()
	v = seen{candidates: map[kernels.ID]bool{}, kinds: map[evolve.Kind]int{}}
	if err := l.Run.Each(func(c kernels.Candidate) error { v.candidates[c.ID] = true; return nil }); err != nil {
		return v, err
	}
	v.champion, _ = l.Run.Champion()
	err = l.Follow(func(e evolve.Event) error {
		v.kinds[e.Kind]++
		switch e.Kind {
		case evolve.KindResult:
			if v.candidates[e.ID] {
				return fmt.Errorf("candidate %s was reported twice", e.ID.Short())
			}
			v.candidates[e.ID] = true
		case evolve.KindChampion:
			v.champion = e.ID
		case evolve.KindEnd:
			v.end = e.Summary
		}
		return nil
	})
	return v, err
}

func steer(t *testing.T, path string, c evolve.Command) {
	t.Helper()
	if err := attach.Steer(t.Context(), path, c); err != nil {
		t.Errorf("%s: %v", c.Do, err)
	}
}

// TestViewers attaches views of all sorts to a live search: two that stay, one that is killed, one that
// never reads. Those that stay must see every candidate once, and the search must not notice the others.
func TestViewers(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	path, ended := live(t)
	defer deafViewer(t, path).Close()
	killed, kill := context.WithCancel(t.Context())
	views := make([]seen, 2)
	var joining, staying, leaving sync.WaitGroup
	joining.Add(3)
	for i := range views {
		staying.Go(func() {
			var err error
			if views[i], err = look(t.Context(), path, joining.Done); err != nil {
				t.Error(err)
			}
		})
	}
	leaving.Go(func() {
		if _, err := look(killed, path, joining.Done); !errors.Is(err, context.Canceled) {
			t.Errorf("a view that is killed: %v", err)
		}
	})
	joining.Wait()
	kill()
	leaving.Wait()

	steerAround(t, path)
	late := lateViewer(t, path)
	steer(t, path, evolve.Command{Do: "stop"})
	sum := ended()
	staying.Wait()
	if sum.Reason != evolve.ReasonStopped {
		t.Errorf("%+v", sum)
	}
	for i, v := range append(views, <-late) {
		v.check(t, i, sum)
	}
	if _, err := attach.Join(t.Context(), path); !errors.Is(err, store.ErrNotServed) {
		t.Errorf("a run at rest: %v", err)
	}
	checkStored(t, path, sum)
}

// checkStored holds what a run has against how its search ended.
func checkStored(t *testing.T, path string, sum evolve.Summary) {
	t.Helper()
	r, err := store.View(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Verify(); err != nil || r.Len() != sum.Evals || r.Meta().Workloads[0].Weight != 20 {
		t.Errorf("%d candidates, workloads %+v, %v", r.Len(), r.Meta().Workloads, err)
	}
}

// lateViewer joins a run, and returns once it has.
func lateViewer(t *testing.T, path string) <-chan seen {
	t.Helper()
	late, joined := make(chan seen, 1), make(chan struct{})
	go func() {
		v, err := look(t.Context(), path, func() { close(joined) })
		if err != nil {
			t.Error(err)
		}
		late <- v
	}()
	<-joined
	return late
}

// deafViewer asks for the events of a run and never reads them.
func deafViewer(t *testing.T, path string) net.Conn {
	t.Helper()
	socket, err := store.SocketPath(path)
	if err != nil {
		t.Fatal(err)
	}
	deaf, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(deaf, "GET /events HTTP/1.1\r\nHost: darwarp\r\n\r\n")
	return deaf
}

// steerAround has a search do what leaves events, and refuse what it cannot do.
func steerAround(t *testing.T, path string) {
	t.Helper()
	steer(t, path, evolve.Command{Do: "pause"})
	steer(t, path, evolve.Command{Do: "resume"})
	steer(t, path, evolve.Command{Do: "weigh", Weights: map[string]float64{"small": 20}})
	unknown := evolve.Command{Do: "weigh", Weights: map[string]float64{"huge": 1}}
	err := attach.Steer(t.Context(), path, unknown)
	if err == nil || !strings.Contains(err.Error(), `unknown workload "huge"`) {
		t.Errorf("a command that is refused: %v", err)
	}
}

// check holds what view i has seen against how the search ended. The third joined after the commands.
func (v seen) check(t *testing.T, i int, sum evolve.Summary) {
	t.Helper()
	if len(v.candidates) != sum.Evals || v.champion != sum.Champion || v.end == nil || v.end.Evals != sum.Evals {
		t.Errorf("view %d has %d candidates, champion %s, end %+v; the search %d, %s", i, len(v.candidates),
			v.champion.Short(), v.end, sum.Evals, sum.Champion.Short())
	}
	for _, kind := range []evolve.Kind{evolve.KindPaused, evolve.KindResumed, evolve.KindSteer} {
		if i < 2 && v.kinds[kind] != 1 {
			t.Errorf("view %d saw %v", i, v.kinds)
		}
	}
}
