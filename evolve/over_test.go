package evolve

import (
	"context"
	"slices"
	"testing"
	"time"

	"darwarp/kernels"
)

// TestOver cuts runs at every verdict and at their ends: where the file says that nothing is left to do, a session does
// nothing.
func TestOver(t *testing.T) {
	spent := 0
	for n := 1; n <= 24; n++ {
		cfg := toyConfig(t, "hills")
		cfg.Budget.Evals = 24
		whole, cut := &memory{}, &memory{}
		ev := newTrialFake(2)
		s := mustSearch(t, cfg, ev, whole)
		if _, err := s.Run(context.Background(), func(e Event) {
			if e.Kind == KindResult && e.Evals == n {
				cut = whole.clone()
			}
		}); err != nil {
			t.Fatal(err)
		}
		for _, m := range []*memory{cut, whole} {
			for _, evals := range []int{n, 24, 30} {
				end, err := over(m, Budget{Evals: evals}, true)
				if err != nil || end.Reason == "" {
					continue
				}
				spent++
				cfg.Budget.Evals = evals
				again := collector{}
				if _, err := mustSearch(t, cfg, newTrialFake(2), m.clone()).Run(context.Background(), again.emit); err != nil {
					t.Fatal(err)
				}
				done := func(k Kind) bool { return k == KindResult || k == KindDuel || k == KindTrial }
				if k := again.kinds(); slices.ContainsFunc(k, done) {
					t.Errorf("cut after %d, of %d: it is over by its file, and then has %v", n, evals, k)
				}
			}
		}
	}
	if spent < 24 {
		t.Errorf("a run that was finished was over %d times", spent)
	}
}

// TestOverByBudget: the parts of a budget, and what keeps a run open though its budget is spent.
func TestOverByBudget(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 24
	ended := &memory{}
	ev := newFake(1, true)
	ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		time.Sleep(time.Millisecond) // so that it takes some of its time
		return works(job), nil
	}
	mustRun(t, cfg, ev, ended)
	at := ended.champions[len(ended.champions)-1]
	for _, tt := range []struct {
		name   string
		budget Budget
		more   func(*memory)
		want   Reason
	}{
		{"as it was", Budget{Evals: 24}, nil, ReasonEvals},
		{"more", Budget{Evals: 25}, nil, ""},
		{"time", Budget{For: time.Nanosecond}, nil, ReasonTime},
		{"more time", Budget{For: 1000 * time.Hour}, nil, ""},
		{"stalled", Budget{Evals: 1000, Stall: 1}, nil, ReasonStall},
		{"explain has found something", Budget{Evals: 24}, func(m *memory) {
			m.insights = []kernels.Insight{{Candidate: at, Without: kernels.ID{9}, Outcome: kernels.OK,
				Gain: kernels.Gain{Ratio: .8, Lo: .7, Hi: .9}}}
		}, ""},
		{"of another champion", Budget{Evals: 24}, func(m *memory) {
			m.insights = []kernels.Insight{{Candidate: kernels.ID{8}, Without: kernels.ID{9}, Outcome: kernels.OK,
				Gain: kernels.Gain{Ratio: .8, Lo: .7, Hi: .9}}}
		}, ReasonEvals},
		{"never begun", Budget{Evals: 24}, func(m *memory) { m.checkpoint = nil }, ""},
		{"of an earlier version", Budget{Evals: 24}, func(m *memory) {
			m.checkpoint = []byte(`{"progress":{"evals":24}}`)
		}, ""},
		{"added to, without what to", Budget{Evals: 24}, func(m *memory) {
			m.checkpoint = []byte(`{"settled":true,"progress":{"evals":24},"steering":{"asked":{"evals":24}}}`)
		}, ReasonEvals},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := ended.clone()
			if tt.more != nil {
				tt.more(m)
			}
			if got, err := over(m, tt.budget, false); err != nil || got.Reason != tt.want {
				t.Errorf("%q, %v: want %q", got.Reason, err, tt.want)
			}
		})
	}
}
