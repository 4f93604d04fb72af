package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"darwarp/eval/replay"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// slow is a recording that takes its time, as a GPU does.
type slow struct {
	*replay.Evaluator
	asked chan struct{} // hears of every evaluation
	done  chan struct{} // closed: answers at once
}

func (s slow) Simulated() bool { return false }
func (s slow) InOrder() bool   { return false }

func (s slow) Evaluate(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	s.asked <- struct{}{}
	select {
	case <-s.done:
	case <-time.After(5 * time.Millisecond):
	}
	return s.Evaluator.Evaluate(ctx, job)
}

// syncBuffer is a buffer that may be read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// TestInterrupt drives a live search, watches it through its socket, and ends it with a signal.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TESTDATA", "testdata")
	space, path := filepath.Join(dir, "axpy.json.gz"), filepath.Join(dir, "r.db")
	if err := makeSpace(space); err != nil {
		t.Fatal(err)
	}
	errs := &syncBuffer{}
	a := &app{out: &bytes.Buffer{}, err: errs}
	f := searchFlags{budget: store.Budget{Evals: 30}, strategy: "random", seed: 1, store: path, target: target{problem: space, device: "auto"}}
	s, run, err := a.begin(t.Context(), &f)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	ev := slow{s.Evaluator.(*replay.Evaluator), make(chan struct{}), make(chan struct{})}
	s.Evaluator = ev

	stop := onInterrupt(t.Context())
	defer stop.release()
	watched := make(chan error, 1)
	seen := &syncBuffer{}
	go func() {
		for i := 0; ; i++ {
			<-ev.asked
			switch i {
			case 1: // the socket is there
				w := &app{out: seen, err: &syncBuffer{}}
				go func() { watched <- w.watch(t.Context(), true, path) }()
			case 8:
				if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	sum, err := a.drive(stop, f, s, run)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Reason != evolve.ReasonInterrupted || sum.Evals < 2 || sum.Evals >= 30 {
		t.Errorf("ended with %+v, expected to be interrupted early", sum)
	}
	if n := run.Len(); n != sum.Evals {
		t.Errorf("%d candidates are stored of %d", n, sum.Evals)
	}
	if err := <-watched; err != nil {
		t.Errorf("watch: %v", err)
	}
	if got := seen.String(); !strings.Contains(got, `"kind":"result"`) || !strings.Contains(got, `"kind":"end"`) {
		t.Errorf("watch saw:\n%s", got)
	}
	if got := errs.String(); !strings.Contains(got, "stopping: interrupted") {
		t.Errorf("stderr:\n%s", got)
	}
}

func TestSecondInterrupt(t *testing.T) {
	stop := onInterrupt(t.Context())
	defer stop.release()
	for _, ctx := range []context.Context{stop.soft, stop.hard} {
		if ctx.Err() != nil {
			t.Fatal("ended before a signal")
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
	}
}

// TestStartFrom: a run goes on from the family that it began with, wherever that would stand today.
func TestStartFrom(t *testing.T) {
	t.Setenv("TESTDATA", "testdata")
	path := filepath.Join(t.TempDir(), "r.db")
	if err := makeRun(path, false); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := &session{}
	for _, name := range []string{"first", "second", "strided", "last"} {
		s.spaces = append(s.spaces, &kernels.Space{Family: &kernels.Family{Name: name}})
	}
	for range 2 { // the second time it is there
		if err := s.startFrom(r); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range s.spaces {
			got = append(got, x.Family.Name)
		}
		if want := "strided first second last"; strings.Join(got, " ") != want {
			t.Errorf("the families are %v, want %s", got, want)
		}
	}
}

// TestMeasureAgain follows what is stored of the measurement at the end, with a made-up device.
func TestMeasureAgain(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TESTDATA", "testdata")
	path := filepath.Join(dir, "r.db")
	if err := makeRun(path, false); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rec, err := recordOf(r)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{Evaluator: nil, bundle: rec.bundle, dtype: kernels.FP32, workloads: r.Meta().Workloads, cache: "hot"}
	space, err := kernels.NewSpace(rec.bundle.Families[0], r.Meta().Device, kernels.FP32, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.spaces = []*kernels.Space{space}
	fin := fakeFinisher{device: r.Meta().Device}
	s.Evaluator = fin
	champion, _ := r.Champion()
	a := &app{out: &bytes.Buffer{}, err: &bytes.Buffer{}}
	if err := a.measureAgain(t.Context(), fin, s, r, champion); err != nil {
		t.Fatal(err)
	}
	c, err := rec.pick("")
	if err != nil {
		t.Fatal(err)
	}
	figures, err := rec.figures(c)
	if err != nil {
		t.Fatal(err)
	}
	table, err := figures.table()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	table.Write(&out)
	for _, want := range []string{
		"vs default  vs cublaslt",
		"small     hot    1.000 us [0.990, 1.010]  49.15 GB/s",
		"small     cold   2.000 us [1.980, 2.020]",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "0.80x"); n < 4 {
		t.Errorf("%d duels with cublaslt shown, expected 4:\n%s", n, out.String())
	}
	if err := a.required(0.9, rec, evolve.Summary{Champion: champion, Speedup: 1.79}); !isExit(err, exitNotBeaten) {
		t.Errorf("--require 0.9 against a baseline that is faster: %v", err)
	}
	if err := a.required(0.8, rec, evolve.Summary{Champion: champion, Speedup: 1.79}); err != nil {
		t.Errorf("--require 0.8: %v", err)
	}
}

func isExit(err error, code int) bool {
	e, ok := err.(*exitError)
	return ok && e.code == code
}

// fakeFinisher measures made-up figures: cuBLASLt is a quarter faster than any candidate.
type fakeFinisher struct {
	evolve.Evaluator
	device kernels.Device
}

func (f fakeFinisher) Device() kernels.Device { return f.device }
func (f fakeFinisher) Provenance() kernels.Provenance {
	return kernels.Provenance{Device: f.device, Protocol: "test", CacheMode: "hot"}
}

func (f fakeFinisher) times(ns float64) (out []kernels.Timing) {
	for _, w := range []string{"small", "large"} {
		for i, cache := range []string{"hot", "cold"} {
			m := ns * float64(i+1)
			out = append(out, kernels.Timing{Workload: w, Median: m, Lo: 0.99 * m, Hi: 1.01 * m, Cache: cache, Tier: "final"})
		}
	}
	return out
}

func (f fakeFinisher) Final(_ context.Context, job *kernels.Job) (kernels.Result, error) {
	return kernels.Result{Outcome: kernels.OK, Times: f.times(1000), Proof: f.Provenance().Key()}, nil
}
func (f fakeFinisher) Baselines(context.Context) ([]string, map[string]string, error) {
	return []string{"cublaslt"}, nil, nil
}
func (f fakeFinisher) BaselineTimes(_ context.Context, name string) (kernels.BaselineResult, error) {
	return kernels.BaselineResult{Name: name, Kind: kernels.BaselineName, Times: f.times(800), Proof: f.Provenance().Key()}, nil
}
func (f fakeFinisher) About(name, workload string) string { return "algorithm 1" }

func (f fakeFinisher) Compare(_ context.Context, name string, job *kernels.Job, cache string) (kernels.Duel, error) {
	d := kernels.Duel{Champion: name, ChampionKind: kernels.BaselineName, Challenger: job.ID.Short(), Ratio: 1.25, Proof: f.Provenance().Key()}
	for _, w := range []string{"small", "large"} {
		d.Rounds = append(d.Rounds, kernels.DuelRound{Workload: w, Cache: cache, Ratio: 1.25})
	}
	return d, nil
}

func (f fakeFinisher) Versus(ctx context.Context, a, b *kernels.Job, cache string) (kernels.Duel, error) {
	d, err := f.Compare(ctx, a.ID.Short(), b, cache)
	d.ChampionKind = kernels.CandidateName
	return d, err
}
