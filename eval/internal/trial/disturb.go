package trial

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// effort is how much is done to find a would-be champion out.
type effort struct {
	DisturbedRuns  int           // of each input, while another stream disturbs
	QuickFor       time.Duration // after which a tenth of the runs is enough: the first champions of a search may be slow
	JudgedLaunches int           // of whoever is exported, altogether: all are made, or it is said that they were not
	LaunchesFor    time.Duration // the longest that runs may take
	EmulatedOrders int           // of its threads
	EmulatedFor    time.Duration // the longest that these may take
	Emulators      int           // each is busy on a core for seconds
}

// Usual is what every trial takes. Tests take less.
var Usual = effort{DisturbedRuns: 50, QuickFor: 2 * time.Second, JudgedLaunches: 10_000, LaunchesFor: 30 * time.Second,
	EmulatedOrders: 10, EmulatedFor: 45 * time.Second, Emulators: max(1, min(4, runtime.NumCPU()/4))}

// A request holds the device for about disturbSlice. An emulated launch takes milliseconds: the many launches have
// emulatedShare of their time there.
const (
	disturbSlice  = 200 * time.Millisecond
	freshRounds   = 10
	disturbOnce   = 60 * time.Microsecond  // poison, hash and queueing of one run
	disturbBurst  = 120 * time.Microsecond // a burst, on average (gpu.burstLaunch)
	emulatedShare = 2
)

// disturbed runs all cases that every candidate is judged on while another stream takes parts of the device away.
func (t *trial) disturbed(ctx context.Context) (kernels.Doubt, error) {
	cases, how := t.Cases.Gated(), "beside a disturbing stream"
	if t.Device.Kind == "cpu" { // which has no second stream
		how = "in random orders of the threads"
	}
	least := (Usual.DisturbedRuns + 9) / 10 * len(cases)
	return t.repeat(ctx, repetition{cases: cases, runs: Usual.DisturbedRuns * len(cases), least: least,
		within: Usual.QuickFor, most: Usual.LaunchesFor, bursts: func() bool { return true },
		what: fmt.Sprintf("runs of %s of inputs %s", kernels.Quantity(len(cases), "set"), how)})
}

// fresh runs the bank of each workload in random orders, everything refilled before each call, and then has the
// candidate fight itself, one side on them and the other on inputs that never come again: a candidate that is faster on
// inputs that it has seen keeps answers. What emulated calls take says nothing of that.
func (t *trial) fresh(ctx context.Context) (kernels.Doubt, error) {
	cases := t.banks()
	d, err := t.repeat(ctx, repetition{cases: cases, runs: freshRounds * len(cases), least: len(cases),
		within: Usual.QuickFor, most: Usual.LaunchesFor, bursts: func() bool { return false },
		what: fmt.Sprintf("fresh calls on %s of inputs", kernels.Quantity(len(cases), "set"))})
	if err != nil || d.Verdict != kernels.Passed || t.Device.Kind == "cpu" {
		return d, err
	}
	t.Elapsed = map[string]float64{}
	for _, w := range t.Cfg.Workloads {
		t.Elapsed[w.Name] = t.Right[t.Cases.Banks[w.Name][0]].Nanos
	}
	pairs, why, err := t.on.Itself(ctx, t.Contestant())
	if err != nil {
		return faulted(err)
	}
	if why != "" {
		return failed(kernels.Suspect, "%s", why), nil
	}
	d.Detail += fmt.Sprintf("; %s against itself", kernels.Quantity(pairs, "pair"))
	return d, nil
}

// faulted is the doubt that an error is which a candidate has brought about; another one is ours.
func faulted(err error) (kernels.Doubt, error) {
	if f := (*verdict.Found)(nil); errors.As(err, &f) {
		return failed(f.Outcome, "%s", f.Detail), nil
	}
	if errors.Is(err, verdict.ErrFaulted) { // nobody knows how
		return failed(kernels.Flaky, "%v", err), nil
	}
	return kernels.Doubt{}, err
}

// banks are all inputs of all workloads.
func (t *trial) banks() (cases []int) {
	for _, w := range t.Cfg.Workloads {
		cases = append(cases, t.Cases.Banks[w.Name]...)
	}
	return cases
}

// launches runs the workloads again and again, on each input of their banks, half of the time disturbed.
func (t *trial) launches(ctx context.Context) (kernels.Doubt, error) {
	cases, within := t.banks(), Usual.LaunchesFor
	if t.Device.Kind == "cpu" {
		within /= emulatedShare
	}
	return t.repeat(ctx, repetition{cases: cases, runs: Usual.JudgedLaunches, least: Usual.JudgedLaunches,
		within: within, most: within, bursts: func() bool { return rand.IntN(2) == 0 },
		what: fmt.Sprintf("judged launches on %s of inputs", kernels.Quantity(len(cases), "set"))})
}
