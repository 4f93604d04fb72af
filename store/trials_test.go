package store

import (
	"os"
	"testing"
	"time"

	"darwarp/kernels"
)

func fallen(id kernels.ID) kernels.Trial {
	t := kernels.Trial{ID: id, Provenance: "p", At: time.Unix(1.8e9, 0).UTC()}
	t.Enter(kernels.Doubt{Part: kernels.TrialClasses, Verdict: kernels.Passed, Detail: "12 cases"},
		kernels.Doubt{Part: kernels.TrialDisturbed, Verdict: kernels.Failed, Outcome: kernels.Flaky,
			Detail: "run 17 of 50 gave other bits"})
	return t
}

func TestTrials(t *testing.T) {
	r := newRun(t)
	fill(t, r, 0, 8)
	c := candidate(4)
	same(t, "never on trial", must(r.Trial(c.ID))(t), kernels.Trial{ID: c.ID})
	if all := must(r.Trials())(t); all != nil {
		t.Errorf("%+v", all)
	}
	on := kernels.Trial{ID: c.ID}
	on.Enter(kernels.Doubt{Part: kernels.TrialClasses, Verdict: kernels.Passed})
	for _, want := range []kernels.Trial{on, fallen(c.ID)} { // the later one counts
		if err := r.PutTrial(want); err != nil {
			t.Fatal(err)
		}
		same(t, "trial", must(r.Trial(c.ID))(t), want)
		same(t, "all", must(r.Trials())(t), []kernels.Trial{want})
	}
	r = reopen(t, r)
	same(t, "reopened", must(r.Trial(c.ID))(t), fallen(c.ID))
	if err := r.Verify(); err != nil {
		t.Error(err)
	}
}

// A file of before trials has no bucket for them, and gets it with the first.
func TestRunOfBeforeTrials(t *testing.T) {
	r := newRun(t)
	fill(t, r, 0, 2)
	r = reopen(t, r)
	if _, err := os.Stat(r.path + ".layout3"); err == nil {
		t.Error("the file was migrated")
	}
	if all := must(r.Trials())(t); all != nil {
		t.Errorf("%+v", all)
	}
	if err := r.PutTrial(fallen(candidate(0).ID)); err != nil {
		t.Fatal(err)
	}
	if got := must(reopen(t, r).Trials())(t); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestFellIsOneTransaction(t *testing.T) {
	r := newRun(t)
	fill(t, r, 0, 8)
	valid, cheat := candidate(1), candidate(2)
	for _, id := range []kernels.ID{valid.ID, cheat.ID} {
		if err := r.SetChampion(id, "faster"); err != nil {
			t.Fatal(err)
		}
	}
	before := r.Counts()
	got := must(r.Fell(fallen(cheat.ID), valid.ID, "again", []byte("after")))(t)
	same(t, "outcome", got.Result.Outcome, kernels.Flaky)
	same(t, "detail", got.Result.Detail, "fell on trial (disturbed): run 17 of 50 gave other bits")
	check := func(r *Run) {
		t.Helper()
		same(t, "stored", must(r.Get(cheat.ID))(t), got)
		same(t, "checkpoint", string(must(r.Checkpoint())(t)), "after")
		counts := r.Counts()
		same(t, "ok", counts[kernels.OK], before[kernels.OK]-1)
		same(t, "flaky", counts[kernels.Flaky], before[kernels.Flaky]+1)
		same(t, "number", r.Len(), 8)
		for _, c := range must(r.Top(100))(t) {
			if c.ID == cheat.ID {
				t.Error("it still has a rank")
			}
		}
		id, ok := r.Champion()
		same(t, "champion", ok && id == valid.ID, true)
		same(t, "reigns", len(must(r.Champions())(t)), 3)
		if err := r.Verify(); err != nil {
			t.Error(err)
		}
	}
	check(r)
	for name, f := range map[string]kernels.Trial{"not stored": fallen(kernels.ID{7}), "not fallen": {ID: valid.ID}} {
		if _, err := r.Fell(f, kernels.ID{}, "", nil); err == nil {
			t.Errorf("%s fell", name)
		}
	}
	check(reopen(t, r))
}
