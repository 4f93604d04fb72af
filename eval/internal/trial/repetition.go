package trial

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// repetition is runs of a candidate on cases in a random order.
type repetition struct {
	cases  []int
	runs   int
	least  int           // that are enough once time is up
	within time.Duration // after which least are enough
	most   time.Duration // of the device: waiting for those who go first does not count
	bursts func() bool   // whether the next request is disturbed
	what   string
}

// How a repetition ends before all of its runs are made.
const (
	goesOn = iota
	enough // time is up, and as many runs are made as must be
	gaveUp // it has had the device for as long as it may
)

// ends is how a repetition stands that began so long ago and has had the device for a part of that.
func (r *repetition) ends(since, held time.Duration, done int) int {
	switch {
	case since > r.within && done >= r.least:
		return enough
	case held > r.most && done > 0:
		return gaveUp
	}
	return goesOn
}

// repeat compares the outputs of each run with those that were judged, and has them judged where bits may differ.
func (t *trial) repeat(ctx context.Context, r repetition) (kernels.Doubt, error) {
	if ok, err := t.know(ctx, slices.Sorted(slices.Values(r.cases))); err != nil || !ok {
		d, _ := t.found()
		return d, err
	}
	start, held, done, order := time.Now(), time.Duration(0), 0, []int(nil)
	for done < r.runs {
		switch r.ends(time.Since(start), held, done) {
		case enough:
			return passed("%s of %s %s, as many as fit into %v", kernels.Count(done), kernels.Count(r.runs),
				r.what, r.within), nil
		case gaveUp:
			return impossible("%s of %s %s in %v, and nothing was found", kernels.Count(done), kernels.Count(r.runs),
				r.what, r.most), nil
		}
		for len(order) < device.MostDisturbed && done+len(order) < r.runs {
			round := slices.Clone(r.cases)
			rand.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
			order = append(order, round[:min(len(round), r.runs-done-len(order))]...)
		}
		bursts := r.bursts()
		n := t.slice(order, bursts)
		took, err := t.disturb(ctx, order[:n], bursts)
		if err != nil {
			return kernels.Doubt{}, err
		}
		held += took
		if d, bad := t.found(); bad {
			d.Detail = fmt.Sprintf("after %s %s: %s", kernels.Count(done), r.what, d.Detail)
			return d, nil
		}
		done, order = done+n, order[n:]
		kernels.WatchOf(ctx).Tell(fmt.Sprintf("%s, %s of %s runs", t.part, kernels.Count(done), kernels.Count(r.runs)))
	}
	return passed("%s %s", kernels.Count(r.runs), r.what), nil
}

// slice is how many of the runs go into one request: those of disturbSlice, and, where they are judged one by one,
// those whose outputs fit a slot.
func (t *trial) slice(order []int, bursts bool) int {
	once, took := float64(disturbOnce), 0.0
	if bursts && t.Device.Kind != "cpu" {
		once += float64(disturbBurst)
	}
	for n, i := range order {
		took += t.Right[i].Nanos + t.Right[i].Prepared + once
		if n > 0 && (took > float64(disturbSlice) || n == device.MostDisturbed) {
			order = order[:n]
			break
		}
	}
	if t.Cfg.Problem.Check.Atomics {
		return t.Cases.Fitting(order, t.SlotBytes())
	}
	return len(order)
}

// disturb runs cases in order. What it finds is the evaluation's outcome. A fault counts as at the gate: one that a
// fresh process repeats is what it is, another makes the candidate flaky. It says for how long it had the device.
func (t *trial) disturb(ctx context.Context, order []int, bursts bool) (held time.Duration, err error) {
	req := &device.Disturb{Cubin: t.Cubin, Calls: t.Calls, Cases: order, Bursts: bursts,
		Seed: device.SecretNumbers().Uint64()}
	if !t.Cfg.Problem.Check.Atomics {
		req.Expect = t.hashes()
	} else {
		slot, err := t.Runner.Slot(ctx, true)
		if err != nil {
			return 0, err
		}
		defer t.Runner.Free(slot)
		req.Slot = slot
	}
	var reply device.DisturbReply
	var judged checker.JudgeReply
	faulted := ""
	for range verdict.Attempts {
		reply = device.DisturbReply{}
		var began time.Time
		began, judged, err = t.Runner.Judged(ctx, device.Request{Disturb: req}, &reply, t.disturbDeadline(order),
			func() *checker.Judge { return t.disturbedOutputs(req, &reply) })
		if !began.IsZero() {
			held += time.Since(began)
		}
		outcome, detail, err := t.Runner.FaultOf(reply.Fault, err)
		if err != nil {
			return held, err
		}
		if outcome == kernels.Unknown {
			break
		}
		if outcome == kernels.Invalid || outcome == kernels.Suspect || faulted != "" {
			t.Fail(outcome, "%s", detail)
			return held, nil
		}
		faulted = detail
	}
	if faulted != "" {
		t.Fail(kernels.Flaky, "a fault that did not repeat in a fresh process: %s", faulted)
		return held, nil
	}
	return held, t.weighDisturbed(req, &reply, judged.Wrong)
}

// hashes are those of the judged outputs, by case.
func (t *trial) hashes() []uint64 {
	list := make([]uint64, len(t.Cases.List))
	for i, r := range t.Right {
		list[i] = r.Hash
	}
	return list
}

// disturbDeadline is that of a gate of so many cases, times what the other stream may take.
func (t *trial) disturbDeadline(order []int) time.Duration {
	d := t.OwnFloor()
	for _, i := range order {
		d += time.Duration(rig.Slack * (t.Right[i].Nanos + t.Right[i].Prepared + float64(disturbOnce)))
	}
	return min(d, rig.Patience)
}

// disturbedOutputs are those that only the judge can tell from wrong ones.
func (t *trial) disturbedOutputs(req *device.Disturb, reply *device.DisturbReply) *checker.Judge {
	if reply.Fault != nil || len(req.Expect) > 0 {
		return nil
	}
	return &checker.Judge{Slot: req.Slot, Acc: t.Job.Acc, Cases: req.Cases}
}

// weighDisturbed says what the runs, and the judge of their outputs, have shown.
func (t *trial) weighDisturbed(req *device.Disturb, reply *device.DisturbReply, wrong string) error {
	switch {
	case reply.Strays != nil:
		t.Fail(kernels.Suspect, "%s", reply.Strays.Why())
	case len(reply.Wrong) > 0 && reply.Wrong[0] >= 0 && reply.Wrong[0] < len(req.Cases):
		first := reply.Wrong[0]
		t.Fail(kernels.Flaky, "%s: %d of %d runs gave other bits than those that were judged, first run %d",
			t.Cases.List[req.Cases[first]].Name, len(reply.Wrong), len(req.Cases), first+1)
	case wrong != "":
		t.Fail(kernels.Wrong, "%s", wrong)
	}
	return nil
}
