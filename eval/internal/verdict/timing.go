package verdict

import (
	"context"
	"fmt"
	"time"

	"darwarp/eval/internal/device"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// Time measures a gated candidate: a screen, and if it is not far behind the bar, its fitness.
func (e *Evaluation) Time(ctx context.Context) error {
	if e.hopeless() {
		return nil
	}
	span := trace.Begin(ctx, "time")
	defer span.End()
	start := time.Now()
	defer func() { e.Res.Cost.Time = time.Since(start).Seconds() }()
	reply, outcome, detail, err := e.measure(ctx, e.Cfg.Cache, false)
	if err != nil {
		return err
	}
	if outcome != kernels.Unknown {
		e.Fail(outcome, "%s", detail)
		return nil
	}
	for i, r := range reply.Runs {
		w := e.Cfg.Workloads[i]
		span.Note("samples at "+w.Name, len(r.Samples))
		e.Res.Times = append(e.Res.Times, e.weigh(w, e.Timing(w.Name, e.Cfg.Cache, r, reply.Began), r))
	}
	e.strays(reply.Strays)
	for _, w := range e.Cfg.Workloads[len(reply.Runs):] { // not begun: the run before them was hopeless
		e.Res.Times = append(e.Res.Times, e.gateTime(w))
	}
	return nil
}

// weigh files a candidate whose timed launches did not do what the gated ones did. It returns the time as it is.
func (e *Evaluation) weigh(w kernels.Workload, t kernels.Timing, r device.RunReply) kernels.Timing {
	if why := e.implausible(w, t, r); why != "" {
		e.Fail(kernels.Suspect, "%s", why)
	}
	if r.Wrong > 0 {
		e.Fail(kernels.Wrong, "%s: %d of %d outputs of timed launches differ from the gated ones", w.Name, r.Wrong, r.Checked)
	}
	return t
}

// strays files a candidate whose timed launches wrote where they must not.
func (e *Evaluation) strays(found *device.Strays) {
	if found != nil {
		e.Fail(kernels.Suspect, "timed launches: %s", found.Why())
	}
}

// gateTime is the gate's own figure of a workload.
func (e *Evaluation) gateTime(w kernels.Workload) kernels.Timing {
	return e.GateTiming(w.Name, e.Cfg.Cache, e.Elapsed[w.Name])
}

// A candidate that at the gate already took farBehind times the bar, beyond what a first launch costs, is not timed:
// its run at the gate is its coarse figure. Of several runs, on sets of inputs of their own, the least counts, and a
// lesser multiple is enough: no hesitation of the machine is in all of them.
const (
	farBehind   = 5
	behindTwice = 1.5
	firstLaunch = 50e3 // ns
)

// behind reports whether the runs at the gate say that the candidate is not worth timing at a workload.
func (e *Evaluation) behind(workload string, bar float64) bool {
	factor := float64(farBehind)
	if e.laps[workload] > 1 {
		factor = behindTwice
	}
	return bar > 0 && e.Elapsed[workload] > factor*bar+firstLaunch
}

// hopeless files the gate's own times when one of them is far behind, or all are where each counts.
func (e *Evaluation) hopeless() bool {
	far, bars := 0, e.Job.Bar.Times()
	for _, w := range e.Cfg.Workloads {
		if e.behind(w.Name, bars[w.Name]) {
			far++
		}
	}
	if !e.lost && (far == 0 || e.Job.Each && far < len(e.Cfg.Workloads)) {
		return false
	}
	for _, w := range e.Cfg.Workloads {
		e.Res.Times = append(e.Res.Times, e.gateTime(w))
	}
	return true
}

// measure asks the device for the candidate's times.
func (e *Evaluation) measure(ctx context.Context, cache string, final bool) (
	reply device.TimeReply, outcome kernels.Outcome, detail string, err error) {
	bars := e.Job.Bar.Times()
	var runs []device.Run
	for _, w := range e.Cfg.Workloads {
		run := e.RunOf(w, cache, e.Elapsed[w.Name])
		run.Preparing = e.preparing(w.Name)
		if !final {
			run.Bar = bars[w.Name]
		}
		runs = append(runs, run)
	}
	if e.Cfg.Problem.Check.Atomics {
		return e.measureJudged(ctx, runs, final)
	}
	req := &device.Time{Contender: e.Contestant().On(runs...), Runs: runs, Final: final, Each: e.Job.Each}
	began, err := e.Runner.CallAt(ctx, device.Request{Time: req}, &reply, e.TimeDeadline(runs))
	reply.Began = began
	outcome, detail, err = e.Runner.FaultOf(reply.Fault, err)
	if err == nil && outcome == kernels.Unknown {
		err = sane(req, &reply)
	}
	return reply, outcome, detail, err
}

// sane refuses times that no device can have measured: the worker is broken, not the candidate.
func sane(req *device.Time, reply *device.TimeReply) error {
	n := len(reply.Runs)
	if n == 0 || n > len(req.Runs) || n < len(req.Runs) && (req.Each || !reply.Runs[n-1].Screened) {
		return fmt.Errorf("%w: %d of %d runs timed", kernels.ErrLost, n, len(req.Runs))
	}
	for _, r := range reply.Runs {
		if len(r.Samples) == 0 {
			return fmt.Errorf("%w: no samples", kernels.ErrLost)
		}
		for _, ns := range r.Samples {
			if !(ns > 0 && ns < 1e13) {
				return fmt.Errorf("%w: a sample of %g ns", kernels.ErrLost, ns)
			}
		}
	}
	return nil
}

// implausible says why a time cannot be honest: faster than the device, or than the same call on its
// own. Empty means that nothing speaks against it.
func (e *Evaluation) implausible(w kernels.Workload, t kernels.Timing, r device.RunReply) string {
	if why := e.TooFast(w, t.Cache, t.Median); why != "" {
		return why
	}
	if device.DoesLess(t.Median, r.Single, e.Alone(w, t.Cache)) {
		return fmt.Sprintf("%s: %.3g us a call in a row, but %.3g us on its own with fresh outputs: later calls do less",
			w.Name, t.Median/1e3, r.Single/1e3)
	}
	return ""
}

// Final measures a candidate as its figures are published.
func (e *Evaluation) Final(ctx context.Context, cache string) error {
	reply, outcome, detail, err := e.measure(ctx, cache, true)
	if err != nil {
		return err
	}
	if outcome != kernels.Unknown {
		e.Fail(outcome, "%s", detail)
		return nil
	}
	for i, r := range reply.Runs {
		t := e.Timing(e.Cfg.Workloads[i].Name, cache, r, reply.Began)
		t.Tier = "final"
		e.Res.Times = append(e.Res.Times, e.weigh(e.Cfg.Workloads[i], t, r))
	}
	e.strays(reply.Strays)
	return nil
}
