package evolve

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"darwarp/kernels"
)

// TestForemost: candidates wait for duels with the naive start, and for the trial of who has won them, where it is well
// behind: by more than a claim's noise. They wait for nobody who fights another champion, and share the device with who
// is a little faster than the naive start: such duels last for many pairs, and decide little.
func TestForemost(t *testing.T) {
	for _, tt := range []struct {
		name  string
		claim float64 // of all but the naive start, relative to it
		want  bool
	}{
		{"far ahead", 0.3, true},
		{"well ahead", 0.75, true},
		{"ahead", 0.85, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ev := newTrialFake(2)
			var mu sync.Mutex
			var naive kernels.ID
			said := map[bool]int{} // foremost, of what was decided on while the naive start was champion
			ev.claims = func(g kernels.Genome) float64 {
				if g["a"] == kernels.Int(1) && g["b"] == kernels.Int(1) {
					return 1000
				}
				return tt.claim * 1000 * (1 + toyTime(g)/1e5)
			}
			fight := ev.fake.duel
			ev.fake.duel = func(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
				mu.Lock()
				defer mu.Unlock()
				if naive.IsZero() {
					naive = champion.ID
				}
				if champion.Foremost || challenger.Foremost && champion.ID != naive {
					t.Errorf("%s waits for nobody's duel with %s", champion.ID.Short(), challenger.ID.Short())
				}
				if champion.ID == naive {
					said[challenger.Foremost]++
				}
				return fight(ctx, champion, challenger)
			}
			trials := 0
			ev.before = func(_ context.Context, job *kernels.Job, parts []kernels.TrialPart) error {
				mu.Lock()
				defer mu.Unlock()
				if trials++; job.Foremost != (tt.want && trials == 1) {
					t.Errorf("trial %d (%v) of %s: foremost: %v", trials, parts, job.ID.Short(), job.Foremost)
				}
				return nil
			}
			cfg := toyConfig(t, "hills")
			sum := mustRun(t, cfg, ev, &memory{})
			if sum.Champion == naive || said[tt.want] == 0 || said[!tt.want] != 0 || trials < 2 {
				t.Errorf("duels with the naive start by foremost: %v, %d trials", said, trials)
			}
		})
	}
}

// TestLikelySaid: the evaluator is told which points their family says to try first, and those alone.
func TestLikelySaid(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Spaces[0].Family.Start = []map[string]any{{"a": int64(6), "c": "z"}, {"a": int64(2)}}
	ev, m := newFake(1, false), &memory{}
	mustRun(t, cfg, ev, m)
	start := map[kernels.ID]bool{}
	for _, c := range m.candidates {
		start[c.ID] = c.Origin.Operator == startOperator
	}
	likely := 0
	for _, j := range ev.jobs {
		if j.Likely != start[j.ID] {
			t.Errorf("%s is likely: %v", j.ID.Short(), j.Likely)
		}
		if j.Likely {
			likely++
		}
	}
	if likely != 2 || len(ev.jobs) < 10 {
		t.Errorf("%d likely ones of %d", likely, len(ev.jobs))
	}
}

// TestLikelyWait: the naive start is not fought while points to try first are in flight, for longer where there is more
// time, and never for long: one of them may hang.
func TestLikelyWait(t *testing.T) {
	for budget, want := range map[time.Duration]time.Duration{
		0: 5 * time.Second, 5 * time.Second: 5 * time.Second, 20 * time.Second: 9 * time.Second,
		time.Minute: 20 * time.Second, 1000 * time.Hour: 20 * time.Second,
	} {
		if got := (Budget{For: budget}).likely(); got != want {
			t.Errorf("of %v: %v, expected %v", budget, got, want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		ev := newFake(2, false)
		ev.answer = func(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
			if job.Likely {
				return kernels.Result{}, rest(ctx, time.Hour)
			}
			return works(job), rest(ctx, time.Second)
		}
		fought := time.Duration(0)
		began := time.Now()
		ev.duel = func(_ context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
			if fought == 0 {
				fought = time.Since(began)
			}
			return duelOf(0.5), nil
		}
		cfg := toyConfig(t, "hills")
		cfg.Spaces[0].Family.Start = []map[string]any{{"a": int64(6), "c": "z"}}
		cfg.Budget = Budget{For: time.Minute}
		if _, err := mustSearch(t, cfg, ev, &memory{}).Run(t.Context(), func(Event) {}); err != nil {
			t.Fatal(err)
		}
		if fought < 20*time.Second || fought > 22*time.Second {
			t.Errorf("one that hangs: fought after %v, expected 20 s", fought)
		}
	})
}
