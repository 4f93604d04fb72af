package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	lists "darwarp/cmd/darwarp/internal/listing"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// fakeIsland is a device whose kernels of axpy are the faster the nearer they are to one point.
type fakeIsland struct {
	device  kernels.Device
	threads int
	hold    <-chan struct{} // closed: more than the naive start is judged

	mu     sync.Mutex
	judged int
}

func newFakeIsland(t *testing.T, name string, threads int) *fakeIsland {
	t.Helper()
	d, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	d.Name, d.Toolchain, d.MemoryBytes = name, "NVRTC 13.0", 80<<30
	return &fakeIsland{device: d, threads: threads}
}

func (s *fakeIsland) Device() kernels.Device { return s.device }
func (s *fakeIsland) Slots() int             { return 1 }
func (s *fakeIsland) InOrder() bool          { return false }
func (s *fakeIsland) Kind() string           { return "abcdef0123" }
func (s *fakeIsland) Manned() bool           { return true }
func (s *fakeIsland) Close() error           { return nil }
func (s *fakeIsland) Provenance() kernels.Provenance {
	return kernels.Provenance{Device: s.device, Version: "v1"}
}
func (s *fakeIsland) Capabilities() kernels.Capabilities {
	return kernels.Capabilities{Machine: func(context.Context) kernels.Machine { return kernels.Machine{} }}
}

func gene(v kernels.Variant, name string) int {
	n, _ := v.Genes[name].Any().(int)
	return n
}

func (s *fakeIsland) ns(j *kernels.Job) float64 {
	ns := 1000.0
	for at := gene(j.Variant, "threads"); at != s.threads; ns += 300 {
		if at < s.threads {
			at *= 2
		} else {
			at /= 2
		}
	}
	return ns + float64(gene(j.Variant, "per_thread"))
}

func (s *fakeIsland) Evaluate(ctx context.Context, j *kernels.Job) (r kernels.Result, err error) {
	s.mu.Lock()
	s.judged++
	first := s.judged == 1
	s.mu.Unlock()
	if s.hold != nil && !first {
		select {
		case <-s.hold:
		case <-ctx.Done():
			return kernels.Result{Outcome: kernels.Lost}, ctx.Err()
		}
	}
	ns := s.ns(j)
	return kernels.Result{Outcome: kernels.OK, Code: j.ID.Short(), Times: []kernels.Timing{{Workload: "small", Median: ns,
		Lo: ns * 0.999, Hi: ns * 1.001, Samples: 9, Cache: "hot", Tier: "fitness"}}}, nil
}

func (s *fakeIsland) Duel(_ context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	a, b := s.ns(champion), s.ns(challenger)
	d := kernels.Duel{Ratio: b / a, Lo: b / a, Hi: b / a, Verdict: kernels.Slower,
		Rounds: []kernels.DuelRound{{Workload: "small", Cache: "hot", Pairs: 9, Champion: a, Challenger: b, Ratio: b / a,
			Lo: b / a, Hi: b / a}}}
	if b < a {
		d.Verdict = kernels.Faster
	}
	return d, nil
}

// firstOn opens the first search of a fleet on a device.
func firstOn(t *testing.T, d *fakeIsland, o Options, said *string) *Search {
	t.Helper()
	o.Target = session.Target{Problem: "../../testdata/axpy", Device: "auto", Workloads: []string{"small"},
		Elsewhere: func(context.Context, *session.Session, string) (session.Opened, error) { return d, nil }}
	if o.Resume != "" { // a run says what it is about
		o.Problem = ""
	}
	o.Strategy, o.NoBaseline = evolve.DefaultStrategy, true
	var mu sync.Mutex
	s, err := Open(t.Context(), o, func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		if said != nil {
			*said += fmt.Sprintf(format, args...) + "\n"
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	s.islands = newIslands(s)
	return s
}

// champions are the threads of each run's champion, by device, and where the champion's hints went.
func champions(t *testing.T, path string) (threads map[string]int, hinted []string) {
	t.Helper()
	r, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	threads = map[string]int{}
	if err := r.WithIslands(func(runs []*record.Record) error {
		for _, r := range runs {
			id, _ := r.Champion()
			c, err := r.Get(id)
			if err != nil {
				return err
			}
			threads[r.Meta().Device.Name] = gene(c.Variant, "threads")
			_ = r.Each(func(c kernels.Candidate) error {
				if strings.HasPrefix(c.Origin.Note, "the champion on") {
					hinted = append(hinted, r.Meta().Device.Name+" of "+c.Origin.Note)
				}
				return nil
			})
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return threads, hinted
}

// TestIslands: on two devices whose optima are apart each search finds its own, and judges the other's champion as a
// hint: the second is held until the first has crowned somebody. The search goes on with the runs that are there.
func TestIslands(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	crowned := make(chan struct{})
	a, b := newFakeIsland(t, "GPU A", 512), newFakeIsland(t, "GPU B", 32)
	b.hold = crowned
	path := filepath.Join(t.TempDir(), "night.db")
	said := ""
	s := firstOn(t, a, Options{Store: path, Seed: 3, Budget: store.Budget{Evals: 25, For: time.Minute}}, &said)
	go func() {
		for !steered(s.islands) && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		close(crowned)
	}()
	execute(t, s, b)
	if _, hinted := champions(t, path); !strings.Contains(fmt.Sprint(hinted), "GPU B of the champion on GPU A") {
		t.Errorf("hints: %q", hinted)
	}
	if !strings.Contains(said, "\nGPU B: champion ") {
		t.Errorf("said:\n%s", said)
	}
	execute(t, firstOn(t, a, Options{Resume: path, Budget: store.Budget{Evals: 60, For: time.Minute}}, nil), b)
	if threads, _ := champions(t, path); fmt.Sprint(threads) != "map[GPU A:512 GPU B:32]" {
		t.Errorf("champions: %v", threads)
	}
	shown(t, path, filepath.Join(filepath.Dir(path), "night@gpu-b-abcdef.db"))
}

// TestIslandsTime: an island that begins late has the time that is left, and its own number of evaluations.
func TestIslandsTime(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	budget := store.Budget{For: time.Hour, Evals: 100}
	s := firstOn(t, newFakeIsland(t, "GPU A", 512), Options{Store: filepath.Join(t.TempDir(), "night.db"), Budget: budget},
		nil)
	defer s.Close()
	for at, want := range map[time.Duration]time.Duration{0: time.Hour, 45 * time.Minute: 15 * time.Minute,
		2 * time.Hour: time.Second} {
		s.islands.all = []*islandSearch{{Search: s, at: at}}
		b := newFakeIsland(t, "GPU B", 32)
		b.device.Name = at.String()
		i, err := s.islands.open(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if got := i.Options.Budget; got.For != want || got.Evals != 100 {
			t.Errorf("after %s: %+v", at, got)
		}
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestIslandLeft: what an earlier search has left under an island's name is neither gone on with nor changed.
func TestIslandLeft(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	first, b := filepath.Join(t.TempDir(), "night.db"), newFakeIsland(t, "GPU B", 32)
	s := firstOn(t, newFakeIsland(t, "GPU A", 512), Options{Store: first}, nil)
	defer s.Close()
	m := s.Run.Meta()
	path := record.IslandPath(first, "GPU B", b.Kind())
	for what, change := range map[string]func(*store.Meta){
		"older":            func(m *store.Meta) { m.Created = m.Created.Add(-time.Hour) },
		"no island":        func(m *store.Meta) { m.Island = "" },
		"another problem":  func(m *store.Meta) { m.Problem = "other" },
		"of another dtype": func(m *store.Meta) { m.DType = kernels.FP16 },
	} {
		left := m
		left.Island, left.Device = b.Kind(), b.device
		change(&left)
		run, err := store.Create(path, left)
		if err == nil {
			err = run.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.islands.open(t.Context(), b); err == nil || !strings.Contains(err.Error(), "of another search") {
			t.Errorf("%s: %v", what, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// shown checks what people see of two runs of a search: the champions of both, whichever is asked, and of no stranger.
func shown(t *testing.T, path, island string) {
	t.Helper()
	if all, err := filepath.Glob(filepath.Dir(path) + "/*"); len(all) != 2 {
		t.Error(all, err)
	}
	data, err := os.ReadFile(path) // a copy of the first is no island, whatever its name is
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"night@copy.db", "night@gpu-b-000000.db", "nights.db"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, of := range []string{path, island} {
		r, err := record.Open(of)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := (lists.Lister{Console: &console.Console{Out: &out}}).ShowIslands(r); err != nil {
			t.Error(err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		text := out.String()
		if strings.Count(text, "GPU A") != 1 || strings.Count(text, "GPU B") != 1 || strings.Count(text, ".db") != 2 {
			t.Errorf("%s:\n%s", of, text)
		}
		if record.First(of) != path {
			t.Errorf("the first of %s: %s", of, record.First(of))
		}
	}
}

// steered reports whether the second search has taken a hint.
func steered(a *islands) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.all) < 2 {
		return false
	}
	state, err := a.all[1].Run.Checkpoint()
	if err != nil {
		return false
	}
	st, err := evolve.ReadSteering(state)
	return err == nil && len(st.Log) > 0
}

// execute searches with an island.
func execute(t *testing.T, s *Search, island *fakeIsland) {
	t.Helper()
	s.islands.found <- island
	_, _, err := s.Execute(&console.Interrupts{Soft: t.Context(), Hard: t.Context()}, s.tell)
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	if len(s.islands.all) != 2 {
		t.Errorf("%d searches", len(s.islands.all))
	}
}
