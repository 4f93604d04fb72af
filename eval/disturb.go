package eval

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"darwarp/kernels"
)

// A would-be champion's calls are run so many times while another stream disturbs, and whoever is exported so many
// times altogether. The first champions of a search may be slow: where quickFor is up a tenth of the runs is enough; of
// the many launches all are made, or it is said that they were not. A request holds the device for about disturbSlice.
// An emulated launch takes milliseconds: there the many launches have emulatedShare of their time.
var (
	disturbedRuns  = 50
	quickFor       = 5 * time.Second
	judgedLaunches = 10_000
	launchesFor    = 30 * time.Second
)

const (
	disturbSlice  = 200 * time.Millisecond
	freshRounds   = 10
	disturbOnce   = 60 * time.Microsecond  // poison, hash and queueing of one run
	disturbBurst  = 240 * time.Microsecond // a burst, on average
	emulatedShare = 2
)

// disturbed runs all cases that every candidate is judged on while another stream takes parts of the device away.
func (t *trial) disturbed(ctx context.Context) (kernels.Doubt, error) {
	cases, how := t.cases.Gated(), "beside a disturbing stream"
	if t.device.Kind == "cpu" { // which has no second stream
		how = "in random orders of the threads"
	}
	least := (disturbedRuns + 9) / 10 * len(cases)
	return t.repeat(ctx, repetition{cases: cases, runs: disturbedRuns * len(cases), least: least,
		within: quickFor, most: launchesFor, bursts: func() bool { return true },
		what: fmt.Sprintf("runs of %d sets of inputs %s", len(cases), how)})
}

// twinPairs is how many fresh pairs a candidate on trial fights with itself, and fewTwinPairs how many of them are
// enough where the others could change nothing: so many ratios on the honest side are above the lower bound of a median
// of all, and below the upper one.
const (
	twinPairs    = 10
	fewTwinPairs = 6
)

// settled reports whether a fight of fewTwinPairs pairs with itself shows already what twinPairs would show: a kernel
// that keeps nothing.
func (t *trial) settled(f *fight) bool {
	for i, w := range t.cfg.Workloads {
		again := repeats{slices.Concat(f.repeat[i][0], f.repeat[i][1]), f.Rounds()[i].Champion}
		least, honest := t.fewestRepeat(again, t.usualRepeat(w.Name, false, 0)), 0
		for _, r := range again.ratios {
			if r >= least {
				honest++
			}
		}
		if honest < fewTwinPairs {
			return false
		}
	}
	return slices.Max(f.ratios) <= 1+unseenMargin
}

// unseenMargin is by how much more calls may take on inputs that never come again, with the whole interval. The times
// of a kernel whose work depends on its data differ by what was drawn.
const unseenMargin = 0.1

// unseenTooSlow says why a round, of a kernel on inputs that come again and on others, is none of a kernel that keeps
// nothing.
func unseenTooSlow(workload string, r kernels.DuelRound) string {
	if r.Lo <= 1+unseenMargin {
		return ""
	}
	return fmt.Sprintf("%s: keeps answers: calls on inputs that never came before take %.2f of the time of those on "+
		"inputs that come again", workload, r.Ratio)
}

// fresh runs the bank of each workload in random orders, everything refilled before each call, and then has the
// candidate fight itself, one side on them and the other on inputs that never come again: a candidate that is faster on
// inputs that it has seen keeps answers. What emulated calls take says nothing of that.
func (t *trial) fresh(ctx context.Context) (kernels.Doubt, error) {
	cases := t.banks()
	d, err := t.repeat(ctx, repetition{cases: cases, runs: freshRounds * len(cases), least: len(cases),
		within: quickFor, most: launchesFor, bursts: func() bool { return false },
		what: fmt.Sprintf("fresh calls on %d sets of inputs", len(cases))})
	if err != nil || d.Verdict != kernels.Passed || t.device.Kind == "cpu" {
		return d, err
	}
	t.elapsed = map[string]float64{}
	for _, w := range t.cfg.Workloads {
		t.elapsed[w.Name] = t.right[t.cases.Banks[w.Name][0]].Nanos
	}
	c := t.contestant()
	twin := c
	twin.itself = true
	by := terms{cache: t.cfg.Cache, which: t.all(), fresh: true, unseen: true}
	f, err := t.fight(ctx, c, twin, by, fewTwinPairs)
	if err == nil && !t.settled(f) {
		f, err = t.fight(ctx, c, twin, by, twinPairs)
	}
	if err != nil {
		return faulted(err)
	}
	for i, w := range t.cfg.Workloads {
		again := repeats{slices.Concat(f.repeat[i][0], f.repeat[i][1]), f.Rounds()[i].Champion}
		if why := t.repeatsTooFast(w.Name, again, t.usualRepeat(w.Name, false, 0), most); why != "" {
			return failed(kernels.Suspect, "%s", why), nil
		}
		if why := unseenTooSlow(w.Name, f.Rounds()[i]); why != "" {
			return failed(kernels.Suspect, "%s", why), nil
		}
	}
	d.Detail += fmt.Sprintf("; %d pairs against itself", f.Pairs())
	return d, nil
}

// faulted is the doubt that an error is which a candidate has brought about; another one is ours.
func faulted(err error) (kernels.Doubt, error) {
	if f := (*found)(nil); errors.As(err, &f) {
		return failed(f.outcome, "%s", f.detail), nil
	}
	if errors.Is(err, errFaulted) { // nobody knows how
		return failed(kernels.Flaky, "%v", err), nil
	}
	return kernels.Doubt{}, err
}

// banks are all inputs of all workloads.
func (t *trial) banks() (cases []int) {
	for _, w := range t.cfg.Workloads {
		cases = append(cases, t.cases.Banks[w.Name]...)
	}
	return cases
}

// launches runs the workloads again and again, on each input of their banks, half of the time disturbed.
func (t *trial) launches(ctx context.Context) (kernels.Doubt, error) {
	cases, within := t.banks(), launchesFor
	if t.device.Kind == "cpu" {
		within /= emulatedShare
	}
	return t.repeat(ctx, repetition{cases: cases, runs: judgedLaunches, least: judgedLaunches,
		within: within, most: within, bursts: func() bool { return rand.IntN(2) == 0 },
		what: fmt.Sprintf("judged launches on %d sets of inputs", len(cases))})
}
