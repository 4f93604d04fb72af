package verdict

import (
	"context"
	"fmt"
	"slices"
	"time"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/runner"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// Attempts is how many fresh workers must agree before a fault is the candidate's.
const Attempts = 2

// Gate runs the candidate on every case and has its outputs judged: on all cases at once or, where a slot has no room
// for their outputs, part by part. The first part with something wrong is the last.
func (e *Evaluation) Gate(ctx context.Context) error {
	span := trace.Begin(ctx, "gate")
	defer span.End()
	rest := e.wanted()
	span.Note("cases", len(rest))
	slot, err := e.Runner.Slot(ctx, e.Urgent)
	if err != nil {
		return err
	}
	defer e.Runner.Free(slot)
	ctx = runner.Holding(ctx)
	start := time.Now()
	defer func() { e.Res.Cost.Gate = time.Since(start).Seconds() }()
	g := &gating{Evaluation: e, slot: slot}
	for len(rest) > 0 && !g.over() {
		n := e.Cases.Fitting(rest, e.SlotBytes())
		g.cases, rest = rest[:n], rest[n:]
		if err := g.part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// gating is a gate that is under way.
type gating struct {
	*Evaluation
	slot    int
	cases   []int   // of the part: their outputs have room in the slot
	limit   float64 // as device.Gate has it, with what two runs may be beyond, and sets; of the part
	twice   float64
	sets    []int
	slow    bool // it has lost at the limit
	report  kernels.GateReport
	outputs []byte // of all parts, where they are wanted
}

// over reports whether no more parts are run.
func (g *gating) over() bool { return g.Res.Outcome != kernels.Unknown || g.slow }

// part runs some of the cases and has their outputs judged.
func (g *gating) part(ctx context.Context) error {
	var reply device.GateReply
	var judged checker.JudgeReply
	faulted := ""
	g.limit, g.twice, g.sets = g.loses(g.cases)
	for attempt := range Attempts {
		reply = device.GateReply{}
		req := &device.Gate{Cubin: g.Cubin, Calls: g.gateCalls(), Slot: g.slot, Careful: attempt > 0, Checked: g.Checked,
			Limit: g.limit, Twice: g.twice, Sets: g.sets}
		var err error
		_, judged, err = g.Runner.Judged(ctx, device.Request{Gate: req}, &reply, g.gateDeadline(g.cases),
			func() *checker.Judge { return g.toJudge(&reply) })
		outcome, detail, err := g.Runner.FaultOf(reply.Fault, err)
		if err != nil {
			return err
		}
		if outcome == kernels.Unknown {
			break
		}
		if outcome == kernels.Invalid || outcome == kernels.Suspect || faulted != "" {
			g.Fail(outcome, "%s", detail)
			return nil
		}
		faulted = detail
	}
	if faulted != "" {
		g.Fail(kernels.Flaky, "a fault that did not repeat in a fresh process: %s", faulted)
		return nil
	}
	if reply.Lost && !g.tooSlow(&reply) {
		return fmt.Errorf("%w: the gate ended early without a reason", kernels.ErrLost)
	}
	g.slow = reply.Lost
	g.describe(reply.Resources)
	if len(reply.Sites) > 0 {
		g.Res.Sites = reply.Sites
	}
	g.keepOutputs()
	return g.verdict(judged, reply)
}

// keepOutputs copies the outputs of a gate for whoever asked for them, once all cases were run.
func (g *gating) keepOutputs() {
	if g.Outputs == nil || g.slow {
		return
	}
	_, n := device.Pack(g.Cases.List, g.cases)
	g.outputs = append(g.outputs, g.Runner.Out.Map()[g.slot*g.SlotBytes():][:n]...)
	if wanted := g.wanted(); g.cases[len(g.cases)-1] == wanted[len(wanted)-1] {
		*g.Outputs = g.outputs
	}
}

// tooSlow reports whether the device has a reason to have ended a gate early.
func (g *gating) tooSlow(reply *device.GateReply) bool {
	limits := device.Gate{Limit: g.limit, Twice: g.twice}
	return len(g.sets) > 0 && g.sets[0] < len(reply.Cases) && limits.Slow(reply.Cases[g.sets[0]].Nanos)
}

// slowGate is how many ns a call takes at least whose further runs are worth waiting for the first.
const slowGate = 0.5e6

// loses is the ns of a call beyond which the candidate has lost as soon as it was run on the first of some sets, those
// that both of its runs there may not be beyond, and the sets, the last of a part's cases. 0: nothing ends its gate
// early. Where several workloads are scored all are run, since what is far behind at one of them may get a kernel of
// its own at another.
func (e *Evaluation) loses(part []int) (limit, twice float64, sets []int) {
	if e.Urgent || e.only != nil || len(e.Cfg.Workloads) != 1 || e.Device.Kind == "cpu" {
		return 0, 0, nil
	}
	bar := e.Job.Bar.Times()[e.Cfg.Workloads[0].Name]
	if limit = farBehind*bar + firstLaunch; bar <= 0 || limit < slowGate {
		return 0, 0, nil
	}
	at := slices.IndexFunc(part, func(i int) bool { return e.Cases.List[i].Workload != "" }) // scored sizes come last
	if at < 0 {
		return 0, 0, nil
	}
	return limit, behindTwice*bar + firstLaunch, part[at:]
}

// due are the cases of the part that were to be run: all but, of who has lost, the last ones.
func (g *gating) due(reply *device.GateReply) []int {
	if reply.Lost && len(g.sets) > 0 {
		return g.cases[:len(g.cases)-len(g.sets)+1]
	}
	return g.cases
}

// wanted are the cases to gate.
func (e *Evaluation) wanted() []int {
	if e.only != nil {
		return e.only
	}
	return e.Cases.Gated()
}

// gateCalls are the calls of the part's cases.
func (g *gating) gateCalls() []kernels.Call {
	calls := make([]kernels.Call, len(g.Calls))
	for _, i := range g.cases {
		calls[i] = g.Calls[i]
	}
	return calls
}

// toJudge are the outputs of a part that ended well.
func (g *gating) toJudge(reply *device.GateReply) *checker.Judge {
	if reply.Fault != nil || !slices.Equal(ran(reply), g.due(reply)) {
		return nil
	}
	return &checker.Judge{Slot: g.slot, Acc: g.Job.Acc, Cases: g.due(reply)}
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

// verdict says what the judge found, then what else the runs showed. A wrong value is told before a race: it says more.
// Inputs that were written to come first of all: the truth of outputs is that of the inputs as they were, so a second
// run, or one on what was packed of them, is wrong as a matter of course.
func (g *gating) verdict(judged checker.JudgeReply, reply device.GateReply) error {
	wanted := g.due(&reply)
	if got := ran(&reply); !slices.Equal(got, wanted) {
		return fmt.Errorf("the device ran cases %v: expected %v", got, wanted)
	}
	g.report = joined(g.report, judged)
	report := g.report // the next part's is another
	g.Res.Gate = &report
	if s := reply.Strays; s != nil && s.Input != "" {
		g.Fail(kernels.Suspect, "%s", s.Why())
		return nil
	}
	if judged.Wrong != "" {
		g.Fail(kernels.Wrong, "%s", judged.Wrong)
		return nil
	}
	if reply.Strays != nil {
		g.Fail(kernels.Suspect, "%s", reply.Strays.Why())
		return nil
	}
	for k, i := range wanted {
		c, name := &reply.Cases[i], g.Cases.List[i].Name
		switch {
		case k < len(judged.Hashes) && judged.Hashes[k] != c.Hash:
			g.Fail(kernels.Suspect, "%s: the outputs that were judged are not those that were hashed", name)
		case c.Prepared > float64(g.MostPreparing(&g.Cases.List[i])):
			g.Fail(kernels.TimedOut, tooLong, name, time.Duration(c.Prepared).Round(time.Millisecond),
				g.MostPreparing(&g.Cases.List[i]))
		case !c.Same && !g.Cfg.Problem.Check.Atomics:
			g.Fail(kernels.Flaky, "%s: two runs on the same inputs gave different bits (a race, or uninitialised memory)",
				name)
		default:
			continue
		}
		return nil
	}
	g.remember(reply)
	return nil
}

// tooLong is said of who packs slowly: name, time taken and time allowed follow.
const tooLong = "%s: its launches with `prepare` take %v, at most %v: they are run before each call that counts"

// joined is a report on the parts of a gate so far with that on another. Where names the check that failed, if one has.
func joined(all kernels.GateReport, part checker.JudgeReply) kernels.GateReport {
	r := part.Report
	if part.Wrong != "" || !(r.Worst <= all.Worst) {
		all.Where = r.Where
	}
	all.Worst, all.Frobenius = max(all.Worst, r.Worst), max(all.Frobenius, r.Frobenius)
	all.Checks, all.Elements = all.Checks+r.Checks, all.Elements+r.Elements
	return all
}

func (e *Evaluation) gateDeadline(part []int) time.Duration {
	bars := e.Job.Bar.Times()
	if len(bars) == 0 {
		return rig.Patience
	}
	d := e.OwnFloor() + e.GatePreparing(e.Calls, part)
	for _, i := range part {
		d += time.Duration(rig.Slack * bars[e.Cases.List[i].Workload] * 2)
	}
	return min(d, rig.Patience)
}
