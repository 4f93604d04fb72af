package eval

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"darwarp/kernels"
	"darwarp/kernels/expr"
	"darwarp/kernels/kernelstest"
	"darwarp/templates"
)

// fakePool opens a pool over the fake device worker, with the real compiler.
func fakePool(t *testing.T) *Pool {
	t.Helper()
	return fakePoolAt(t, Locate())
}

func fakePoolAt(t *testing.T, where Location) *Pool {
	t.Helper()
	return fakePoolOf(t, where, kernelstest.Scale, "")
}

// openPool opens a pool that is closed when the test ends.
func openPool(t *testing.T, cfg Config) *Pool {
	t.Helper()
	pool, err := Open(context.Background(), cfg)
	for range 2 { // at the sizes of tests a session may draw inputs that tell too little, and says so
		if errors.Is(err, ErrUnfit) {
			pool, err = Open(context.Background(), cfg)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return pool
}

// fakePoolOf opens a pool for a problem with another line in its [check].
func fakePoolOf(t *testing.T, where Location, problem, line string) *Pool {
	t.Helper()
	if where.NVRTC.Path == "" || len(where.Include) == 0 {
		t.Skip("NO EVALUATION IS TESTED: NVRTC or its headers not found; see darwarp doctor")
	}
	where.Driver.Path, where.BLASLt.Path = "fake", ""
	t.Setenv("DARWARP_FAKE", t.TempDir())
	p := kernelstest.Problem(t, strings.Replace(problem, "[check]", "[check]\n"+line, 1))
	return openPool(t, Config{
		Problem: p, Reference: `extern "C" __global__ void reference(const float *x, double *y, float *s, int n) {}`,
		Headers: templates.Include(), DType: kernels.FP32, Workloads: p.Workloads, Cache: "hot", Jobs: 2, where: &where,
	})
}

// fakeJob is a candidate whose kernel has the given name; its machine code is its own.
func fakeJob(t *testing.T, p *Pool, entry string) *kernels.Job {
	t.Helper()
	spec := kernels.PlanSpec{Launches: []kernels.LaunchSpec{{Entry: entry, Grid: []string{"ceil_div(n, 256)"},
		Block: []string{"256"}, Args: []string{"x", "y", "n"}}}}
	scope := expr.Scope{"n": 0, "device": kernels.Device{}, "elem": 0}
	plan, err := kernels.CompilePlan("test", spec, p.cfg.Problem.Tensors, scope)
	if err != nil {
		t.Fatal(err)
	}
	src := fmt.Sprintf("extern \"C\" __global__ void %s(const float *x, float *y, int n) { if (n > 0) y[0] = %d; }\n",
		entry, len(entry)*131+int(entry[0]))
	return &kernels.Job{ID: kernels.NewID(src, spec, "test"), Source: src, Plan: plan, Acc: kernels.FP32,
		Env: expr.Env{"device": p.device, "elem": 4}, Bar: kernels.NewBar(map[string]float64{"4096": 10e3})}
}

func shorten(t *testing.T) {
	f, p := floor, patience
	floor, patience = 1500*time.Millisecond, 5*time.Second
	t.Cleanup(func() { floor, patience = f, p })
}

func TestVerdicts(t *testing.T) {
	shorten(t)
	pool := fakePool(t)
	for _, c := range []struct {
		entry   string
		want    kernels.Outcome
		explain string
	}{
		{"good", kernels.OK, ""},
		{"fast", kernels.OK, ""},
		{"slow", kernels.OK, ""},
		{"wrong", kernels.Wrong, "expected"},
		{"wrong_at_last", kernels.Wrong, "4096"},
		{"gives_nan", kernels.Wrong, "NaN"},
		{"race", kernels.Flaky, "different bits"},
		{"out_of_bounds", kernels.Suspect, "outside of its buffers"},
		{"mutates", kernels.Suspect, "its input x"},
		{"cached", kernels.Wrong, "timed launches"},
		{"leaves_marks", kernels.Suspect, "left 8 bytes in scratch"},
		{"strays_later", kernels.Suspect, "timed launches: 1025 normal: wrote 4 bytes outside"},
		{"spoils_later", kernels.Suspect, "the buffers of cold runs: wrote to its input x"},
		{"marks_later", kernels.Suspect, "left 8 bytes in scratch"},
		{"replays", kernels.Suspect, "later calls do less"},
		{"too_fast", kernels.Suspect, "faster than this device can be"},
		{"refused", kernels.Invalid, "701"},
		{"keeps", kernels.Suspect, "keeps answers (64 bytes) in memory that outlives a call"},
		{"keeps_later", kernels.Suspect, "keeps answers (64 bytes) in memory that outlives a call"},
		{"sticky", kernels.Crashed, "700"},
		{"segv", kernels.Crashed, "killed the device process"},
		{"exits", kernels.Crashed, "killed the device process"},
		{"segv_once", kernels.Flaky, "did not repeat"},
		{"hang", kernels.TimedOut, "did not finish"},
		{"stopped", kernels.Lost, "signal: killed"},
		{"hang_later", kernels.TimedOut, "did not finish"},
		{"killed", kernels.Lost, "signal: killed"},
		{"internal", kernels.Lost, "infrastructure"},
		{"flood", kernels.Lost, "infrastructure"},
		{"garbage", kernels.Lost, "infrastructure"},
		{"zero", kernels.Lost, "0 ns"},
		{"negative", kernels.Lost, "-5 ns"},
		{"no_runs", kernels.Lost, "0 of 1 runs"},
	} {
		t.Run(c.entry, func(t *testing.T) {
			r, err := pool.Evaluate(context.Background(), fakeJob(t, pool, c.entry))
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome != c.want || !strings.Contains(r.Detail, c.explain) {
				t.Errorf("%s: %v (%s), expected %v (... %s ...)", c.entry, r.Outcome, r.Detail, c.want, c.explain)
			}
			// Whatever it did, the next candidate is judged as if nothing had happened.
			after, err := pool.Evaluate(context.Background(), fakeJob(t, pool, "good"))
			if err != nil || after.Outcome != kernels.OK {
				t.Fatalf("after %s: %v (%s), %v", c.entry, after.Outcome, after.Detail, err)
			}
		})
	}
}

func TestResultCarriesItsEvidence(t *testing.T) {
	pool := fakePool(t)
	r, err := pool.Evaluate(context.Background(), fakeJob(t, pool, "good"))
	if err != nil {
		t.Fatal(err)
	}
	elems := 0
	for _, i := range pool.cases.Gated() {
		elems += pool.cases.List[i].Dims["n"]
	}
	if r.Provenance != pool.Provenance().Key() || r.Code == "" || r.Gate == nil ||
		r.Gate.Checks != len(pool.cases.Gated()) ||
		r.Gate.Elements != elems {
		t.Errorf("result %+v gate %+v", r, r.Gate)
	}
	if len(r.Times) != 1 || r.Times[0].Median < 10e3 || r.Times[0].Lo > r.Times[0].Median ||
		r.Times[0].Hi < r.Times[0].Median || r.Times[0].Cache != "hot" {
		t.Errorf("times %+v", r.Times)
	}
	if len(r.Resources) != 1 || r.Resources[0].Registers == 0 {
		t.Errorf("resources %+v", r.Resources)
	}
}

// A candidate that is far behind at the first workload still has a figure for each.
func TestHopelessCandidateHasAllItsTimes(t *testing.T) {
	p := fakePool(t)
	cfg := p.cfg
	cfg.Workloads = append(cfg.Workloads, kernels.Workload{Name: "other", Dims: kernels.Dims{"n": 2048}, Weight: 1})
	pool, err := Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	job := fakeJob(t, pool, "slow")
	job.Bar = kernels.NewBar(map[string]float64{"4096": 10e3, "other": 10e3})
	r, err := pool.Evaluate(context.Background(), job)
	if err != nil || r.Outcome != kernels.OK || len(r.Times) != 2 || r.Times[0].Tier != "screen" ||
		r.Times[1].Tier != "gate" || !(r.Times[1].Median > 0) {
		t.Fatalf("%+v, %v", r, err)
	}
}

// A candidate that was asked for before a faster champion was known is held against that one when it gets to the
// device.
func TestBarFallsOnTheWay(t *testing.T) {
	pool := fakePool(t)
	var slots []int
	for range cap(pool.slots) { // nobody gets to the device
		slots = append(slots, <-pool.slots)
	}
	job := fakeJob(t, pool, "slow")
	job.Bar.Set(map[string]float64{"4096": 90e3})
	done := make(chan kernels.Result)
	go func() {
		r, err := pool.Evaluate(context.Background(), job)
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	for pool.flying.Load() == 0 {
		runtime.Gosched()
	}
	job.Bar.Set(map[string]float64{"4096": 30e3})
	for _, slot := range slots {
		pool.free(slot)
	}
	if r := <-done; r.Outcome != kernels.OK || len(r.Times) != 1 || r.Times[0].Tier != "screen" {
		t.Errorf("%+v: expected a screened candidate", r)
	}
}

func TestSameMachineCodeIsMeasuredOnce(t *testing.T) {
	pool := fakePool(t)
	first := fakeJob(t, pool, "good")
	if r, err := pool.Evaluate(context.Background(), first); err != nil || r.Outcome != kernels.OK {
		t.Fatal(r, err)
	}
	second := fakeJob(t, pool, "good")
	second.Source += "// another comment\n"
	second.ID = kernels.NewID(second.Source, second.Plan.Spec, "test")
	r, err := pool.Evaluate(context.Background(), second)
	if err != nil || r.Outcome != kernels.Duplicate || !strings.Contains(r.Detail, first.ID.Short()) {
		t.Fatalf("%v (%s), %v: expected a duplicate of %s", r.Outcome, r.Detail, err, first.ID.Short())
	}
}

func TestDuel(t *testing.T) {
	shorten(t)
	pool := fakePool(t)
	for _, c := range []struct {
		champion, challenger string
		want                 kernels.Verdict
		outcome              kernels.Outcome
		culprit              kernels.Side
		detail               string
	}{
		{"good", "fast", kernels.Faster, 0, "", ""},
		{"slow", "fast", kernels.Faster, 0, "", ""}, // a landslide, in both halves
		{"fast", "slow", kernels.Slower, 0, "", ""},
		{"fast", "good", kernels.Slower, 0, "", ""},
		{"good", "same", kernels.Same, 0, "", ""},
		{"good", "seen_only", kernels.Slower, 0, "", "faster only on inputs it has seen"},
		{"good", "seen_a_little", kernels.Ambiguous, 0, "", "not significantly on inputs it has not seen"},
		{"good", "replays_scratch", kernels.Ambiguous, kernels.Suspect, kernels.TheChallenger, "keeps answers"},
		{"good", "stores_what_differs", kernels.Ambiguous, kernels.Suspect, kernels.TheChallenger, "0.80 of the time"},
		{"good", "cached", kernels.Ambiguous, kernels.Wrong, kernels.TheChallenger, "timed launches"},
		{"good", "wrong", kernels.Ambiguous, kernels.Wrong, kernels.TheChallenger, "expected"},
		{"wrong", "good", kernels.Ambiguous, kernels.Wrong, kernels.TheChampion, "expected"},
		{"cached", "good", kernels.Ambiguous, kernels.Wrong, kernels.TheChampion, "timed launches"},
		{"good", "wrong_on_trial", kernels.Ambiguous, kernels.Wrong, kernels.TheChallenger, "expected"},
		{"good", "impossible", kernels.Ambiguous, kernels.Suspect, kernels.TheChallenger, "faster than this device can be"},
		{"good", "strays_in_duel", kernels.Ambiguous, kernels.Suspect, kernels.TheChallenger,
			"1025 normal: wrote 4 bytes outside"},
		{"strays_in_duel", "good", kernels.Ambiguous, kernels.Suspect, kernels.TheChampion,
			"1025 normal: wrote 4 bytes outside"},
		{"good", "spoils_in_duel", kernels.Ambiguous, kernels.Suspect, kernels.TheChallenger, "wrote to its input x"},
		{"good", "marks_in_duel", kernels.Ambiguous, kernels.Suspect, kernels.TheChallenger, "left 8 bytes"},
		{"good", "crashes_in_duel", kernels.Ambiguous, kernels.Crashed, kernels.TheChallenger, "700"},
		{"good", "hangs_in_duel", kernels.Ambiguous, kernels.TimedOut, kernels.TheChallenger, "did not finish"},
	} {
		d, err := pool.Duel(context.Background(), fakeJob(t, pool, c.champion), fakeJob(t, pool, c.challenger))
		if err != nil || d.Verdict != c.want || d.Outcome != c.outcome || d.Culprit != c.culprit ||
			!strings.Contains(d.Detail, c.detail) {
			t.Errorf("%s against %s: %+v, %v: expected %s, %v of %q", c.challenger, c.champion, d, err, c.want, c.outcome,
				c.culprit)
		}
		if fresh := len(d.Rounds) - len(d.Steady()); d.Verdict == kernels.Faster &&
			(fresh != 1 || d.Rounds[1].Pairs == 0 || d.Rounds[1].Repeat != [2]float64{1, 1}) {
			t.Errorf("%s against %s: %d fresh rounds: %+v", c.challenger, c.champion, fresh, d.Rounds)
		}
	}
	if pool.Provenance().Noise == 0 {
		t.Error("no A/A noise was measured before the first duel")
	}
}

// TestAtomics: where equal outputs may differ in their bits, those of timed launches are judged, and whoever is timed
// next is not blamed.
func TestAtomics(t *testing.T) {
	pool := fakePoolOf(t, Locate(), kernelstest.Scale, "atomics = true")
	for _, c := range []struct {
		entry   string
		want    kernels.Outcome
		explain string
	}{
		{"good", kernels.OK, ""},
		{"race", kernels.OK, ""},
		{"half_when_timed", kernels.Wrong, "timed launches: 4096 normal"},
		{"replays", kernels.Suspect, "later calls do less"},
		{"slow", kernels.OK, ""},
		{"zero", kernels.Lost, "0 ns"},
		{"good_after", kernels.OK, ""},
	} {
		r, err := pool.Evaluate(t.Context(), fakeJob(t, pool, c.entry))
		if err != nil || r.Outcome != c.want || !strings.Contains(r.Detail, c.explain) {
			t.Errorf("%s: %v (%s), %v: expected %v (... %s ...)", c.entry, r.Outcome, r.Detail, err, c.want, c.explain)
		}
		if n := len(r.Times); r.Outcome == kernels.OK && (n != 1 || r.Times[0].Samples < firstSamples ||
			(r.Times[0].Tier == "screen") != (c.entry == "slow")) {
			t.Errorf("%s: times %+v", c.entry, r.Times)
		}
	}
	for _, c := range []struct {
		champion, challenger string
		want                 kernels.Verdict
		culprit              kernels.Side
	}{
		{"good", "fast", kernels.Faster, ""},
		{"good", "half_in_duel", kernels.Ambiguous, kernels.TheChallenger},
		{"half_in_duel", "good", kernels.Ambiguous, kernels.TheChampion},
		{"good", "seen_only", kernels.Slower, ""},
	} {
		d, err := pool.Duel(t.Context(), fakeJob(t, pool, c.champion), fakeJob(t, pool, c.challenger))
		if err != nil || d.Verdict != c.want || d.Culprit != c.culprit || (d.Outcome == kernels.Wrong) != (c.culprit != "") {
			t.Errorf("%s against %s: %+v, %v: expected %s of %q", c.challenger, c.champion, d, err, c.want, c.culprit)
		}
	}
}

// A duel whose worker somebody killed is no duel; the search fights it again, and what is published at the end does so
// by itself.
func TestKilledInADuel(t *testing.T) {
	pool := fakePool(t)
	good, fast := fakeJob(t, pool, "good"), fakeJob(t, pool, "killed_in_duel")
	if d, err := pool.Duel(context.Background(), good, fast); !errors.Is(err, kernels.ErrLost) {
		t.Errorf("%+v, %v: expected a lost duel", d, err)
	}
	if d, err := pool.Duel(context.Background(), good, fast); err != nil || d.Verdict != kernels.Faster {
		t.Errorf("again: %+v, %v", d, err)
	}
	if d, err := pool.Versus(context.Background(), good, fakeJob(t, pool, "killed_at_the_end"), "hot"); err != nil ||
		d.Verdict != kernels.Faster {
		t.Errorf("at the end: %+v, %v", d, err)
	}
}

func TestFinalUsesAFreshProcess(t *testing.T) {
	pool := fakePool(t)
	job := fakeJob(t, pool, "good")
	if _, err := pool.Evaluate(context.Background(), job); err != nil {
		t.Fatal(err)
	}
	_, before := pool.Load()
	r, err := pool.Final(context.Background(), job)
	if err != nil || r.Outcome != kernels.OK || len(r.Times) != 2 || r.Times[0].Cache != "hot" ||
		r.Times[1].Cache != "cold" || r.Times[0].Tier != "final" {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, after := pool.Load(); after != before+1 {
		t.Errorf("%d workers before, %d after: expected one more", before, after)
	}
}

func TestPlanFaultsAreTheCandidates(t *testing.T) {
	pool := fakePool(t)
	job := fakeJob(t, pool, "good")
	job.Plan.Spec.Launches[0].Smem = "300000"
	plan, err := kernels.CompilePlan("test", job.Plan.Spec, pool.cfg.Problem.Tensors, expr.Scope{"n": 0})
	if err != nil {
		t.Fatal(err)
	}
	job.Plan = plan
	r, err := pool.Evaluate(context.Background(), job)
	if err != nil || r.Outcome != kernels.Invalid || !strings.Contains(r.Detail, "300000 bytes of shared memory") {
		t.Fatalf("%v (%s), %v", r.Outcome, r.Detail, err)
	}
}

func TestMissingDriverSaysWhatToDo(t *testing.T) {
	p := kernelstest.Problem(t, kernelstest.Scale)
	_, err := Open(context.Background(), Config{Problem: p, where: &Location{Driver: Found{Name: "libcuda.so.1",
		Why: "needed to run candidates", Do: "Install the NVIDIA driver", Tried: []string{"/usr/lib"}}}})
	if err == nil || !strings.Contains(err.Error(),
		"libcuda.so.1 not found: needed to run candidates. Install the NVIDIA driver") {
		t.Fatal(err)
	}
}

func TestSizesThatDoNotFit(t *testing.T) {
	pool := fakePool(t)
	cfg := pool.cfg
	cfg.Workloads = []kernels.Workload{{Name: "huge", Dims: kernels.Dims{"n": 1 << 30}, Weight: 1}}
	_, err := Open(context.Background(), cfg)
	if err == nil || !strings.Contains(err.Error(), "choose smaller ones with --workload") {
		t.Fatal(err)
	}
}

// TestLostAtTheGate: a candidate whose first call at a scored size is beyond five times the bar runs no more of them,
// is judged by what it has run, and is filed by the gate's time. Of others the gate is whole.
func TestLostAtTheGate(t *testing.T) {
	pool := fakePool(t)
	all := len(pool.cases.Gated())
	for _, c := range []struct {
		entry   string
		bar     float64 // ns; 0: there is none
		outcome kernels.Outcome
		tier    string
		judged  int // cases; -1: anything
	}{
		{"glacial", 2e6, kernels.OK, "gate", all - 1},
		{"glacial_too", 30e6, kernels.OK, "fitness", all},
		{"glacial_alone", 0, kernels.OK, "fitness", all},
		{"glacial_and_a_short_bar", 10e3, kernels.OK, "gate", all},
		{"glacial_wrong", 2e6, kernels.Wrong, "", -1},
		{"good", 2e6, kernels.OK, "fitness", all},
		{"gives_up", 2e6, kernels.Lost, "", -1},
	} {
		job := fakeJob(t, pool, c.entry)
		if job.Bar = nil; c.bar > 0 {
			job.Bar = kernels.NewBar(map[string]float64{"4096": c.bar})
		}
		r, err := pool.Evaluate(t.Context(), job)
		tier := ""
		if len(r.Times) > 0 {
			tier = r.Times[0].Tier
		}
		if err != nil || r.Outcome != c.outcome || tier != c.tier ||
			c.judged >= 0 && (r.Gate == nil || r.Gate.Checks != c.judged) {
			t.Errorf("%s: %+v, %+v, %v", c.entry, r, r.Gate, err)
		}
	}
}
