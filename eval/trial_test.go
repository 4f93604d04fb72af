package eval

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/tools"
	"darwarp/eval/internal/trial"
	"darwarp/kernels"
)

// few makes the numbers of runs small, and gives them all the time that they take.
func few(t *testing.T) {
	usual := trial.Usual
	trial.Usual.DisturbedRuns, trial.Usual.JudgedLaunches = 5, 1000
	trial.Usual.LaunchesFor, trial.Usual.QuickFor = time.Hour, time.Hour
	t.Cleanup(func() { trial.Usual = usual })
}

// What a would-be champion does wrong is its own, in every part; what our side loses may be asked again.
func TestTrialOnTheDevice(t *testing.T) {
	few(t)
	pool := fakePool(t)
	for _, c := range []struct {
		entry   string
		part    kernels.TrialPart
		want    kernels.Doubted // empty: lost
		outcome kernels.Outcome
		explain string
	}{
		{"good", kernels.TrialClasses, kernels.Passed, 0, "more sets of inputs at 1 workload"},
		{"wrong_on_trial", kernels.TrialClasses, kernels.Failed, kernels.Wrong, "expected"},
		{"race", kernels.TrialClasses, kernels.Failed, kernels.Flaky, "different bits"},
		{"killed", kernels.TrialClasses, "", 0, ""},
		{"good", kernels.TrialFresh, kernels.Passed, 0, "80 fresh calls on 8 sets of inputs; 6 pairs against itself"},
		{"replays_scratch", kernels.TrialFresh, kernels.Failed, kernels.Suspect,
			"keeps answers: repeated calls on the same inputs take 0.20"},
		{"strays_in_duel", kernels.TrialFresh, kernels.Failed, kernels.Suspect, "1025 normal"},
		{"crashes_in_duel", kernels.TrialFresh, kernels.Failed, kernels.Crashed, "ILLEGAL_ADDRESS"},
		{"hangs_in_duel", kernels.TrialFresh, kernels.Failed, kernels.TimedOut, "did not finish"},
		{"killed_in_duel", kernels.TrialFresh, "", 0, ""},
		{"good", kernels.TrialDisturbed, kernels.Passed, 0, " sets of inputs beside a disturbing stream"},
		{"races_disturbed", kernels.TrialDisturbed, kernels.Failed, kernels.Flaky, "other bits than those that were judged"},
		{"strays_disturbed", kernels.TrialDisturbed, kernels.Failed, kernels.Suspect, "wrote 4 bytes outside"},
		{"mutates_disturbed", kernels.TrialDisturbed, kernels.Failed, kernels.Suspect, "4096 normal: wrote to its input x"},
		{"keeps_disturbed", kernels.TrialDisturbed, kernels.Failed, kernels.Suspect, "left 8 bytes"},
		{"faults_disturbed", kernels.TrialDisturbed, kernels.Failed, kernels.Crashed, "ILLEGAL_ADDRESS"},
		{"dies_disturbed", kernels.TrialDisturbed, kernels.Failed, kernels.Crashed, "killed the device process (disturb)"},
		{"dies_once_disturbed", kernels.TrialDisturbed, kernels.Failed, kernels.Flaky, "did not repeat"},
		{"hangs_disturbed", kernels.TrialDisturbed, kernels.Failed, kernels.TimedOut, "did not finish (disturb)"},
		{"killed_disturbed", kernels.TrialDisturbed, "", 0, ""},
		{"dice", kernels.TrialDisturbed, kernels.Passed, 0, ""},
		{"dice", kernels.TrialLaunches, kernels.Failed, kernels.Flaky, "first run 100"},
		{"good", kernels.TrialLaunches, kernels.Passed, 0, "1,000 judged launches on 8 sets"},
	} {
		t.Run(c.entry+" "+string(c.part), func(t *testing.T) {
			var d kernels.Doubt
			var err error
			try(c.entry, func() bool {
				var got kernels.Trial
				got, err = pool.Trial(context.Background(), fakeJob(t, pool, c.entry), c.part)
				d = got.Part(c.part)
				return d.Outcome == c.outcome && strings.Contains(d.Detail, c.explain)
			})
			if c.want == "" {
				if !errors.Is(err, kernels.ErrLost) || d.Verdict != kernels.Pending {
					t.Errorf("%v, %+v: expected that it was lost", err, d)
				}
				return
			}
			if err != nil || d.Verdict != c.want || d.Outcome != c.outcome || !strings.Contains(d.Detail, c.explain) {
				t.Errorf("%v, %+v, expected %s %s ...%s...", err, d, c.want, c.outcome, c.explain)
			}
		})
	}
	if _, err := pool.Trial(context.Background(), fakeJob(t, pool, "good"), "dreams"); err == nil {
		t.Error("an unknown part was tried")
	}
}

// A trial ends at the first part that fails, and the parts before it are in it.
func TestTrialEndsWhereItFails(t *testing.T) {
	few(t)
	pool := fakePool(t)
	got, err := pool.Trial(context.Background(), fakeJob(t, pool, "races_disturbed"), kernels.TrialClasses,
		kernels.TrialDisturbed, kernels.TrialLaunches)
	var parts []kernels.TrialPart
	for _, d := range got.Parts {
		parts = append(parts, d.Part)
	}
	if err != nil || got.Standing() != kernels.Fell || !slices.Equal(parts,
		[]kernels.TrialPart{kernels.TrialClasses, kernels.TrialDisturbed}) {
		t.Errorf("%v, %s", err, got.Text())
	}
	if got.ID != fakeJob(t, pool, "races_disturbed").ID || got.Provenance != pool.Provenance().Key() || got.At.IsZero() {
		t.Errorf("%+v", got)
	}
}

// Where time is up the part is not possible here, and says how far it came.
func TestTrialWithoutTime(t *testing.T) {
	few(t)
	trial.Usual.LaunchesFor, trial.Usual.QuickFor = 0, 0
	pool := fakePool(t)
	trial.Usual.JudgedLaunches = 10 * device.MostDisturbed
	trial.Usual.DisturbedRuns = 10 * device.MostDisturbed // of each input, and a tenth is enough
	for part, want := range map[kernels.TrialPart]kernels.Doubt{
		kernels.TrialLaunches: {Verdict: kernels.Impossible,
			Detail: " of 10,240 judged launches on 8 sets of inputs in 0s, and nothing was found"},
		kernels.TrialDisturbed: {Verdict: kernels.Impossible,
			Detail: "beside a disturbing stream in 0s, and nothing was found"},
		kernels.TrialFresh: {Verdict: kernels.Passed, Detail: "80 fresh calls"}, // one request
	} {
		got, err := pool.Trial(context.Background(), fakeJob(t, pool, "good"), part)
		if d := got.Part(part); err != nil || d.Verdict != want.Verdict || !strings.Contains(d.Detail, want.Detail) {
			t.Errorf("%v, %+v", err, d)
		}
	}
	trial.Usual.LaunchesFor = time.Hour
	got, err := pool.Trial(context.Background(), fakeJob(t, pool, "good"), kernels.TrialDisturbed)
	if d := got.Part(kernels.TrialDisturbed); err != nil || d.Verdict != kernels.Passed ||
		!strings.Contains(d.Detail, "as many as fit into 0s") {
		t.Errorf("%v, %+v", err, d)
	}
}

// Where outputs may differ in their bits each of them goes to the judge, as many at once as a slot has room for.
func TestTrialOfAtomics(t *testing.T) {
	few(t)
	pool := fakePool(t)
	pool.Cfg.Problem.Check.Atomics = true
	for entry, want := range map[string]kernels.Outcome{"good": kernels.Unknown, "wrong_sums_disturbed": kernels.Wrong} {
		got, err := pool.Trial(context.Background(), fakeJob(t, pool, entry), kernels.TrialDisturbed)
		if d := got.Part(kernels.TrialDisturbed); err != nil || d.Outcome != want ||
			(want == kernels.Unknown) != (d.Verdict == kernels.Passed) {
			t.Errorf("%s: %v, %+v", entry, err, d)
		}
	}
}

// compute-sanitizer's tools are a part of a trial: one finding is enough to fall by, and what says nothing is held
// against nobody.
func TestTrialSanitized(t *testing.T) {
	pool := fakePool(t)
	const clean = "case $tool in racecheck) echo '========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 " +
		"warnings)';; *) echo '========= ERROR SUMMARY: 0 errors';; esac >$out\n"
	race := "if [ $tool = racecheck ]; then printf '========= Error: Race reported between Write access at k+0x10 and " +
		"Read access at k+0x20\\n========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\\n' >$out; exit " +
		"86; fi\n"
	invalid := "if [ $tool = memcheck ]; then printf '========= Invalid __global__ read of size 4 bytes\\n========= " +
		"ERROR SUMMARY: 2 errors\\n' >$out; exit 86; fi\n"
	endless := "if [ $tool = initcheck ]; then echo '========= Uninitialized __global__ memory read of size 4 bytes' " +
		">$out; sleep 100; fi\n"
	for _, c := range []struct {
		name, script string
		want         kernels.Doubted
		outcome      kernels.Outcome
		explain      string
	}{
		{"finds, and does not end", endless + clean, kernels.Failed, kernels.Flaky, "Uninitialized __global__ memory read"},
		{"clean", clean, kernels.Passed, 0, "memcheck clean, initcheck clean, racecheck clean, synccheck clean"},
		{"race", race + clean, kernels.Failed, kernels.Flaky, "Race reported"},
		{"out of bounds", invalid + clean, kernels.Failed, kernels.Crashed, "Invalid __global__ read"},
		{"cut off", "kill -9 $$", kernels.Impossible, 0, "memcheck says nothing"},
		{"one cut off, another finds", "[ $tool = initcheck ] && kill -9 $$\n" + race + clean, kernels.Failed, kernels.Flaky,
			"initcheck says nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeSanitizer(t, c.script)
			got, err := pool.Trial(context.Background(), fakeJob(t, pool, "good"), kernels.TrialSanitized)
			d := got.Part(kernels.TrialSanitized)
			if err != nil || d.Verdict != c.want || d.Outcome != c.outcome || !strings.Contains(d.Detail, c.explain) {
				t.Errorf("%v, %+v", err, d)
			}
		})
	}
	t.Run("not installed", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		t.Setenv("CUDA_HOME", t.TempDir())
		got, err := pool.Trial(context.Background(), fakeJob(t, pool, "good"), kernels.TrialSanitized)
		if d := got.Part(kernels.TrialSanitized); tools.Find("compute-sanitizer") == "" &&
			(err != nil || d.Verdict != kernels.Impossible) {
			t.Errorf("%v, %+v", err, d)
		}
	})
}

// On the real cpu device each run is in an order of its own: a race that two runs do not show is found by many.
func TestTrialOnTheCPU(t *testing.T) {
	few(t)
	trial.Usual.DisturbedRuns = 20
	pool := cpuPool(t, false)
	const dice = rightBody + " if (i == 7 && clock64() % 64 == 0) y[i] = 3;"
	for _, c := range []struct {
		name, body string
		part       kernels.TrialPart
		want       kernels.Doubted
		outcomes   []kernels.Outcome
	}{
		{"right", rightBody, kernels.TrialClasses, kernels.Passed, []kernels.Outcome{0}},
		{"right", rightBody, kernels.TrialDisturbed, kernels.Passed, []kernels.Outcome{0}},
		{"right", rightBody, kernels.TrialLaunches, kernels.Passed, []kernels.Outcome{0}},
		{"dice", dice, kernels.TrialLaunches, kernels.Failed, []kernels.Outcome{kernels.Flaky, kernels.Wrong}},
		{"strays", rightBody + " if (n == 4096 && i == 0 && clock64() % 8 == 0) y[n] = 1;", kernels.TrialLaunches,
			kernels.Failed, []kernels.Outcome{kernels.Suspect}},
	} {
		t.Run(c.name+" "+string(c.part), func(t *testing.T) {
			got, err := pool.Trial(context.Background(), cpuJob(t, pool, c.body), c.part)
			d := got.Part(c.part)
			if err != nil || d.Verdict != c.want || !slices.Contains(c.outcomes, d.Outcome) {
				t.Errorf("%v, %+v", err, d)
			}
		})
	}
}

// What does not compile any more, or cannot be launched here, falls: it is nothing of ours.
func TestTrialOfWhatDoesNotCompile(t *testing.T) {
	pool := fakePool(t)
	for _, part := range []kernels.TrialPart{kernels.TrialClasses, kernels.TrialSanitized} {
		job := fakeJob(t, pool, "good")
		job.Source = "no kernel"
		got, err := pool.Trial(context.Background(), job, part)
		if d := got.Part(part); err != nil || d.Verdict != kernels.Failed || d.Outcome != kernels.CompileFailed {
			t.Errorf("%s: %v, %+v", part, err, d)
		}
	}
}
