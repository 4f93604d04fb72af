package eval

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/kernels"
	"darwarp/kernels/expr"
	"darwarp/kernels/kernelstest"
)

func TestVerdicts(t *testing.T) {
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
			var r kernels.Result
			try(c.entry, func() bool {
				var err error
				if r, err = pool.Evaluate(context.Background(), fakeJob(t, pool, c.entry)); err != nil {
					t.Fatal(err)
				}
				return r.Outcome == c.want
			})
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
	for _, i := range pool.Cases.Gated() {
		elems += pool.Cases.List[i].Dims["n"]
	}
	if r.Provenance != pool.Provenance().Key() || r.Code == "" || r.Gate == nil ||
		r.Gate.Checks != len(pool.Cases.Gated()) ||
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
	cfg := p.Cfg
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
	for range pool.Runner.Prepare.Slots { // nobody gets to the device
		slots = append(slots, mustSlot(t, pool))
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
		pool.Runner.Free(slot)
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
	plan, err := kernels.CompilePlan("test", job.Plan.Spec, pool.Cfg.Problem, expr.Scope{"n": 0})
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
	where := &env.Location{Driver: env.Found{Name: "libcuda.so.1", Why: "needed to run candidates",
		Do: "Install the NVIDIA driver", Tried: []string{"/usr/lib"}}}
	_, err := Open(context.Background(), Config{Problem: p, Means: Means{Where: where}})
	if err == nil || !strings.Contains(err.Error(),
		"libcuda.so.1 not found: needed to run candidates. Install the NVIDIA driver") {
		t.Fatal(err)
	}
}

func TestSizesThatDoNotFit(t *testing.T) {
	pool := fakePool(t)
	cfg := pool.Cfg
	cfg.Workloads = []kernels.Workload{{Name: "huge", Dims: kernels.Dims{"n": 1 << 30}, Weight: 1}}
	_, err := Open(context.Background(), cfg)
	if err == nil || !strings.Contains(err.Error(), "choose smaller ones with --workload") {
		t.Fatal(err)
	}
}

// TestLostAtTheGate: a candidate whose first call at a scored size is beyond five times the bar runs no more of them,
// is judged by what it has run, and is filed by the gate's time. So is one whose calls on the first set are beyond 1.5
// times the bar. Of others the gate is whole, and at short calls one that is beyond in each run is filed by the gate's
// time, too.
func TestLostAtTheGate(t *testing.T) {
	pool := fakePool(t)
	testLostAtTheGate(t, pool)
	inParts(t, pool)
	testLostAtTheGate(t, pool)
}

func testLostAtTheGate(t *testing.T, pool *Pool) {
	t.Helper()
	all := len(pool.Cases.Gated())
	for _, c := range []struct {
		entry   string
		bar     float64 // ns; 0: there is none
		outcome kernels.Outcome
		tier    string
		judged  int // cases; -1: anything
	}{
		{"glacial", 2e6, kernels.OK, "gate", all - 1},
		{"glacial_twice", 80e6, kernels.OK, "gate", all - 1},
		{"glacial_too", 100e6, kernels.OK, "fitness", all},
		{"glacial_alone", 0, kernels.OK, "fitness", all},
		{"glacial_and_a_short_bar", 10e3, kernels.OK, "gate", all},
		{"glacial_wrong", 2e6, kernels.Wrong, "", -1},
		{"glacial_wrong", 80e6, kernels.Wrong, "", -1},
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
