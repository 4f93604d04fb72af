package evolve

import (
	"context"
	"sync"
	"testing"

	"darwarp/kernels"
)

// trialFake is a fake that doubts would-be champions. What a candidate claims and what it falls by are up to the test.
type trialFake struct {
	*fake
	claims func(kernels.Genome) float64                   // time; nil or 0: the honest one
	falls  func(kernels.Genome) (kernels.TrialPart, bool) // what a candidate fails
	before func(ctx context.Context, job *kernels.Job, parts []kernels.TrialPart) error

	asking sync.Mutex
	asked  map[kernels.ID][]kernels.TrialPart
}

func newTrialFake(slots int) *trialFake {
	c := &trialFake{fake: newFake(slots, false), asked: map[kernels.ID][]kernels.TrialPart{}}
	c.fake.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		r, v := works(job), c.time(job)
		r.Times = timesOf(v, 2*v)
		return r, nil
	}
	c.fake.duel = func(_ context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
		return duelOf(c.time(challenger) / c.time(champion)), nil
	}
	return c
}

func (c *trialFake) time(job *kernels.Job) float64 {
	if c.claims != nil {
		if v := c.claims(job.Variant.Genes); v > 0 {
			return v
		}
	}
	return toyTime(job.Variant.Genes)
}

func (c *trialFake) Capabilities() kernels.Capabilities { return kernels.Capabilities{Trial: c.Trial} }

func (c *trialFake) Trial(ctx context.Context, job *kernels.Job, parts ...kernels.TrialPart) (kernels.Trial, error) {
	c.asking.Lock()
	c.asked[job.ID] = append(c.asked[job.ID], parts...)
	c.asking.Unlock()
	if c.before != nil {
		if err := c.before(ctx, job, parts); err != nil {
			return kernels.Trial{}, err
		}
	}
	t := kernels.Trial{ID: job.ID, Provenance: "p"}
	for _, p := range parts {
		d := kernels.Doubt{Part: p, Verdict: kernels.Passed}
		if c.falls != nil {
			if at, ok := c.falls(job.Variant.Genes); ok && at == p {
				d.Verdict, d.Outcome, d.Detail = kernels.Failed, kernels.Wrong, "found out"
			}
		}
		t.Enter(d)
	}
	return t, nil
}

// cheats says that kernels with c = y and e claim to be far faster than the optimum: the greater a, the faster.
func cheats(g kernels.Genome) float64 {
	if g["c"] != kernels.String("y") || g["e"] != kernels.Bool(true) {
		return 0
	}
	a, _ := g["a"].Any().(int)
	return 50 / float64(a)
}

func cheatsFall(part kernels.TrialPart) func(kernels.Genome) (kernels.TrialPart, bool) {
	return func(g kernels.Genome) (kernels.TrialPart, bool) { return part, cheats(g) > 0 }
}

func tried(t testing.TB, cfg Config, ev Evaluator, keep keeper) *Search {
	t.Helper()
	s := mustSearch(t, cfg, ev, keep)
	s.championship.after = 0
	return s
}

// plantCheat asks for a cheat while the first candidate is judged, since not every search comes upon one.
func plantCheat(t testing.TB, s *Search, f *fake) {
	t.Helper()
	var once sync.Once
	answer := f.answer
	f.answer = func(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
		once.Do(func() {
			cheat := genes(6, 5, "y")
			cheat["e"] = kernels.Bool(true)
			err := s.Steer(ctx, Command{Do: "inject", Variant: &kernels.Variant{Family: "hills", Genes: cheat}})
			if err != nil {
				t.Errorf("inject: %v", err)
			}
		})
		return answer(ctx, job)
	}
}

func isCheat(c *kernels.Candidate) bool { return cheats(c.Variant.Genes) > 0 }

func (m *memory) trial(id kernels.ID) kernels.Trial {
	for _, t := range m.trials {
		if t.ID == id {
			return t
		}
	}
	return kernels.Trial{ID: id}
}
