package trial

import (
	"testing"
	"time"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

// A part holds the device for a moment at a time, and has room for all that it asks at once.
func TestSlicesOfATrial(t *testing.T) {
	problem := kernelstest.Problem(t, kernelstest.Scale)
	w := cases.Wanted{Problem: problem, DType: kernels.FP32, Workloads: problem.Workloads, Effort: cases.OnGPU(1 << 36),
		RNG: device.SecretNumbers(), Powers: map[string]cases.Power{"4096": {Bank: "normal"}}}
	set, err := cases.New(w)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig.Rig{Cfg: rig.Config{Problem: problem}, Cases: set,
		Runner: runner.New(runner.Setup{Prepare: device.Prepare{SlotBytes: set.SlotBytes()}}, "")}
	right := map[int]device.CaseReply{0: {Nanos: 1e3}, 1: {Nanos: 30e6}, 2: {Nanos: 10e9},
		3: {Nanos: 1e3, Prepared: 45e6}}
	on := &trial{Evaluation: &verdict.Evaluation{Session: verdict.NewSession(r), Right: right}}
	many := make([]int, 3*device.MostDisturbed)
	for _, c := range []struct {
		name   string
		order  []int
		bursts bool
		atomic bool
		want   int
	}{
		{"short ones", many, false, false, device.MostDisturbed},
		{"short ones, disturbed", many, true, false, min(device.MostDisturbed,
			int(disturbSlice/(disturbOnce+disturbBurst+time.Microsecond)))},
		{"some", []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, true, false, 6},
		{"one that takes longer than a slice", []int{2, 2}, true, false, 1},
		{"prepared for long", []int{3, 3, 3, 3, 3, 3, 3, 3, 3, 3}, false, false, 4},
		{"judged", many, true, true, min(r.SlotBytes()/r.Cases.List[0].OutBytes(),
			int(disturbSlice/(disturbOnce+disturbBurst+time.Microsecond)))},
	} {
		r.Cfg.Problem.Check.Atomics = c.atomic
		if got := on.slice(c.order, c.bursts); got != c.want {
			t.Errorf("%s: %d, expected %d", c.name, got, c.want)
		}
	}
}

// TestPreparingIsWaitedFor: a request has time for what is prepared for its runs.
func TestPreparingIsWaitedFor(t *testing.T) {
	r := &rig.Rig{Cases: &cases.Set{}}
	on := &trial{Evaluation: &verdict.Evaluation{Session: verdict.NewSession(r), Right: map[int]device.CaseReply{
		0: {Nanos: 20e3}, 1: {Nanos: 20e3, Prepared: 100e6}}}}
	fast, slow := make([]int, 80), []int{1, 1}
	if got := on.disturbDeadline(fast); got > rig.Floor+time.Second {
		t.Errorf("%v for 80 runs of 20 us", got)
	}
	if got := on.disturbDeadline(slow); got < rig.Floor+2*time.Second {
		t.Errorf("%v for two runs that are prepared for 0.1 s each", got)
	}
}

// TestQuick: what comes before somebody reigns is urgent.
func TestQuick(t *testing.T) {
	for _, tt := range []struct {
		parts []kernels.TrialPart
		want  bool
	}{
		{kernels.QuickTrial, true},
		{kernels.WholeTrial, false},
		{kernels.SlowTrial, false},
	} {
		if got := Quick(tt.parts); got != tt.want {
			t.Errorf("%v: quick %v, expected %v", tt.parts, got, tt.want)
		}
	}
}

// TestWaitingIsNotHeld: a trial that others keep from the device goes on, however long ago it began; one that has had
// it for as long as it may ends, and says whether it has made enough runs.
func TestWaitingIsNotHeld(t *testing.T) {
	r := repetition{runs: 100, least: 50, within: time.Second, most: 2 * time.Second}
	for _, c := range []struct {
		name        string
		since, held time.Duration
		done, want  int
	}{
		{"at first", 0, 0, 0, goesOn},
		{"waits for an hour", time.Hour, time.Second, 10, goesOn},
		{"has had its time", 3 * time.Second, 3 * time.Second, 10, gaveUp},
		{"has had its time in one run, which is not made yet", time.Hour, 3 * time.Second, 0, goesOn},
		{"enough in time", 1500 * time.Millisecond, time.Second, 50, enough},
		{"enough after waiting", time.Hour, time.Millisecond, 50, enough},
	} {
		if got := r.ends(c.since, c.held, c.done); got != c.want {
			t.Errorf("%s: %d, expected %d", c.name, got, c.want)
		}
	}
}
