package evolve

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"darwarp/kernels"
)

// weighing is a fake whose workload "large" takes toyTime of the other end of gene a, so that weights
// decide which candidate is best. Its duels follow the weights.
type weighing struct {
	*fake
	weights map[string]float64
}

func newWeighing(slots int) *weighing {
	w := &weighing{fake: newFake(slots, true), weights: map[string]float64{"small": 1, "large": 3}}
	w.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		return kernels.Result{Outcome: kernels.OK, Code: job.ID.String(), Times: twoTimes(job.Variant.Genes),
			Cost: kernels.Cost{Time: 1}}, nil
	}
	w.duel = func(_ context.Context, a, b *kernels.Job) (kernels.Duel, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		workloads := []kernels.Workload{{Name: "small", Weight: w.weights["small"]},
			{Name: "large", Weight: w.weights["large"]}}
		ratio, err := kernels.Score(twoTimes(b.Variant.Genes), medians(twoTimes(a.Variant.Genes)), workloads)
		return duelOf(ratio), err
	}
	return w
}

func (w *weighing) Capabilities() kernels.Capabilities { return kernels.Capabilities{Weigh: w.Weigh} }

func (w *weighing) Weigh(workloads []kernels.Workload) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range workloads {
		w.weights[x.Name] = x.Weight
	}
}

func twoTimes(g kernels.Genome) []kernels.Timing {
	a, _ := g["a"].Any().(int)
	return timesOf(100+20*float64(a), 400-20*float64(a))
}

// steered runs a search that is sent commands when it has stored so many results: from an evaluator,
// so that the loop stands still meanwhile and the run is the same every time.
func steered(t *testing.T, cfg Config, ev Evaluator, inner *fake, m *memory,
	at map[int]func(s *Search)) (Summary, *collector) {
	t.Helper()
	s := mustSearch(t, cfg, ev, m)
	answer := inner.answer
	asked := 0
	inner.answer = func(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
		inner.mu.Lock()
		asked++
		do := at[asked]
		inner.mu.Unlock()
		if do != nil {
			do(s)
		}
		if answer != nil {
			return answer(ctx, job)
		}
		return works(job), nil
	}
	var c collector
	sum, err := s.Run(context.Background(), c.emit)
	if err != nil {
		t.Fatal(err)
	}
	return sum, &c
}

// leader is the stored candidate with the least score. With one slot nothing is stored while an evaluator
// looks, but a duel may be settled: the champion is not to be looked at.
func (m *memory) leader() kernels.Candidate {
	best := m.candidates[0]
	for _, c := range m.candidates {
		if c.Result.Outcome == kernels.OK && c.Score < best.Score {
			best = c
		}
	}
	return best
}

func mustSteer(t *testing.T, s *Search, c Command) {
	t.Helper()
	if err := s.Steer(context.Background(), c); err != nil {
		t.Errorf("%s: %v", c.Do, err)
	}
}

func refuses(t *testing.T, s *Search, c Command, want string) {
	t.Helper()
	err := s.Steer(context.Background(), c)
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%+v: %v, want %q", c, err, want)
	}
}

func TestPin(t *testing.T) {
	cfg := toyConfig(t, "hills", "plain")
	cfg.Budget.Evals = 150
	ev, m := newFake(1, true), &memory{}
	var worst kernels.ID
	var from int
	steered(t, cfg, ev, ev, m, map[int]func(*Search){
		60: func(s *Search) {
			var last kernels.Candidate // the naive start apart
			for _, c := range m.candidates[1:] {
				if c.Score > last.Score && c.Variant.Family == "hills" {
					last = c
				}
			}
			worst, from = last.ID, len(m.candidates)
			mustSteer(t, s, Command{Do: "pin", ID: worst})
			mustSteer(t, s, Command{Do: "pin", ID: worst}) // once more is harmless
			refuses(t, s, Command{Do: "pin", ID: kernels.ID{9}}, "no such candidate")
			refuses(t, s, Command{Do: "unpin", ID: m.candidates[0].ID}, "is not pinned")
		},
		150: func(s *Search) {
			mustSteer(t, s, Command{Do: "unpin", ID: worst})
			if len(s.steering.pinned()) != 0 {
				t.Error("still pinned")
			}
		},
	})
	children := func(all []kernels.Candidate) (n int) {
		for _, c := range all {
			if slices.Contains(c.Origin.Parents, worst) {
				n++
			}
		}
		return n
	}
	if before, after := children(m.candidates[:from]), children(m.candidates[from:]); after < 5 || before > after {
		t.Errorf("the worst candidate had %d children before it was pinned and %d after", before, after)
	}
}

func TestKillALineage(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 140
	ev, m := newFake(1, true), &memory{}
	var victim kernels.ID
	var from int
	sum, c := steered(t, cfg, ev, ev, m, map[int]func(*Search){70: func(s *Search) {
		victim, from = m.leader().ID, len(m.candidates)
		mustSteer(t, s, Command{Do: "kill", ID: victim})
		refuses(t, s, Command{Do: "kill", ID: victim}, "was killed already")
		refuses(t, s, Command{Do: "kill", ID: kernels.ID{7}}, "no such candidate")
		refuses(t, s, Command{Do: "pin", ID: victim}, "its lineage was killed")
	}})
	dead := map[kernels.ID]bool{victim: true}
	for i, x := range m.candidates {
		for _, p := range x.Origin.Parents {
			if dead[p] && i > from { // one was in flight
				t.Fatalf("%s was bred from %s, which was killed or descends from it", x.ID.Short(), p.Short())
			}
			dead[x.ID] = dead[x.ID] || dead[p]
		}
	}
	if len(m.candidates) != 140 || sum.Champion.IsZero() {
		t.Errorf("%+v with %d stored", sum, len(m.candidates))
	}
	if e := c.of(KindSteer); len(e) != 1 || e[0].ID != victim || !strings.Contains(e[0].Note, "bred from no more") {
		t.Errorf("events %+v", e)
	}
}

func TestAddToTheBudget(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 20
	ev, m := newFake(1, true), &memory{}
	sum, _ := steered(t, cfg, ev, ev, m, map[int]func(*Search){20: func(s *Search) {
		mustSteer(t, s, Command{Do: "add", Evals: 15})
		refuses(t, s, Command{Do: "add", For: time.Hour}, "no limit of time")
		refuses(t, s, Command{Do: "add"}, "expected evaluations or time")
		refuses(t, s, Command{Do: "add", Evals: -1}, "expected evaluations or time")
		refuses(t, s, Command{Do: "add", For: MostTime + time.Hour}, "add: 8761h00m: expected at most 8760h, a year")
		refuses(t, s, Command{Do: "add", Evals: math.MaxInt}, "at most 9,223,372,036,854,775,772 evaluations")
	}})
	if sum.Evals != 35 || sum.Reason != ReasonEvals {
		t.Errorf("%+v", sum)
	}
	if sum := mustRun(t, cfg, newFake(1, true), m.clone()); sum.Evals != 35 {
		t.Errorf("resumed with its own budget: %d verdicts", sum.Evals)
	}
	cfg.Budget.Evals = 50
	if sum := mustRun(t, cfg, newFake(1, true), m.clone()); sum.Evals != 50 {
		t.Errorf("resumed with another budget: %d verdicts", sum.Evals)
	}
}

func TestWeigh(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 120
	ev, m := newWeighing(1), &memory{}
	gene := func(v kernels.Variant) int { n, _ := v.Genes["a"].Any().(int); return n }
	sum, _ := steered(t, cfg, ev, ev.fake, m, map[int]func(*Search){80: func(s *Search) {
		if got := gene(m.leader().Variant); got != 8 {
			t.Errorf("while the large workload counts the best has a=%d", got)
		}
		refuses(t, s, Command{Do: "weigh"}, "expected weights of some of small, large")
		refuses(t, s, Command{Do: "weigh", Weights: map[string]float64{"huge": 1}}, `unknown workload "huge"`)
		refuses(t, s, Command{Do: "weigh", Weights: map[string]float64{"small": 0}}, "expected a positive number")
		mustSteer(t, s, Command{Do: "weigh", Weights: map[string]float64{"small": 50}})
	}})
	if got := gene(sum.Variant); got != 1 {
		t.Errorf("when the small workload counts the champion has a=%d", got)
	}
	workloads := slices.Clone(cfg.Workloads)
	workloads[0].Weight = 50
	base := medians(m.candidates[0].Result.Times)
	for _, c := range m.candidates {
		if want, err := kernels.Score(c.Result.Times, base, workloads); err != nil || c.Score != want {
			t.Fatalf("candidate %d is stored with score %g, expected %g (%v)", c.Seq, c.Score, want, err)
		}
	}
	if sum.Best > sum.Score {
		t.Errorf("best %g, champion %g", sum.Best, sum.Score)
	}
}

func TestWeighNeedsAnEvaluatorThatCan(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 10
	ev := newFake(1, true)
	steered(t, cfg, ev, ev, &memory{}, map[int]func(*Search){
		1: func(s *Search) {
			refuses(t, s, Command{Do: "weigh", Weights: map[string]float64{"small": 2}}, "the naive start is not judged yet")
		},
		5: func(s *Search) {
			refuses(t, s, Command{Do: "weigh", Weights: map[string]float64{"small": 2}}, "cannot change their weights")
		},
	})
}

func genes(a, b int, c string) kernels.Genome {
	return kernels.Genome{"a": kernels.Int(a), "b": kernels.Int(b), "c": kernels.String(c)}
}

func TestInject(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 30
	ev, m := newFake(1, true), &memory{}
	best := genes(6, 5, "z")
	best["d"], best["e"] = kernels.Int(3), kernels.Bool(true)
	sum, _ := steered(t, cfg, ev, ev, m, map[int]func(*Search){
		1: func(s *Search) { // before there is anything to compare it with
			mustSteer(t, s, Command{Do: "inject", Variant: &kernels.Variant{Family: "hills", Genes: best}})
			refuses(t, s, Command{Do: "inject", Variant: &kernels.Variant{Family: "hills", Genes: best}},
				"was asked for already")
		},
		3: func(s *Search) {
			refuses(t, s, Command{Do: "inject", Variant: &kernels.Variant{Family: "hill"}},
				`family "hill" is not searched: expected one of hills`)
			refuses(t, s, Command{Do: "inject"}, "expected the genes of a family")
			for _, v := range []kernels.Variant{{Source: "__global__ void f() {}"}, {Plan: &kernels.PlanSpec{}}} {
				v.Family, v.Genes = "hills", genes(1, 2, "x")
				refuses(t, s, Command{Do: "inject", Variant: &v}, "a source cannot be injected")
			}
			refuses(t, s, Command{Do: "inject", Variant: &kernels.Variant{Family: "hills", Genes: genes(9, 1, "x")}},
				"gene a has no value 9")
			refuses(t, s, Command{Do: "inject", Variant: &kernels.Variant{Family: "hills", Genes: genes(8, 8, "x")}},
				"there is no room for more")
			refuses(t, s, Command{Do: "inject",
				Variant: &kernels.Variant{Family: "hills", Genes: kernels.Genome{"f": kernels.Int(1)}}}, `unknown gene "f"`)
		},
		30: func(s *Search) { // nothing is left of the budget
			mustSteer(t, s, Command{Do: "inject", Variant: &kernels.Variant{Family: "hills", Genes: genes(7, 5, "y")}})
		},
	})
	if toyTime(sum.Variant.Genes) != planted || sum.Evals != 31 {
		t.Errorf("%+v", sum)
	}
	if c := m.candidates[1]; c.Origin.Operator != "injected" || c.ID != sum.Champion {
		t.Errorf("the second candidate came by %s", c.Origin.Operator)
	}
	if c := m.candidates[30]; c.Origin.Operator != "injected" {
		t.Errorf("the last candidate came by %s", c.Origin.Operator)
	}
}

func TestStopAndAbort(t *testing.T) {
	for do, want := range map[string]Reason{"stop": ReasonStopped, "abort": ReasonAborted} {
		cfg := toyConfig(t, "hills")
		ev, m := newFake(3, false), &memory{}
		s := mustSearch(t, cfg, ev, m)
		ev.answer = func(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
			ev.mu.Lock()
			n := len(ev.jobs)
			ev.mu.Unlock()
			if n == 12 {
				mustSteer(t, s, Command{Do: do})
			}
			return works(job), nil
		}
		sum, err := s.Run(context.Background(), nil)
		if err != nil || sum.Reason != want || sum.Evals >= cfg.Budget.Evals || sum.Evals != len(m.candidates) {
			t.Errorf("%s: %+v with %d stored, %v", do, sum, len(m.candidates), err)
		}
		if err := s.Steer(context.Background(), Command{Do: "pause"}); !errors.Is(err, ErrEnded) {
			t.Errorf("afterwards: %v", err)
		}
	}
}

func TestSteerRefusesWhatItDoesNotKnow(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 10
	ev := newFake(1, true)
	steered(t, cfg, ev, ev, &memory{}, map[int]func(*Search){
		2: func(s *Search) {
			refuses(t, s, Command{Do: "dance"}, `unknown command "dance": expected one of pause, resume, pin`)
			refuses(t, s, Command{Do: "resume"}, "is not paused")
		},
		4: func(s *Search) {
			mustSteer(t, s, Command{Do: "stop"})
			mustSteer(t, s, Command{Do: "stop"})
			refuses(t, s, Command{Do: "pin"}, "the search is ending")
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := mustSearch(t, cfg, newFake(1, true), &memory{}).Steer(ctx, Command{Do: "pause"}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("a search that nobody runs: %v", err)
	}
}

func TestBudgetsAreWrittenAsOtherFields(t *testing.T) {
	b, err := json.Marshal(StartInfo{Budget: Budget{Evals: 3, For: 5}})
	if err != nil || !strings.Contains(string(b), `"budget":{"evals":3,"for":5}`) {
		t.Errorf("%s, %v", b, err)
	}
	var old StartInfo // as it was written before
	if err := json.Unmarshal([]byte(`{"budget":{"Evals":3,"For":5,"Stall":0}}`), &old); err != nil ||
		old.Budget != (Budget{Evals: 3, For: 5}) {
		t.Errorf("%+v, %v", old, err)
	}
}
