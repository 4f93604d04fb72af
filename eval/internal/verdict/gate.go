package verdict

import (
	"context"
	"fmt"
	"slices"
	"time"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/rig"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// Attempts is how many fresh workers must agree before a fault is the candidate's.
const Attempts = 2

// Gate runs the candidate on every case and has its outputs judged.
func (e *Evaluation) Gate(ctx context.Context) error {
	span := trace.Begin(ctx, "gate")
	defer span.End()
	span.Note("cases", len(e.wanted()))
	slot, err := e.Runner.Slot(ctx, e.Urgent)
	if err != nil {
		return err
	}
	defer e.Runner.Free(slot)
	start := time.Now()
	defer func() { e.Res.Cost.Gate = time.Since(start).Seconds() }()
	reply, judged, faulted := device.GateReply{}, checker.JudgeReply{}, ""
	limit, sets := e.loses()
	for attempt := range Attempts {
		reply = device.GateReply{}
		req := &device.Gate{Cubin: e.Cubin, Calls: e.gateCalls(), Slot: slot, Careful: attempt > 0, Checked: e.Checked,
			Limit: limit, Sets: sets}
		judged, err = e.Runner.Judged(ctx, device.Request{Gate: req}, &reply, e.gateDeadline(),
			func() *checker.Judge { return e.toJudge(slot, &reply) })
		outcome, detail, err := e.Runner.FaultOf(reply.Fault, err)
		if err != nil {
			return err
		}
		if outcome == kernels.Unknown {
			break
		}
		if outcome == kernels.Invalid || outcome == kernels.Suspect || faulted != "" {
			e.Fail(outcome, "%s", detail)
			return nil
		}
		faulted = detail
	}
	if faulted != "" {
		e.Fail(kernels.Flaky, "a fault that did not repeat in a fresh process: %s", faulted)
		return nil
	}
	if reply.Lost && !(limit > 0 && sets[0] < len(reply.Cases) && reply.Cases[sets[0]].Nanos > limit) {
		return fmt.Errorf("%w: the gate ended early without a reason", kernels.ErrLost)
	}
	e.describe(reply.Resources)
	e.Res.Sites = reply.Sites
	e.keepOutputs(slot, reply)
	return e.verdict(judged, reply)
}

// keepOutputs copies the outputs of a gate for whoever asked for them, where all cases were run.
func (e *Evaluation) keepOutputs(slot int, reply device.GateReply) {
	if e.Outputs != nil && !slices.ContainsFunc(e.Cases.Gated(), func(i int) bool { return !reply.Cases[i].Ran }) {
		n := e.Cases.SlotBytes()
		*e.Outputs = slices.Clone(e.Runner.Out.Map()[slot*n : (slot+1)*n])
	}
}

// slowGate is how many ns a call takes at least whose further runs are worth waiting for the first.
const slowGate = 1e6

// loses is the ns of a call beyond which the candidate has lost as soon as it was run on the first of some sets, and
// these, the last of the cases. 0: nothing ends its gate early. Where several workloads are scored all are run, since
// what is far behind at one of them may get a kernel of its own at another.
func (e *Evaluation) loses() (limit float64, sets []int) {
	if e.Urgent || e.only != nil || len(e.Cfg.Workloads) != 1 || e.Device.Kind == "cpu" {
		return 0, nil
	}
	bar := e.Job.Bar.Times()[e.Cfg.Workloads[0].Name]
	if limit = farBehind*bar + firstLaunch; bar <= 0 || limit < slowGate {
		return 0, nil
	}
	return limit, e.scored()
}

// scored are those of the cases to gate that are of a scored size. They come last.
func (e *Evaluation) scored() []int {
	wanted := e.wanted()
	at := slices.IndexFunc(wanted, func(i int) bool { return e.Cases.List[i].Workload != "" })
	return wanted[max(0, at):]
}

// due are the cases that a gate has run: those that were wanted, but for the last ones of who has lost.
func (e *Evaluation) due(reply *device.GateReply) []int {
	wanted := e.wanted()
	if reply.Lost {
		return wanted[:len(wanted)-len(e.scored())+1]
	}
	return wanted
}

// wanted are the cases to gate.
func (e *Evaluation) wanted() []int {
	if e.only != nil {
		return e.only
	}
	return e.Cases.Gated()
}

// gateCalls are the calls of the cases to gate.
func (e *Evaluation) gateCalls() []kernels.Call {
	calls := make([]kernels.Call, len(e.Calls))
	for _, i := range e.wanted() {
		calls[i] = e.Calls[i]
	}
	return calls
}

// toJudge are the outputs of a gate that ended well.
func (e *Evaluation) toJudge(slot int, reply *device.GateReply) *checker.Judge {
	if reply.Fault != nil || !slices.Equal(ran(reply), e.due(reply)) {
		return nil
	}
	return &checker.Judge{Slot: slot, Acc: e.Job.Acc, Cases: e.due(reply)}
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
func (e *Evaluation) verdict(judged checker.JudgeReply, reply device.GateReply) error {
	wanted := e.due(&reply)
	if got := ran(&reply); !slices.Equal(got, wanted) {
		return fmt.Errorf("the device ran cases %v: expected %v", got, wanted)
	}
	e.Res.Gate = &judged.Report
	if judged.Wrong != "" {
		e.Fail(kernels.Wrong, "%s", judged.Wrong)
		return nil
	}
	if reply.Strays != nil {
		e.Fail(kernels.Suspect, "%s", reply.Strays.Why())
		return nil
	}
	for k, i := range wanted {
		c, name := &reply.Cases[i], e.Cases.List[i].Name
		switch {
		case k < len(judged.Hashes) && judged.Hashes[k] != c.Hash:
			e.Fail(kernels.Suspect, "%s: the outputs that were judged are not those that were hashed", name)
		case !c.Same && !e.Cfg.Problem.Check.Atomics:
			e.Fail(kernels.Flaky, "%s: two runs on the same inputs gave different bits (a race, or uninitialised memory)",
				name)
		default:
			continue
		}
		return nil
	}
	e.remember(reply)
	return nil
}

func (e *Evaluation) gateDeadline() time.Duration {
	bars := e.Job.Bar.Times()
	if len(bars) == 0 {
		return rig.Patience
	}
	d := e.OwnFloor()
	for _, i := range e.wanted() {
		d += time.Duration(rig.Slack * bars[e.Cases.List[i].Workload] * 2)
	}
	return min(d, rig.Patience)
}
