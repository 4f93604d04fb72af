package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// attempts is how many fresh workers must agree before a fault is the candidate's.
const attempts = 2

// gate runs the candidate on every case and has its outputs judged.
func (e *evaluation) gate(ctx context.Context) error {
	span := trace.Begin(ctx, "gate")
	defer span.End()
	span.Note("cases", len(e.wanted()))
	slot, err := e.slot(ctx, e.urgent)
	if err != nil {
		return err
	}
	defer e.free(slot)
	start := time.Now()
	defer func() { e.res.Cost.Gate = time.Since(start).Seconds() }()
	var reply device.GateReply
	var judged checker.JudgeReply
	faulted := ""
	limit, sets := e.loses()
	for attempt := range attempts {
		reply = device.GateReply{}
		req := &device.Gate{Cubin: e.cubin, Calls: e.gateCalls(), Slot: slot, Careful: attempt > 0, Checked: e.checked}
		req.Limit, req.Sets = limit, sets
		judged, err = e.judged(ctx, device.Request{Gate: req}, &reply, e.gateDeadline(),
			func() *checker.Judge { return e.toJudge(slot, &reply) })
		outcome, detail, err := e.faultOf(reply.Fault, err)
		if err != nil {
			return err
		}
		if outcome == kernels.Unknown {
			break
		}
		if outcome == kernels.Invalid || outcome == kernels.Suspect || faulted != "" {
			e.fail(outcome, "%s", detail)
			return nil
		}
		faulted = detail
	}
	if faulted != "" {
		e.fail(kernels.Flaky, "a fault that did not repeat in a fresh process: %s", faulted)
		return nil
	}
	if reply.Lost && !(limit > 0 && sets[0] < len(reply.Cases) && reply.Cases[sets[0]].Nanos > limit) {
		return fmt.Errorf("%w: the gate ended early without a reason", kernels.ErrLost)
	}
	e.describe(reply.Resources)
	e.res.Sites = reply.Sites
	e.keepOutputs(slot, reply)
	return e.verdict(judged, reply)
}

// keepOutputs copies the outputs of a gate for whoever asked for them, where all cases were run.
func (e *evaluation) keepOutputs(slot int, reply device.GateReply) {
	if e.outputs != nil && !slices.ContainsFunc(e.cases.Gated(), func(i int) bool { return !reply.Cases[i].Ran }) {
		n := e.cases.SlotBytes()
		*e.outputs = slices.Clone(e.runner.out.Map()[slot*n : (slot+1)*n])
	}
}

// slowGate is how many ns a call takes at least whose further runs are worth waiting for the first.
const slowGate = 1e6

// loses is the ns of a call beyond which the candidate has lost as soon as it was run on the first of some sets, and
// these, the last of the cases. 0: nothing ends its gate early. Where several workloads are scored all are run, since
// what is far behind at one of them may get a kernel of its own at another.
func (e *evaluation) loses() (limit float64, sets []int) {
	if e.urgent || e.only != nil || len(e.cfg.Workloads) != 1 || e.device.Kind == "cpu" {
		return 0, nil
	}
	bar := e.job.Bar.Times()[e.cfg.Workloads[0].Name]
	if limit = farBehind*bar + firstLaunch; bar <= 0 || limit < slowGate {
		return 0, nil
	}
	return limit, e.scored()
}

// scored are those of the cases to gate that are of a scored size. They come last.
func (e *evaluation) scored() []int {
	wanted := e.wanted()
	at := slices.IndexFunc(wanted, func(i int) bool { return e.cases.List[i].Workload != "" })
	return wanted[max(0, at):]
}

// due are the cases that a gate has run: those that were wanted, but for the last ones of who has lost.
func (e *evaluation) due(reply *device.GateReply) []int {
	wanted := e.wanted()
	if reply.Lost {
		return wanted[:len(wanted)-len(e.scored())+1]
	}
	return wanted
}

// wanted are the cases to gate.
func (e *evaluation) wanted() []int {
	if e.only != nil {
		return e.only
	}
	return e.cases.Gated()
}

// gateCalls are the calls of the cases to gate.
func (e *evaluation) gateCalls() []kernels.Call {
	calls := make([]kernels.Call, len(e.calls))
	for _, i := range e.wanted() {
		calls[i] = e.calls[i]
	}
	return calls
}

// faultOf says what a device call's fault, or the loss of its worker, means for the candidate.
func (p *Pool) faultOf(f *device.Fault, err error) (kernels.Outcome, string, error) {
	var l *lost
	switch {
	case errors.As(err, &l) && l.timeout:
		return kernels.TimedOut, fmt.Sprintf("did not finish (%s): %v", l.phase, l.err), nil
	case errors.As(err, &l):
		return kernels.Crashed, fmt.Sprintf("killed the device process (%s): %v", l.phase, l.err), nil
	case err != nil:
		return 0, "", err
	case f == nil:
		return 0, "", nil
	case f.Launch:
		return kernels.Invalid, fmt.Sprintf("cannot be launched (%s): %s", f.Case, f.Text), nil
	}
	// The process is lost for CUDA: take a fresh one before anybody else asks.
	return kernels.Crashed, fmt.Sprintf("%s: %s", f.Case, f.Text), p.runner.restart()
}

const emulatedFloors = 15

func (e *evaluation) gateDeadline() time.Duration {
	bars := e.job.Bar.Times()
	if len(bars) == 0 {
		return patience
	}
	d := floor
	if e.device.Kind == "cpu" {
		d *= emulatedFloors
	}
	for _, i := range e.wanted() {
		d += time.Duration(slack * bars[e.cases.List[i].Workload] * 2)
	}
	return min(d, patience)
}

// toJudge are the outputs of a gate that ended well.
func (e *evaluation) toJudge(slot int, reply *device.GateReply) *checker.Judge {
	if reply.Fault != nil || !slices.Equal(ran(reply), e.due(reply)) {
		return nil
	}
	return &checker.Judge{Slot: slot, Acc: e.job.Acc, Cases: e.due(reply)}
}

// ran are the cases that the device says it has run.
func ran(reply *device.GateReply) []int {
	var list []int
	for i, c := range reply.Cases {
		if c.Ran {
			list = append(list, i)
		}
	}
	return list
}

// verdict says what the judge found, then what else the runs showed. A wrong value is told before a race:
// it says more.
func (e *evaluation) verdict(judged checker.JudgeReply, reply device.GateReply) error {
	wanted := e.due(&reply)
	if got := ran(&reply); !slices.Equal(got, wanted) {
		return fmt.Errorf("the device ran cases %v: expected %v", got, wanted)
	}
	e.res.Gate = &judged.Report
	if judged.Wrong != "" {
		e.fail(kernels.Wrong, "%s", judged.Wrong)
		return nil
	}
	if reply.Strays != nil {
		e.fail(kernels.Suspect, "%s", reply.Strays.Why())
		return nil
	}
	for k, i := range wanted {
		c, name := &reply.Cases[i], e.cases.List[i].Name
		switch {
		case k < len(judged.Hashes) && judged.Hashes[k] != c.Hash:
			e.fail(kernels.Suspect, "%s: the outputs that were judged are not those that were hashed", name)
		case !c.Same && !e.cfg.Problem.Check.Atomics:
			e.fail(kernels.Flaky, "%s: two runs on the same inputs gave different bits (a race, or uninitialised memory)",
				name)
		default:
			continue
		}
		return nil
	}
	e.remember(reply)
	return nil
}

// A candidate gets slack times the time of the one to beat for each of its calls, and never less
// than floor; without one to beat, patience. On a GPU the gate takes some tens of milliseconds, and an endless loop
// holds the device for two floors. Emulated, the check shapes take most of the time, a second on a machine with nothing
// else to do: there the floor is emulatedFloors times as high.
var (
	slack    = 20.0
	floor    = 2 * time.Second
	patience = 120 * time.Second
)
