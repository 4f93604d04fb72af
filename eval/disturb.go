package eval

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
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
	cases, how := t.cases.gated(), "beside a stream that disturbs"
	if t.device.Kind == "cpu" { // which has no second stream
		how = "in orders of the threads drawn anew"
	}
	least := (disturbedRuns + 9) / 10 * len(cases)
	return t.repeat(ctx, repetition{cases: cases, runs: disturbedRuns * len(cases), least: least,
		within: quickFor, most: launchesFor, bursts: func() bool { return true },
		what: fmt.Sprintf("runs of %d sets of inputs %s", len(cases), how)})
}

// twinPairs is how many fresh pairs a candidate on trial fights with itself.
const twinPairs = 10

// fresh runs the bank of each workload in orders drawn anew, everything refilled before each call, and then has the
// candidate fight itself on them: who is faster on inputs that it has seen keeps answers. What emulated calls take says
// nothing of that.
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
		t.elapsed[w.Name] = t.right[t.cases.byLoad[w.Name][0]].Nanos
	}
	c := t.contestant()
	twin := c
	twin.itself = true
	f, err := t.fight(ctx, c, twin, terms{cache: t.cfg.Cache, which: t.all(), fresh: true}, twinPairs)
	if err != nil {
		return faulted(err)
	}
	for i, w := range t.cfg.Workloads {
		again := repeats{slices.Concat(f.repeat[i][0], f.repeat[i][1]), f.Rounds()[i].Champion}
		if why := t.repeatsTooFast(w.Name, again, t.honestRepeat(w.Name, false, 0), most); why != "" {
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
		cases = append(cases, t.cases.byLoad[w.Name]...)
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

// repetition is runs of a candidate on cases in a random order.
type repetition struct {
	cases  []int
	runs   int
	least  int           // that are enough once time is up
	within time.Duration // after which least are enough
	most   time.Duration
	bursts func() bool // whether the next request is disturbed
	what   string
}

// repeat compares the outputs of each run with those that were judged, and has them judged where bits may differ.
func (t *trial) repeat(ctx context.Context, r repetition) (kernels.Doubt, error) {
	if ok, err := t.know(ctx, slices.Sorted(slices.Values(r.cases))); err != nil || !ok {
		d, _ := t.found()
		return d, err
	}
	start, done, order := time.Now(), 0, []int(nil)
	for done < r.runs {
		if took := time.Since(start); took > r.within && done >= r.least {
			return passed("%d of %d %s, as many as %v had time for", done, r.runs, r.what, r.within), nil
		} else if took > r.most && done > 0 {
			return impossible("%d of %d %s in %v, and nothing was found", done, r.runs, r.what, r.most), nil
		}
		for len(order) < device.MostDisturbed && done+len(order) < r.runs {
			round := slices.Clone(r.cases)
			rand.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
			order = append(order, round[:min(len(round), r.runs-done-len(order))]...)
		}
		bursts := r.bursts()
		n := t.slice(order, bursts)
		if err := t.disturb(ctx, order[:n], bursts); err != nil {
			return kernels.Doubt{}, err
		}
		if d, bad := t.found(); bad {
			d.Detail = fmt.Sprintf("after %d %s: %s", done, r.what, d.Detail)
			return d, nil
		}
		done, order = done+n, order[n:]
	}
	return passed("%d %s", r.runs, r.what), nil
}

// slice is how many of the runs go into one request: those of disturbSlice, and, where they are judged one by one,
// those whose outputs fit a slot.
func (t *trial) slice(order []int, bursts bool) int {
	once, took := float64(disturbOnce), 0.0
	if bursts && t.device.Kind != "cpu" {
		once += float64(disturbBurst)
	}
	for n, i := range order {
		took += t.right[i].Nanos + once
		if n > 0 && (took > float64(disturbSlice) || n == device.MostDisturbed) {
			order = order[:n]
			break
		}
	}
	if t.cfg.Problem.Check.Atomics {
		return t.cases.fitting(order)
	}
	return len(order)
}

// disturb runs cases in order. What it finds is the evaluation's outcome. A fault counts as at the gate: one that a
// fresh process repeats is what it is, another makes the candidate flaky.
func (t *trial) disturb(ctx context.Context, order []int, bursts bool) error {
	req := &device.Disturb{Cubin: t.cubin, Calls: t.calls, Cases: order, Bursts: bursts, Seed: secret().Uint64()}
	if !t.cfg.Problem.Check.Atomics {
		req.Expect = make([]uint64, len(t.cases.cases))
		for i, r := range t.right {
			req.Expect[i] = r.Hash
		}
	} else {
		slot, err := t.slot(ctx, true)
		if err != nil {
			return err
		}
		defer t.free(slot)
		req.Slot = slot
	}
	var reply device.DisturbReply
	var judged checker.JudgeReply
	faulted := ""
	for range attempts {
		reply = device.DisturbReply{}
		var err error
		judged, err = t.judged(ctx, device.Request{Disturb: req}, &reply, t.disturbDeadline(order),
			func() *checker.Judge { return t.disturbedOutputs(req, &reply) })
		outcome, detail, err := t.faultOf(reply.Fault, err)
		if err != nil {
			return err
		}
		if outcome == kernels.Unknown {
			break
		}
		if outcome == kernels.Invalid || outcome == kernels.Suspect || faulted != "" {
			t.fail(outcome, "%s", detail)
			return nil
		}
		faulted = detail
	}
	if faulted != "" {
		t.fail(kernels.Flaky, "a fault that did not repeat in a fresh process: %s", faulted)
		return nil
	}
	return t.weighDisturbed(req, &reply, judged.Wrong)
}

// disturbDeadline is that of a gate of so many cases, times what the other stream may take.
func (t *trial) disturbDeadline(order []int) time.Duration {
	d := floor
	if t.device.Kind == "cpu" {
		d *= emulatedFloors
	}
	for _, i := range order {
		d += time.Duration(slack * (t.right[i].Nanos + float64(disturbOnce)))
	}
	return min(d, patience)
}

// disturbedOutputs are those that only the judge can tell from wrong ones.
func (t *trial) disturbedOutputs(req *device.Disturb, reply *device.DisturbReply) *checker.Judge {
	if reply.Fault != nil || len(req.Expect) > 0 {
		return nil
	}
	return &checker.Judge{Slot: req.Slot, Acc: t.job.Acc, Cases: req.Cases}
}

// weighDisturbed says what the runs, and the judge of their outputs, have shown.
func (t *trial) weighDisturbed(req *device.Disturb, reply *device.DisturbReply, wrong string) error {
	switch {
	case reply.Strays != nil:
		t.fail(kernels.Suspect, "%s", reply.Strays.Why())
	case len(reply.Wrong) > 0 && reply.Wrong[0] >= 0 && reply.Wrong[0] < len(req.Cases):
		first := reply.Wrong[0]
		t.fail(kernels.Flaky, "%s: %d of %d runs gave other bits than those that were judged, first run %d",
			t.cases.cases[req.Cases[first]].Name, len(reply.Wrong), len(req.Cases), first+1)
	case wrong != "":
		t.fail(kernels.Wrong, "%s", wrong)
	}
	return nil
}
