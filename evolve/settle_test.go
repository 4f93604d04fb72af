package evolve

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"darwarp/kernels"
)

// slow is an evaluator whose answers take their time: it is done with less when its context ends. A candidate waits
// for a compiler before the device begins with it.
type slow struct {
	*trialFake
	compile, device, duel, quick, part time.Duration
}

func newSlow(slots int) *slow {
	s := &slow{trialFake: newTrialFake(slots), compile: time.Second, device: time.Second}
	evaluate, duel := s.answer, s.fake.duel
	s.answer = func(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
		if err := rest(ctx, s.compile); err != nil {
			return kernels.Result{Outcome: kernels.Lost}, err
		}
		kernels.WatchOf(ctx).Begin()
		if err := rest(ctx, s.device); err != nil {
			return kernels.Result{Outcome: kernels.Lost}, err
		}
		return evaluate(ctx, job)
	}
	s.fake.duel = func(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
		kernels.WatchOf(ctx).Tell("fresh, 3 pairs")
		if err := rest(ctx, s.duel); err != nil {
			return kernels.Duel{}, err
		}
		return duel(ctx, champion, challenger)
	}
	s.before = func(ctx context.Context, _ *kernels.Job, parts []kernels.TrialPart) error {
		if slices.Equal(parts, kernels.QuickTrial) {
			return rest(ctx, s.quick)
		}
		return rest(ctx, s.part)
	}
	return s
}

func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A search of bounded time ends within a tenth of it, whatever its duels and trials take, and says what it waits for;
// what was cut off is taken up by the next session.
func TestTimeHolds(t *testing.T) {
	for _, tt := range []struct {
		name              string
		duel, quick, part time.Duration
		says              string             // a drain says
		standing          []kernels.Standing // what the champion may be in the end
	}{
		{"quick ones", time.Second / 2, time.Second / 4, time.Second / 4, "time: ", []kernels.Standing{kernels.Stood}},
		{"slow duels", 9 * time.Second, time.Second, time.Second, "time: ", nil},
		{"endless duels", time.Hour, time.Second, time.Second, "are left for the next session; duel of ~",
			[]kernels.Standing{""}},
		{"slow quick parts", time.Second, time.Hour, time.Second, "are left for the next session; trial of ~",
			[]kernels.Standing{""}},
		{"slow parts", time.Second, time.Second, 20 * time.Second, "is finished first", []kernels.Standing{kernels.OnTrial}},
		{"endless parts", time.Second, time.Second, time.Hour, "until 28s at most", []kernels.Standing{kernels.OnTrial}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ev, m := newSlow(8), &memory{}
				ev.duel, ev.quick, ev.part = tt.duel, tt.quick, tt.part
				cfg := toyConfig(t, "hills")
				cfg.Budget = Budget{For: 25 * time.Second}
				var c collector
				sum := holdsTime(t, cfg, ev, m, &c)
				said := slices.ContainsFunc(c.of(KindDrain), func(e Event) bool { return strings.Contains(e.Note, tt.says) })
				if !said {
					t.Errorf("nobody said %q: %+v", tt.says, c.of(KindDrain))
				}
				if tt.standing != nil && !slices.Contains(tt.standing, sum.Standing) {
					t.Errorf("the champion is %q", sum.Standing)
				}
				if open := !sum.Contender.IsZero(); sum.Standing == "" && !open || open && sum.Claims >= sum.Score {
					t.Errorf("contender %s, %.3f", sum.Contender.Short(), sum.Claims)
				}
				ev.duel, ev.quick, ev.part = time.Second, time.Second, time.Second // the machine has recovered
				again := runNow(t, cfg, ev, m)
				if !again.Contender.IsZero() || again.Left > 0 {
					t.Errorf("resumed, and left: %+v", again)
				}
				if again.Standing != kernels.Stood || again.Evals < sum.Evals || again.Score > sum.Best {
					t.Errorf("resumed: %+v", again)
				}
			})
		})
	}
}

func holdsTime(t *testing.T, cfg Config, ev Evaluator, m *memory, c *collector) Summary {
	t.Helper()
	begun := time.Now()
	sum, err := mustSearch(t, cfg, ev, m).Run(context.Background(), c.emit)
	took, tenth := time.Since(begun), cfg.Budget.For/10
	if err != nil || sum.Reason != ReasonTime || took < cfg.Budget.For-tenth || took > cfg.Budget.For+tenth {
		t.Errorf("%v: %s after %v of %v", err, sum.Reason, took, cfg.Budget.For)
	}
	if sum.Elapsed != took {
		t.Errorf("it says %v, and took %v", sum.Elapsed, took)
	}
	return sum
}

// The evaluations that a budget allows may be used up before its time: the time holds all the same.
func TestTimeHoldsAfterEvaluations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ev := newSlow(4)
		ev.duel, ev.part = time.Second, time.Hour
		cfg := toyConfig(t, "hills")
		cfg.Budget = Budget{For: 100 * time.Second, Evals: 20}
		begun := time.Now()
		sum := runNow(t, cfg, ev, &memory{})
		if took := time.Since(begun); took > 110*time.Second || sum.Evals != 20 {
			t.Errorf("%v, %+v", took, sum)
		}
	})
}

// An interrupted search waits for what the device has begun, ten seconds at most; candidates that wait for a compiler
// are left, and asked for again in the next session.
func TestInterruptWaitsForWhatIsOfUse(t *testing.T) {
	for _, tt := range []struct {
		name    string
		compile time.Duration
		duel    time.Duration
		most    time.Duration
		says    string
	}{
		{"nothing begun", time.Hour, 0, 0, "interrupted: 0 in flight, waited for at most 10s; 8 that were not begun"},
		{"begun", 0, 0, 3 * time.Second, "interrupted: 8 in flight, waited for at most 10s"},
		{"a long duel", 0, time.Hour, interruptedFor, "in flight, with duel of ~"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ev, m := newSlow(8), &memory{}
				ev.compile, ev.device, ev.duel, ev.quick = 0, 3*time.Second, tt.duel, time.Second
				cfg := toyConfig(t, "hills")
				cfg.Budget.Evals = 100
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				var c collector
				var at time.Time
				s := mustSearch(t, cfg, ev, m)
				sum, err := s.Run(ctx, func(e Event) {
					c.emit(e)
					switch {
					case e.Kind == KindChampion && len(c.of(KindResult)) == 1:
						ev.compile = tt.compile
					case at.IsZero() && (e.InFlight >= 8 && e.Kind == KindMachine && tt.duel == 0 || len(e.Doing) > 0):
						at = time.Now()
						cancel()
					}
				})
				if took := time.Since(at); err != nil || at.IsZero() || took > tt.most {
					t.Errorf("%v: %v after the interruption", err, took)
				}
				drains := c.of(KindDrain)
				if len(drains) == 0 || !strings.Contains(drains[0].Note, tt.says) {
					t.Errorf("expected %q: %+v", tt.says, drains)
				}
				ev.compile, ev.duel = 0, 0
				if again := runNow(t, cfg, ev, m); again.Evals != 100 || again.Lost > 0 || sum.Reason != ReasonInterrupted {
					t.Errorf("%+v, resumed: %+v", sum, again)
				}
			})
		})
	}
}

// Events that come while a duel or a trial goes on say so, with how far it is.
func TestEventsTellOfDuelsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ev := newSlow(2)
		ev.duel, ev.quick = 5*time.Second, 5*time.Second
		cfg := toyConfig(t, "hills")
		cfg.Budget = Budget{For: time.Minute}
		var c collector
		if _, err := mustSearch(t, cfg, ev, &memory{}).Run(context.Background(), c.emit); err != nil {
			t.Fatal(err)
		}
		told := map[string]bool{}
		for _, e := range c.all {
			for _, d := range e.Doing {
				told[d.What] = true
				if d.What == "duel" && (d.Against != e.Champion || d.Step != "fresh, 3 pairs" && d.Took > 0 || d.Score <= 0) {
					t.Errorf("at %v: %+v, champion %s", e.At, d, e.Champion.Short())
				}
				if d.Took > 6*time.Second || !strings.Contains(d.String(), d.ID.Short()) {
					t.Errorf("%s for %v", d, d.Took)
				}
			}
		}
		if !told["duel"] || !told["trial"] {
			t.Errorf("told of %v", told)
		}
	})
}

// While somebody well ahead of the champion fights for long no candidate is begun: the duel has the device to itself.
func TestNoCandidatesWhileTheChampionLags(t *testing.T) {
	for _, tt := range []struct {
		name   string
		claims func(kernels.Genome) float64
		waits  bool
	}{
		{"well ahead", nil, true},
		{"a little ahead", func(g kernels.Genome) float64 { return 1000 + toyTime(g) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ev := newSlow(4)
				ev.duel, ev.claims = time.Minute, tt.claims
				cfg := toyConfig(t, "hills")
				cfg.Budget.Evals = 150
				far, near := map[kernels.ID]map[int]bool{}, map[kernels.ID]map[int]bool{} // verdicts in, by who fights
				s := mustSearch(t, cfg, ev, &memory{})
				_, err := s.Run(context.Background(), func(e Event) {
					if len(e.Doing) != 1 || e.Kind != KindMachine || e.Doing[0].Took < 20*time.Second {
						return
					}
					d, at := e.Doing[0], near
					if d.What == "duel" && d.Score < wellAhead*e.Reign {
						at = far
					}
					if at[d.ID] == nil {
						at[d.ID] = map[int]bool{}
					}
					at[d.ID][e.Evals] = true
				})
				goesOn := func(evals map[int]bool) bool { return len(evals) > 1 }
				waited := len(far) > 0
				for _, evals := range far {
					waited = waited && !goesOn(evals)
				}
				went := slices.ContainsFunc(slices.Collect(maps.Values(near)), goesOn)
				if err != nil || waited != tt.waits || !tt.waits && !went {
					t.Errorf("%v; beside who is far ahead %v, beside others %v", err, far, near)
				}
			})
		})
	}
}

// TestSlowStart has a naive start of 95 ms a call, 50 times that of others, on one device, as on an H200 at attention
// 4x16x4096x128: within 15 s somebody else is champion. A duel against it is two pairs in either half, and the truths
// of all inputs at that size are made once, for the first trial. Who gets the device first is anybody's: 10.5, 11.4 or
// 14.1 s.
func TestSlowStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const call, other, truths, truth = 95 * time.Millisecond, 2 * time.Millisecond, 12, 300 * time.Millisecond
		ev, device, made := newSlow(8), make(chan struct{}, 1), false
		on := func(ctx context.Context, d time.Duration) error {
			device <- struct{}{}
			defer func() { <-device }()
			return rest(ctx, d)
		}
		start := kernels.ID{}
		ev.answer = func(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
			r, v, took := works(job), toyTime(job.Variant.Genes), 50*other
			if len(job.Bar.Times()) == 0 {
				start, took = job.ID, 20*call
			}
			if job.ID == start {
				v = 50 * planted
			}
			r.Times = timesOf(v, v)
			return r, errors.Join(rest(ctx, ev.compile), on(ctx, took))
		}
		ev.fake.duel = func(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
			took, ratio := time.Second/2, toyTime(challenger.Variant.Genes)/toyTime(champion.Variant.Genes)
			if champion.ID == start {
				took, ratio = took+(2+2*2*3)*call, 0.02
			}
			return duelOf(ratio), on(ctx, took)
		}
		ev.before = func(ctx context.Context, _ *kernels.Job, _ []kernels.TrialPart) error {
			took := time.Second / 2
			if !made {
				took, made = took+truths*truth, true
			}
			return on(ctx, took)
		}
		cfg := toyConfig(t, "hills")
		cfg.Budget = Budget{For: 15 * time.Second}
		var c collector
		sum := holdsTime(t, cfg, ev, &memory{}, &c)
		if all := c.of(KindChampion); sum.Champion == start || len(all) < 2 || all[1].At > 15*time.Second {
			t.Errorf("champion %s, who is not to be %s; champions: %+v", sum.Champion.Short(), start.Short(), all)
		}
	})
}
