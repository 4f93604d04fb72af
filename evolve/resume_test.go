package evolve

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/store"
)

// TestResumeAtEveryCut stops a run after every result, by the context and as a kill would, and goes on
// from what is stored: the candidates must be those of a run that was not stopped.
func TestResumeAtEveryCut(t *testing.T) {
	for _, tt := range []struct {
		name     string
		strategy string
		slots    int
		families []string
		evals    int
		step     int // from cut to cut
	}{
		{"one slot", "evolve", 1, []string{"hills"}, 60, 1},
		{"four slots, two families", "default", 4, []string{"hills", "plain"}, 45, 4},
		{"22 slots", "default", 22, []string{"hills"}, 70, 9},
		{"random", "random", 3, []string{"plain", "hills"}, 40, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := toyConfig(t, tt.families...)
			cfg.Strategy, cfg.Budget.Evals = tt.strategy, tt.evals
			whole := &memory{}
			want := mustRun(t, cfg, clocked{failing(tt.slots)}, whole)
			for cut := 1; cut < tt.evals; cut += tt.step {
				for _, kill := range []bool{false, true} {
					m := stopped(t, cfg, tt.slots, cut, kill)
					got := mustRun(t, cfg, clocked{failing(tt.slots)}, m)
					if a, b := m.story(), whole.story(); !slices.Equal(a, b) {
						t.Fatalf("cut after %d, kill %v: the story differs:\n%s\n-- instead of --\n%s", cut, kill, strings.Join(a, "\n"),
							strings.Join(b, "\n"))
					}
					if got.Champion != want.Champion || got.Elapsed != want.Elapsed || got.Duels != want.Duels {
						t.Fatalf("cut after %d, kill %v: %+v, want %+v", cut, kill, got, want)
					}
					if !slices.Equal(m.champions, whole.champions) || len(m.duels) != len(whole.duels) {
						t.Fatalf("cut after %d, kill %v: %d champions and %d duels, want %d and %d", cut, kill, len(m.champions),
							len(m.duels), len(whole.champions), len(whole.duels))
					}
				}
			}
		})
	}
}

// failing is a fake some of whose candidates fail.
func failing(slots int) *fake {
	ev := newFake(slots, true)
	ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		if job.Variant.Genes["c"] == kernels.String("y") && job.Variant.Genes["e"] == kernels.Bool(true) {
			return kernels.Result{Outcome: kernels.TimedOut, Cost: kernels.Cost{Time: 2}}, nil
		}
		return works(job), nil
	}
	return ev
}

// stopped runs until so many results are stored. A kill keeps only what was stored at that moment.
func stopped(t *testing.T, cfg Config, slots, cut int, kill bool) *memory {
	t.Helper()
	return stoppedOn(t, cfg, clocked{failing(slots)}, cut, kill)
}

func stoppedOn(t *testing.T, cfg Config, ev Evaluator, cut int, kill bool) *memory {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	m := &memory{}
	var killed *memory
	s := mustSearch(t, cfg, ev, m)
	n := 0
	_, err := s.Run(ctx, func(e Event) {
		if e.Kind != KindResult {
			return
		}
		if n++; n == cut {
			killed = m.clone()
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if kill {
		return killed
	}
	return m
}

// TestKilledAfterPromotion kills a run between a promotion and the next checkpoint, which knows the champion before
// it: who was stored last is champion in the next session, and the duel that made it so is entered and promotes nobody.
func TestKilledAfterCoronation(t *testing.T) {
	cfg := toyConfig(t, "hills")
	m, c := &memory{}, collector{}
	var killed *memory
	s := mustSearch(t, cfg, newFake(1, true), m)
	if _, err := s.Run(context.Background(), func(e Event) {
		if e.Kind == KindChampion && len(m.champions) == 3 {
			killed = m.clone()
			s.Abort()
		}
	}); err != nil || killed == nil {
		t.Fatalf("%v: no third champion", err)
	}
	s = mustSearch(t, cfg, newFake(1, true), killed)
	if got := s.championship.champion().id; got != killed.champions[2] || len(s.championship.predecessors) != 2 {
		t.Errorf("%s is champion after %d others, %s was stored", got.Short(), len(s.championship.predecessors),
			killed.champions[2].Short())
	}
	if _, err := s.Run(context.Background(), c.emit); err != nil {
		t.Fatal(err)
	}
	whole := &memory{}
	mustRun(t, cfg, newFake(1, true), whole)
	if !slices.Equal(killed.champions, whole.champions) || !slices.Equal(killed.story(), whole.story()) {
		t.Error("the story differs from that of a run that was not killed")
	}
	for _, e := range c.of(KindChampion) {
		if e.ID == killed.champions[2] {
			t.Errorf("%s is made champion once more: %s", e.ID.Short(), e.Note)
		}
	}
}

// TestResumeAcrossRestarts cuts a long run in its epochs.
func TestResumeAcrossRestarts(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 400
	whole := &memory{}
	if want := mustRun(t, cfg, clocked{failing(2)}, whole); want.Restarts == 0 {
		t.Fatal("no restart in the whole run")
	}
	for cut := 150; cut < 400; cut += 80 {
		m := stopped(t, cfg, 2, cut, cut%2 == 0)
		mustRun(t, cfg, clocked{failing(2)}, m)
		if !slices.Equal(m.story(), whole.story()) {
			t.Fatalf("cut after %d: the story differs", cut)
		}
	}
}

func TestResumeFromTheStore(t *testing.T) {
	cfg := toyConfig(t, "hills")
	whole := &memory{}
	mustRun(t, cfg, failing(2), whole)

	run, err := store.Open(interruptedFile(t, cfg))
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	s, err := New(cfg, failing(2), run)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := s.Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &memory{}
	if err := run.Each(func(c kernels.Candidate) error {
		m.candidates = append(m.candidates, c)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.story(), whole.story()) {
		t.Error("the story differs from that of a run in memory")
	}
	if id, ok := run.Champion(); !ok || id != sum.Champion {
		t.Errorf("champion %s, summary %s", id.Short(), sum.Champion.Short())
	}
}

// interruptedFile is a run on disk that was interrupted after 50 verdicts, with a smaller budget.
func interruptedFile(t *testing.T, cfg Config) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "toy.run")
	run, err := store.Create(path,
		store.Meta{Problem: "toy", Workloads: cfg.Workloads, DType: cfg.DType, Strategy: "evolve", Seed: cfg.Seed})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Budget.Evals = 100
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, err := New(cfg, failing(2), run)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Run(ctx, func(e Event) {
		if e.Kind == KindResult && e.Evals == 50 {
			cancel()
		}
	})
	if err := errors.Join(err, run.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// withSteering puts what was asked of a search into its checkpoint.
func withSteering(asked string) func(*Config, *memory) {
	return func(_ *Config, m *memory) {
		m.checkpoint = []byte(strings.Replace(string(m.checkpoint), `"sample":`,
			`"steering":{"log":[{"do":"add"}],`+asked+`},"sample":`, 1))
	}
}

func TestResumeRefusesAnotherSearch(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 10
	m := &memory{}
	mustRun(t, cfg, newFake(1, true), m)
	for name, change := range map[string]func(*Config, *memory){
		"seed":     func(c *Config, _ *memory) { c.Seed++ },
		"strategy": func(c *Config, _ *memory) { c.Strategy = "random" },
		"space":    func(c *Config, _ *memory) { c.Spaces = toyConfig(t, "plain").Spaces },
		"version":  func(_ *Config, m *memory) { m.checkpoint = []byte(`{"version":99}`) },
		"garbage":  func(_ *Config, m *memory) { m.checkpoint = []byte(`{`) },
		"rng": func(_ *Config, m *memory) {
			m.checkpoint = []byte(strings.Replace(string(m.checkpoint), `"rng":"`, `"rng":"AAAA`, 1))
		},
		"pending": func(_ *Config, m *memory) {
			m.checkpoint = []byte(strings.Replace(string(m.checkpoint), `"sample":`, `"pending":[{"space":9}],"sample":`, 1))
		},
		"sample": func(_ *Config, m *memory) {
			m.checkpoint = []byte(strings.Replace(string(m.checkpoint), `"sample":`, `"sample":1099511627776,"was":`, 1))
		},
		"no void":   withSteering(`"void":-1`),
		"no weight": withSteering(`"weighed":1,"weights":{"small":0}`),
		"no budget": withSteering(`"budget":{"Evals":-1}`),
		"injected":  withSteering(`"injected":[null]`),
	} {
		t.Run(name, func(t *testing.T) {
			c, k := cfg, m.clone()
			change(&c, k)
			if _, err := newSearch(c, newFake(1, true), k); err == nil {
				t.Error("resumed")
			}
		})
	}
}

func TestResumeWithALargerBudget(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 30
	m := &memory{}
	mustRun(t, cfg, newFake(4, false), m)
	cfg.Budget.Evals = 80
	if sum := mustRun(t, cfg, newFake(4, false), m); sum.Evals != 80 || len(m.candidates) != 80 {
		t.Errorf("%+v with %d stored", sum, len(m.candidates))
	}
	data, _ := m.Checkpoint()
	asked, err := ReadSteering(data)
	if now := asked.InForce(Budget{Evals: 30}); err != nil || now.Evals != 80 {
		t.Errorf("the run tells %+v as its budget, %v", now, err)
	}
}
