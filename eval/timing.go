package eval

import (
	"context"
	"fmt"
	"time"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/stats"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// time measures a gated candidate: a screen, and if it is not far behind the bar, its fitness.
func (e *evaluation) time(ctx context.Context) error {
	if e.hopeless() {
		return nil
	}
	span := trace.Begin(ctx, "time")
	defer span.End()
	start := time.Now()
	defer func() { e.res.Cost.Time = time.Since(start).Seconds() }()
	reply, outcome, detail, err := e.measure(ctx, e.cfg.Cache, false)
	if err != nil {
		return err
	}
	if outcome != kernels.Unknown {
		e.fail(outcome, "%s", detail)
		return nil
	}
	for i, r := range reply.Runs {
		w := e.cfg.Workloads[i]
		span.Note("samples at "+w.Name, len(r.Samples))
		e.res.Times = append(e.res.Times, e.weigh(w, e.timing(w.Name, e.cfg.Cache, r, reply.Began), r))
	}
	e.strays(reply.Strays)
	for _, w := range e.cfg.Workloads[len(reply.Runs):] { // not begun: the run before them was hopeless
		e.res.Times = append(e.res.Times, e.gateTime(w))
	}
	return nil
}

// weigh files a candidate whose timed launches did not do what the gated ones did. It returns the time as it is.
func (e *evaluation) weigh(w kernels.Workload, t kernels.Timing, r device.RunReply) kernels.Timing {
	if why := e.implausible(w, t, r); why != "" {
		e.fail(kernels.Suspect, "%s", why)
	}
	if r.Wrong > 0 {
		e.fail(kernels.Wrong, "%s: %d of %d outputs of timed launches differ from the gated ones", w.Name, r.Wrong, r.Checked)
	}
	return t
}

// strays files a candidate whose timed launches wrote where they must not.
func (e *evaluation) strays(found *device.Strays) {
	if found != nil {
		e.fail(kernels.Suspect, "timed launches: %s", found.Why())
	}
}

// gateTime is the gate's own figure of a workload.
func (e *evaluation) gateTime(w kernels.Workload) kernels.Timing {
	ns := e.elapsed[w.Name]
	return kernels.Timing{Workload: w.Name, Median: ns, Lo: ns, Hi: ns, Samples: 1, Cache: e.cfg.Cache, Tier: "gate"}
}

// A candidate that at the gate already took farBehind times the bar, beyond what a first launch
// costs, is not timed: its run at the gate is its coarse figure.
const (
	farBehind   = 5
	firstLaunch = 50e3 // ns
)

// hopeless files the gate's own times when one of them is far behind, or all are where each counts.
func (e *evaluation) hopeless() bool {
	far, bars := 0, e.job.Bar.Times()
	for _, w := range e.cfg.Workloads {
		if bar := bars[w.Name]; bar > 0 && e.elapsed[w.Name] > farBehind*bar+firstLaunch {
			far++
		}
	}
	if !e.lost && (far == 0 || e.job.Each && far < len(e.cfg.Workloads)) {
		return false
	}
	for _, w := range e.cfg.Workloads {
		e.res.Times = append(e.res.Times, e.gateTime(w))
	}
	return true
}

// measure asks the device for the candidate's times.
func (e *evaluation) measure(ctx context.Context, cache string, final bool) (
	reply device.TimeReply, outcome kernels.Outcome, detail string, err error) {
	bars := e.job.Bar.Times()
	var runs []device.Run
	for _, w := range e.cfg.Workloads {
		run := e.runOf(w, cache, e.elapsed[w.Name])
		if !final {
			run.Bar = bars[w.Name]
		}
		runs = append(runs, run)
	}
	if e.cfg.Problem.Check.Atomics {
		return e.measureJudged(ctx, runs, final)
	}
	req := &device.Time{Contender: e.contestant().contender(runs...), Runs: runs, Final: final, Each: e.job.Each}
	began, err := e.runner.callAt(ctx, device.Request{Time: req}, &reply, patience)
	reply.Began = began
	outcome, detail, err = e.faultOf(reply.Fault, err)
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

func (p *Pool) runOf(w kernels.Workload, cache string, estimate float64) device.Run {
	return device.Run{Workload: w.Name, Cases: p.cases.Seeds(w.Name), Estimate: estimate, Cache: cache}
}

func (p *Pool) timing(workload, cache string, r device.RunReply, began time.Time) kernels.Timing {
	median, lo, hi := stats.Interval(r.Samples)
	t := kernels.Timing{Workload: workload, Median: median, Lo: lo, Hi: hi, Samples: len(r.Samples), Cache: cache,
		Tier: "fitness", Clock: r.Clock}
	if r.Screened {
		t.Tier = "screen"
	}
	t.Tags = p.tags(began)
	if r.Rejected > 0 {
		t.Tags = append(t.Tags, fmt.Sprintf("%d samples rejected for their clock", r.Rejected))
	}
	return t
}

// tags label a time of this device, and say what slowed the device while it was taken.
func (p *Pool) tags(began time.Time) []string {
	if p.device.Kind == "cpu" {
		return []string{"CPU time"}
	}
	if p.health == nil {
		return nil
	}
	return p.health.Tags(began)
}

// How far a time may undercut what is physically plausible. The measured ceilings are lower bounds of
// the hardware's: a library's best product, a plain copy.
const (
	matrixMargin = 1.35
	memoryMargin = 1.2
)

// implausible says why a time cannot be honest: faster than the device, or than the same call on its
// own. Empty means that nothing speaks against it.
func (e *evaluation) implausible(w kernels.Workload, t kernels.Timing, r device.RunReply) string {
	if why := e.tooFast(w, t.Cache, t.Median); why != "" {
		return why
	}
	if doesLess(t.Median, r.Single, e.proof.Ceilings.Launch) {
		return fmt.Sprintf("%s: %.3g us a call in a row, but %.3g us on its own with fresh outputs: later calls do less",
			w.Name, t.Median/1e3, r.Single/1e3)
	}
	return ""
}

// doesLess reports whether a call in a row is so much faster than one on its own, which has launch ns more to pay, that
// it cannot do the same. An unknown single call says nothing.
func doesLess(row, single, launch float64) bool { return single > 0 && row < (single-launch)/2 }

// tooFast says that a call cannot take so few ns on this device, in words; empty where it can.
func (p *Pool) tooFast(w kernels.Workload, cache string, ns float64) string {
	flops, bytes, err := p.cfg.Problem.Work(w.Dims, p.cfg.DType)
	if err != nil {
		return ""
	}
	c := *p.proof.Ceilings
	c.Matrix, c.Bandwidth, c.L2 = c.Matrix*matrixMargin, c.Bandwidth*memoryMargin, max(c.L2, c.Bandwidth)*memoryMargin
	if floor := stats.Floor(flops, bytes, c, cache); stats.Suspicious(ns, floor) {
		return fmt.Sprintf("%s: %.3g us is faster than this device can be (%.3g us)", w.Name, ns/1e3, floor/1e3)
	}
	return ""
}
