package evolve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"darwarp/kernels"
	"darwarp/store"
)

// isNaive tells the default of the toy family.
func isNaive(job *kernels.Job) bool {
	return job.Variant.Genes["a"] == kernels.Int(1) && job.Variant.Genes["b"] == kernels.Int(1) &&
		job.Variant.Genes["c"] == kernels.String("x") && job.Variant.Genes["e"] == kernels.Bool(false)
}

func TestNaiveStartMustWork(t *testing.T) {
	for _, o := range []kernels.Outcome{kernels.CompileFailed, kernels.Wrong, kernels.Lost, kernels.Unknown} {
		t.Run(o.String(), func(t *testing.T) {
			ev, m := newFake(2, true), &memory{}
			ev.answer = func(context.Context, *kernels.Job) (kernels.Result, error) {
				return kernels.Result{Outcome: o, Detail: "because"}, nil
			}
			sum, err := mustSearch(t, toyConfig(t, "hills"), ev, m).Run(context.Background(), nil)
			if err == nil || !strings.Contains(err.Error(), "naive start") || sum.Reason != ReasonFailed {
				t.Fatalf("%v, %+v", err, sum)
			}
			if want := map[bool]int{true: 1, false: 0}[o.Failed()]; len(m.candidates) != want {
				t.Errorf("%d stored, want %d", len(m.candidates), want)
			}
			if o.Failed() != errors.Is(err, ErrNoStart) {
				t.Errorf("%v can be continued: %v", err, !errors.Is(err, ErrNoStart))
			}
			ev.answer = nil
			if !o.Failed() { // our side: the run can go on
				if sum, err := mustSearch(t, toyConfig(t, "hills"), ev, m).Run(context.Background(), nil); err != nil ||
					sum.Evals != 100 {
					t.Errorf("resumed: %v, %+v", err, sum)
				}
				return
			}
			if _, err := mustSearch(t, toyConfig(t, "hills"), ev, m).Run(context.Background(), nil); err == nil ||
				!strings.Contains(err.Error(), "start a new run") {
				t.Errorf("resumed: %v", err)
			}
		})
	}
}

func TestLostIsRetriedThenSkipped(t *testing.T) {
	for _, inOrder := range []bool{true, false} {
		ev, m := newFake(3, inOrder), &memory{}
		var mu sync.Mutex
		tries, gone := map[kernels.ID]int{}, map[kernels.ID]bool{}
		ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
			mu.Lock()
			defer mu.Unlock()
			tries[job.ID]++
			gone[job.ID] = job.Variant.Genes["c"] == kernels.String("y") // never comes back
			shaky := job.Variant.Genes["e"] == kernels.Bool(true)        // comes back at the second attempt
			if gone[job.ID] || shaky && tries[job.ID] == 1 {
				return kernels.Result{Outcome: kernels.Lost, Detail: "worker killed"}, nil
			}
			return works(job), nil
		}
		var c collector
		sum, err := mustSearch(t, toyConfig(t, "hills"), ev, m).Run(context.Background(), c.emit)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range m.candidates {
			if x.Variant.Genes["c"] == kernels.String("y") || x.Result.Outcome == kernels.Lost {
				t.Fatalf("stored %s as %s", x.Variant.Label(), x.Result.Outcome)
			}
		}
		for id, n := range tries {
			if n > attempts && gone[id] { // others may be asked as the champion, to see whether evaluating works
				t.Fatalf("%s was asked for %d times", id.Short(), n)
			}
		}
		if sum.Lost == 0 || len(c.of(KindLost)) != sum.Lost || sum.Skipped == 0 || sum.Evals != 100 {
			t.Errorf("%d lost events: %+v", len(c.of(KindLost)), sum)
		}
	}
}

func TestLyingEvaluatorNeverMakesAChampion(t *testing.T) {
	for name, lie := range map[string]func(r *kernels.Result){
		"NaN":               func(r *kernels.Result) { r.Times[0].Median = math.NaN() },
		"negative":          func(r *kernels.Result) { r.Times[1].Median = -1 },
		"zero":              func(r *kernels.Result) { r.Times[0].Median = 0 },
		"infinite":          func(r *kernels.Result) { r.Times[0].Median = math.Inf(1) },
		"no times":          func(r *kernels.Result) { r.Times = nil },
		"workload missing":  func(r *kernels.Result) { r.Times = r.Times[:1] },
		"workload unknown":  func(r *kernels.Result) { r.Times[1].Workload = "other" },
		"interval NaN":      func(r *kernels.Result) { r.Times[0].Hi = math.NaN() },
		"cost NaN":          func(r *kernels.Result) { r.Cost.Time = math.NaN() },
		"no outcome":        func(r *kernels.Result) { r.Outcome = kernels.Unknown },
		"outcome not known": func(r *kernels.Result) { r.Outcome = 200 },
		"too fast to score": func(r *kernels.Result) { r.Times[0].Median, r.Times[1].Median = 5e-324, 5e-324 },
	} {
		t.Run(name, func(t *testing.T) {
			ev, m := newFake(2, true), &memory{}
			ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
				r := works(job)
				if !isNaive(job) && job.Variant.Genes["c"] == kernels.String("z") {
					lie(&r)
				}
				return r, nil
			}
			sum := mustRun(t, toyConfig(t, "hills"), ev, m)
			if sum.Variant.Genes["c"] == kernels.String("z") {
				t.Errorf("champion %s", sum.Variant.Label())
			}
			for _, c := range m.candidates {
				if c.Result.Outcome == kernels.OK && c.Variant.Genes["c"] == kernels.String("z") {
					t.Fatalf("stored as ok: %+v", c.Result)
				}
			}
			if sum.Lost == 0 {
				t.Error("no verdict was refused")
			}
		})
	}
}

func TestFloodsAreBounded(t *testing.T) {
	ev, m := newFake(2, true), &memory{}
	flood := strings.Repeat("\x1b[31mspam\x00", 1<<20)
	ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		if isNaive(job) {
			return works(job), nil
		}
		r := works(job)
		for range 1000 {
			r.Times = append(r.Times, kernels.Timing{Workload: "small", Median: 1, Cache: flood[:10]})
		}
		if job.Variant.Genes["e"] == kernels.Bool(true) {
			r = kernels.Result{Outcome: kernels.Wrong, Detail: flood,
				Gate: &kernels.GateReport{Worst: math.Inf(1), Frobenius: math.NaN()}}
		}
		return r, nil
	}
	mustRun(t, toyConfig(t, "hills"), ev, m)
	wrong := 0
	for _, c := range m.candidates {
		if len(c.Result.Detail) > kernels.MaxDetail || strings.ContainsAny(c.Result.Detail, "\x1b\x00") ||
			len(c.Result.Times) > 2 {
			t.Fatalf("%d bytes of detail, %d times", len(c.Result.Detail), len(c.Result.Times))
		}
		if c.Result.Outcome == kernels.Wrong {
			wrong++
		}
	}
	if wrong == 0 {
		t.Error("no wrong candidate was stored")
	}
}

func TestEvaluatorErrorStopsAndSaves(t *testing.T) {
	for _, tt := range []struct {
		name    string
		inOrder bool
		broken  func() (kernels.Result, error)
	}{
		{"error in order", true, func() (kernels.Result, error) { return kernels.Result{}, errBroken }},
		{"error as it comes", false, func() (kernels.Result, error) { return kernels.Result{}, errBroken }},
		{"panic", true, func() (kernels.Result, error) { panic("broken") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ev, m := newFake(3, tt.inOrder), &memory{}
			var n atomic.Int32
			ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
				if n.Add(1) == 20 {
					return tt.broken()
				}
				return works(job), nil
			}
			sum, err := mustSearch(t, toyConfig(t, "hills"), ev, m).Run(context.Background(), nil)
			if err == nil || !strings.Contains(err.Error(), "broken") || sum.Reason != ReasonFailed {
				t.Fatalf("%v, %+v", err, sum)
			}
			if len(m.candidates) < 17 || len(m.candidates) > 22 {
				t.Errorf("%d stored of about 20", len(m.candidates))
			}
			ev.answer = nil
			if sum := mustRun(t, toyConfig(t, "hills"), ev, m); sum.Evals != 100 {
				t.Errorf("resumed: %+v", sum)
			}
		})
	}
}

func TestDrainFinishesWhatIsInFlight(t *testing.T) {
	ev, m := newFake(4, false), &memory{}
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan struct{})
	var n atomic.Int32
	ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		if n.Add(1) > 1 {
			<-release
		}
		return works(job), nil
	}
	var c collector
	sum, err := mustSearch(t, toyConfig(t, "hills"), ev, m).Run(ctx, func(e Event) {
		c.emit(e)
		if e.Kind == KindResult && e.Evals == 1 {
			go func() {
				for n.Load() < 5 {
					time.Sleep(time.Millisecond)
				}
				cancel()
			}()
		}
		if e.Kind == KindDrain {
			close(release)
		}
	})
	if err != nil || sum.Reason != ReasonInterrupted || len(c.of(KindDrain)) != 1 {
		t.Fatalf("%v, %+v, %v", err, sum, c.kinds())
	}
	if len(m.candidates) != 5 {
		t.Errorf("%d stored: expected the naive start and the four in flight", len(m.candidates))
	}
}

func TestAbortEndsAHang(t *testing.T) {
	ev, m := newFake(4, false), &memory{}
	ev.answer = func(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
		if isNaive(job) {
			return works(job), nil
		}
		<-ctx.Done()
		return kernels.Result{}, ctx.Err()
	}
	s := mustSearch(t, toyConfig(t, "hills"), ev, m)
	sum, err := s.Run(context.Background(), func(e Event) {
		if e.Kind == KindChampion {
			s.Abort()
		}
	})
	if err != nil || sum.Reason != ReasonAborted || len(m.candidates) != 1 {
		t.Errorf("%v, %+v, %d stored", err, sum, len(m.candidates))
	}
	ev.answer = nil
	if sum := mustRun(t, toyConfig(t, "hills"), ev, m); sum.Evals != 100 {
		t.Errorf("resumed: %+v", sum)
	}
}

func TestDiskFullPausesAndGoesOn(t *testing.T) {
	want := &memory{}
	mustRun(t, toyConfig(t, "hills"), newFake(3, true), want)
	for _, op := range []string{"put", "champion", "duel"} {
		t.Run(op, func(t *testing.T) {
			m, n := &memory{}, 0
			m.full = func(which string) error {
				if which != op {
					return nil
				}
				if n++; n >= 2 && n < 6 {
					return fmt.Errorf("run: %w", store.ErrNoSpace)
				}
				return nil
			}
			var c collector
			if _, err := mustSearch(t, toyConfig(t, "hills"),
				newFake(3, true), m).Run(context.Background(), c.emit); err != nil {
				t.Fatal(err)
			}
			if len(c.of(KindDisk)) != 2 {
				t.Errorf("%d disk events: expected full and free", len(c.of(KindDisk)))
			}
			if a, b := strings.Join(m.story(), "\n"), strings.Join(want.story(), "\n"); a != b {
				t.Error("the run is not as it would have been with space")
			}
		})
	}
}

func TestDiskFullAtTheEndIsAnError(t *testing.T) {
	m := &memory{full: func(op string) error {
		if op == "put" {
			return store.ErrNoSpace
		}
		return nil
	}}
	ctx, cancel := context.WithCancel(context.Background())
	sum, err := mustSearch(t, toyConfig(t, "hills"), newFake(1, true), m).Run(ctx, func(e Event) {
		if e.Kind == KindDisk {
			cancel()
		}
	})
	if !errors.Is(err, store.ErrNoSpace) || sum.Reason != ReasonFailed {
		t.Errorf("%v, %+v", err, sum)
	}
}

func TestStoreErrorStops(t *testing.T) {
	n := 0
	m := &memory{full: func(op string) error {
		if n++; n > 20 {
			return errBroken
		}
		return nil
	}}
	_, err := mustSearch(t, toyConfig(t, "hills"), newFake(3, false), m).Run(context.Background(), nil)
	if !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
}

func TestOnlyFasterChangesTheChampion(t *testing.T) {
	for _, tt := range []struct {
		name string
		duel kernels.Duel
		want bool
	}{
		{"faster", kernels.Duel{Verdict: kernels.Faster, Ratio: 0.9}, true},
		{"slower", kernels.Duel{Verdict: kernels.Slower, Ratio: 1.1}, false},
		{"same", kernels.Duel{Verdict: kernels.Same, Ratio: 1}, false},
		{"ambiguous", kernels.Duel{Verdict: kernels.Ambiguous, Ratio: 0.9}, false},
		{"no verdict", kernels.Duel{Ratio: 0.9}, false},
		{"faster by no figure", kernels.Duel{Verdict: kernels.Faster, Ratio: math.NaN()}, false},
		{"faster and slower", kernels.Duel{Verdict: kernels.Faster, Ratio: 1.2}, false},
		{"round of NaN", kernels.Duel{Verdict: kernels.Faster, Ratio: 0.9,
			Rounds: []kernels.DuelRound{{Ratio: math.NaN()}}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ev, m := newFake(2, true), &memory{}
			pairs := map[string]int{}
			ev.duel = func(_ context.Context, a, b *kernels.Job) (kernels.Duel, error) {
				pairs[a.ID.Short()+b.ID.Short()]++ // one duel at a time: no lock
				return tt.duel, nil
			}
			sum := mustRun(t, toyConfig(t, "hills"), ev, m)
			if changed := sum.Champion != m.candidates[0].ID; changed != tt.want {
				t.Errorf("champion changed: %v, want %v", changed, tt.want)
			}
			if sum.Duels < 2 || len(m.duels) != sum.Duels {
				t.Errorf("%d duels, %d stored", sum.Duels, len(m.duels))
			}
			for pair, n := range pairs {
				if n > 1 {
					t.Errorf("%s fought %d times", pair, n)
				}
			}
		})
	}
}

func TestNoiseIsNoClaim(t *testing.T) {
	ev, m := newFake(1, true), &memory{}
	ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		v := 100.0 // all alike but for noise
		if !isNaive(job) {
			v -= float64(job.ID[0]) / 256
		}
		r := works(job)
		r.Times = timesOf(v, v)
		for i := range r.Times {
			r.Times[i].Lo, r.Times[i].Hi = v-2, v+2
		}
		return r, nil
	}
	if sum := mustRun(t, toyConfig(t, "hills"), ev, m); sum.Duels != 0 || sum.Champion != m.candidates[0].ID {
		t.Errorf("%d duels over noise", sum.Duels)
	}
}

func TestDuelErrorStops(t *testing.T) {
	ev := newFake(2, true)
	ev.duel = func(context.Context, *kernels.Job, *kernels.Job) (kernels.Duel, error) {
		return kernels.Duel{}, errBroken
	}
	if _, err := mustSearch(t, toyConfig(t, "hills"), ev, &memory{}).Run(context.Background(), nil); !errors.Is(err,
		errBroken) {
		t.Errorf("%v", err)
	}
}
