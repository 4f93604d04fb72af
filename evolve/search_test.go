package evolve

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"darwarp/kernels"
)

func TestFindsThePlantedOptimum(t *testing.T) {
	for _, tt := range []struct {
		name    string
		slots   int
		inOrder bool
	}{{"one at a time", 1, true}, {"four in order", 4, true}, {"four as they come", 4, false},
		{"22 in order", 22, true}, {"70 as they come", 70, false}} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := toyConfig(t, "hills")
			cfg.Budget.Evals = 200
			m := &memory{}
			sum := mustRun(t, cfg, newFake(tt.slots, tt.inOrder), m)
			if got := toyTime(sum.Variant.Genes); got != planted {
				t.Errorf("champion takes %g, planted optimum %d: %s", got, planted, sum.Variant.Label())
			}
			if id, ok := m.Champion(); !ok || id != sum.Champion {
				t.Errorf("the store's champion is %s, the summary's %s", id.Short(), sum.Champion.Short())
			}
			if sum.Evals != 200 || sum.Reason != ReasonEvals || len(m.candidates) != 200 {
				t.Errorf("summary %+v with %d stored", sum, len(m.candidates))
			}
			naive := toyTime(cfg.Spaces[0].Family.Defaults())
			if want := naive / planted; sum.Speedup < 0.999*want || sum.Speedup > 1.001*want {
				t.Errorf("speedup %g, want %g", sum.Speedup, want)
			}
		})
	}
}

// TestEvolveBeatsRandom compares best times after 60 verdicts over 40 seeds: a sign test.
func TestEvolveBeatsRandom(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 60
	wins, losses := 0, 0
	for seed := range uint64(40) {
		cfg.Seed = seed
		best := func(strategy string) float64 {
			c := cfg
			c.Strategy = strategy
			return mustRun(t, c, newFake(1, true), &memory{}).Best
		}
		switch a, b := best("evolve"), best("random"); {
		case a < b:
			wins++
		case a > b:
			losses++
		}
	}
	// Were the two alike, wins would be binomial with p = 1/2; 3.3 standard deviations above is p < 0.001.
	if n := float64(wins + losses); float64(wins) < n/2+3.3*0.5*math.Sqrt(n) {
		t.Errorf("evolve won %d times and lost %d times", wins, losses)
	}
}

func TestOneSeedGivesOneStory(t *testing.T) {
	for _, strategy := range Strategies() {
		for _, slots := range []int{1, 4, 22} {
			cfg := toyConfig(t, "hills", "plain")
			cfg.Strategy = strategy
			run := func(seed uint64) []string {
				cfg.Seed = seed
				m := &memory{}
				mustRun(t, cfg, newFake(slots, true), m)
				return m.story()
			}
			if a, b := run(3), run(3); !slices.Equal(a, b) {
				t.Errorf("%s, %d slots: two runs of one seed differ", strategy, slots)
			}
			if a, b := run(3), run(4); slices.Equal(a, b) {
				t.Errorf("%s, %d slots: two seeds give the same run", strategy, slots)
			}
		}
	}
}

func TestStartsWithTheNaiveDefault(t *testing.T) {
	cfg := toyConfig(t, "hills", "plain")
	m, ev := &memory{}, newFake(4, false)
	mustRun(t, cfg, ev, m)
	first := m.candidates[0]
	if first.Origin.Operator != "default" || first.Variant.Family != "hills" || first.Score != 1 {
		t.Errorf("first candidate: %+v", first)
	}
	if bar := ev.jobs[0].Bar.Times(); len(bar) != 0 {
		t.Errorf("the naive start has a bar to clear: %v", bar)
	}
	if m.champions[0] != first.ID {
		t.Error("the first champion is not the naive start")
	}
	for _, j := range ev.jobs[1:] {
		if bar := j.Bar.Times(); len(bar) != 2 {
			t.Fatalf("job %s has bar %v: expected the champion's times by workload", j.ID.Short(), bar)
		}
	}
	for _, c := range m.candidates[1:] {
		if c.Variant.Family == "plain" && c.Variant.Genes["a"] == kernels.Int(1) {
			if c.Origin.Operator != "default" {
				t.Errorf("the default of the second family came by %s", c.Origin.Operator)
			}
			return
		}
	}
	t.Error("the default of the second family was not asked for")
}

// TestTriesStarts: after the naive start come the points that a family says to try first, without those that are legal
// for other sizes alone, and then its default.
func TestTriesStarts(t *testing.T) {
	cfg := toyConfig(t, "hills", "plain")
	hills, plain := cfg.Spaces[0].Family, cfg.Spaces[1].Family
	plain.Start = []map[string]any{{"a": int64(3)}}
	hills.Start = []map[string]any{{"a": int64(8), "b": int64(8)}, {"a": int64(6), "c": "z"}, {"a": int64(1)}}
	m := &memory{}
	mustRun(t, cfg, newFake(1, false), m)
	got := m.candidates[1]
	if got.Origin.Operator != "start" || got.Variant.Genes["a"] != kernels.Int(6) ||
		got.Variant.Genes["c"] != kernels.String("z") {
		t.Errorf("second candidate: %+v", got)
	}
	if starts := countStarts(m); starts != 2 {
		t.Errorf("%d starts: expected two, and not the default once more", starts)
	}
	for i, operator := range []string{"start", "default"} {
		if c := m.candidates[2+i]; c.Variant.Family != "plain" || c.Origin.Operator != operator {
			t.Errorf("candidate %d is a %s of %s, expected the %s of plain", 2+i, c.Origin.Operator, c.Variant.Family, operator)
		}
	}
}

func countStarts(m *memory) (starts int) {
	for _, c := range m.candidates {
		if c.Origin.Operator == "start" {
			starts++
		}
	}
	return starts
}

// TestNearestStart: where none of a family's starts is legal the search begins with the nearest points that are.
func TestNearestStart(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Spaces[0].Family.Start = []map[string]any{{"a": int64(8), "b": int64(8)}}
	m := &memory{}
	mustRun(t, cfg, newFake(1, false), m)
	if got := m.candidates[1]; got.Origin.Operator != "start" || countStarts(m) != 1 {
		t.Errorf("%d starts, and the second candidate is %+v", countStarts(m), got)
	}
}

// TestAwaitsLikely: the naive start is not fought before the points that families say to try first are known, though
// others that are faster are known by then.
func TestAwaitsLikely(t *testing.T) {
	cfg := toyConfig(t, "hills", "plain")
	cfg.Budget.Evals = 30
	hills := cfg.Spaces[0].Family
	hills.Start = []map[string]any{{"a": int64(6), "b": int64(5), "c": "z", "d": int64(3), "e": true}}
	ev, m := newFake(4, false), &memory{}
	others := make(chan struct{}, 100)
	ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		if toyTime(job.Variant.Genes) == planted {
			for range 12 {
				<-others
			}
		} else {
			defer func() { others <- struct{}{} }()
		}
		return works(job), nil
	}
	mustRun(t, cfg, ev, m)
	if len(m.champions) < 2 {
		t.Fatal("nobody has beaten the naive start")
	}
	first := slices.IndexFunc(m.candidates, func(c kernels.Candidate) bool { return c.ID == m.champions[1] })
	if o := m.candidates[first].Origin; o.Operator != "start" || first < 12 {
		t.Errorf("the first champion is number %d, by %s: expected the start, after others", first, o.Operator)
	}
}

func TestUsesUpTheSpaceAndSkipsEqualSources(t *testing.T) {
	cfg := toyConfig(t, "plain")
	cfg.Budget.Evals = 0
	m := &memory{}
	sum := mustRun(t, cfg, newFake(2, false), m)
	if sum.Reason != ReasonExhausted || sum.Evals != 4 || sum.Skipped != 4 {
		t.Errorf("%+v: expected 4 verdicts and 4 skipped of 8 points", sum)
	}
}

func TestDuplicatesAreNotCharged(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 30
	ev := newFake(2, true)
	ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		r := works(job)
		if job.Variant.Genes["e"] == kernels.Bool(true) {
			r.Outcome, r.Times, r.Code = kernels.Duplicate, nil, "elsewhere"
		}
		return r, nil
	}
	m := &memory{}
	sum := mustRun(t, cfg, ev, m)
	if sum.Evals != 30 || sum.Outcomes[kernels.Duplicate] == 0 || len(m.candidates) != 30+sum.Outcomes[kernels.Duplicate] {
		t.Errorf("%+v with %d stored", sum, len(m.candidates))
	}
}

func TestFailuresAreStoredAndNotBredFrom(t *testing.T) {
	cfg := toyConfig(t, "hills")
	ev := newFake(3, true)
	ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		if job.Variant.Genes["c"] == kernels.String("y") {
			return kernels.Result{Outcome: kernels.Crashed, Detail: "illegal address"}, nil
		}
		return works(job), nil
	}
	m := &memory{}
	sum := mustRun(t, cfg, ev, m)
	failed := map[kernels.ID]bool{}
	for _, c := range m.candidates {
		if c.Result.Outcome == kernels.Crashed {
			failed[c.ID] = true
		}
		for _, p := range c.Origin.Parents {
			if failed[p] {
				t.Fatalf("%s was bred from a candidate that crashed", c.ID.Short())
			}
		}
	}
	if len(failed) == 0 || sum.Outcomes[kernels.Crashed] != len(failed) || sum.Evals != cfg.Budget.Evals {
		t.Errorf("%d failed: %+v", len(failed), sum)
	}
}

func TestBudgets(t *testing.T) {
	for _, tt := range []struct {
		name   string
		budget Budget
		sim    bool
		want   Reason
	}{
		{"evaluations", Budget{Evals: 10}, false, ReasonEvals},
		{"stall", Budget{Stall: 15}, false, ReasonStall},
		{"simulated time", Budget{For: 20e9}, true, ReasonTime},
		{"wall time", Budget{For: 1}, false, ReasonTime},
		{"none", Budget{}, false, ReasonExhausted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := toyConfig(t, "hills")
			cfg.Budget = tt.budget
			var ev Evaluator = newFake(2, true)
			if tt.sim {
				ev = clocked{newFake(2, true)}
			}
			sum := mustRun(t, cfg, ev, &memory{})
			if sum.Reason != tt.want {
				t.Errorf("ended with %q, want %q: %+v", sum.Reason, tt.want, sum)
			}
			if tt.sim && (sum.Evals < 40 || sum.Evals > 42) {
				t.Errorf("%d verdicts of 1 s on 2 slots in 20 s", sum.Evals)
			}
		})
	}
}

// clocked is a fake whose time is its results' cost.
type clocked struct{ *fake }

func (clocked) Capabilities() kernels.Capabilities { return kernels.Capabilities{Simulated: true} }

func TestStallRestarts(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 420
	var c collector
	sum, err := mustSearch(t, cfg, newFake(1, true), &memory{}).Run(context.Background(), c.emit)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Restarts < 2 || len(c.of(KindRestart)) != sum.Restarts {
		t.Errorf("%d restarts, %d events", sum.Restarts, len(c.of(KindRestart)))
	}
	if toyTime(sum.Variant.Genes) != planted {
		t.Error("the champion was lost in a restart")
	}
}

func TestEventsTellTheStory(t *testing.T) {
	cfg := toyConfig(t, "hills")
	var c collector
	m := &memory{}
	sum, err := mustSearch(t, cfg, newFake(2, true), m).Run(context.Background(), c.emit)
	if err != nil {
		t.Fatal(err)
	}
	if first, last := c.all[0], c.all[len(c.all)-1]; first.Kind != KindStart || last.Kind != KindEnd {
		t.Errorf("from %s to %s: expected start to end", first.Kind, last.Kind)
	}
	if n := len(c.of(KindResult)); n != sum.Evals {
		t.Errorf("%d results, %d verdicts", n, sum.Evals)
	}
	if n := len(c.of(KindChampion)); n != len(m.champions) || n < 2 {
		t.Errorf("%d champion events, %d stored", n, len(m.champions))
	}
	if n := len(c.of(KindDuel)); n != len(m.duels) || n != sum.Duels {
		t.Errorf("%d duel events, %d stored, %d counted", n, len(m.duels), sum.Duels)
	}
	for i, e := range c.all {
		if e.Seq != i+1 {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
		if _, err := json.Marshal(e); err != nil {
			t.Fatal(err)
		}
		if e.Kind == KindResult && e.Candidate.Seq == 0 {
			t.Fatal("a result was told before it was stored")
		}
	}
}

func TestConfigMistakes(t *testing.T) {
	good := toyConfig(t, "hills")
	for name, change := range map[string]func(*Config){
		"no space":         func(c *Config) { c.Spaces = nil },
		"no workload":      func(c *Config) { c.Workloads = nil },
		"unknown strategy": func(c *Config) { c.Strategy = "magic" },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := good
			change(&cfg)
			if _, err := New(cfg, newFake(1, true), nil); err == nil {
				t.Error("accepted")
			}
		})
	}
}

// TestNaiveStartOutsidePins searches a space from which pins exclude the default.
func TestNaiveStartOutsidePins(t *testing.T) {
	cfg := toyConfig(t, "hills")
	f := cfg.Spaces[0].Family
	s, err := kernels.NewSpace(f, cfg.Spaces[0].Device, kernels.FP32, kernels.Pins{"a": {kernels.Int(6), kernels.Int(7)}})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Spaces = []*kernels.Space{s}
	m := &memory{}
	mustRun(t, cfg, newFake(2, true), m)
	if got := m.candidates[0].Variant.Genes["a"]; got != kernels.Int(1) {
		t.Errorf("the naive start has a=%v", got)
	}
	for _, c := range m.candidates[1:] {
		if a := c.Variant.Genes["a"]; a != kernels.Int(6) && a != kernels.Int(7) {
			t.Fatalf("a=%v was not asked for", a)
		}
	}
}
