package verdict

import (
	"context"
	"fmt"
	"time"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/stats"
	"darwarp/kernels"
)

// FirstSamples is how many samples the first request of a timing takes whose outputs are judged: as many as a
// screen asks for.
const FirstSamples = 3

// measureJudged times a candidate of a problem with atomics. Right outputs may differ in their bits there, so that
// the outputs of timed launches go to the judge: each request takes as many samples as a slot has room for, and is
// judged before the next.
func (e *Evaluation) measureJudged(ctx context.Context, runs []device.Run, final bool) (
	reply device.TimeReply, o kernels.Outcome, detail string, err error) {
	slot, err := e.Runner.Slot(ctx, e.Urgent)
	if err != nil {
		return reply, o, "", err
	}
	defer e.Runner.Free(slot)
	ctx = runner.Holding(ctx)
	for i := range runs {
		j := &judgedRun{Evaluation: e, run: runs[i], which: i, slot: slot, limits: e.Limits(final)}
		if len(runs) == 1 || e.Job.Each { // else what is behind here may win elsewhere
			j.against = runs[i].Bar
		}
		o, detail, err := j.take(ctx)
		if err != nil || o != kernels.Unknown {
			return reply, o, detail, err
		}
		if i == 0 {
			reply.Began = j.began
		}
		reply.Runs, reply.Strays = append(reply.Runs, j.out), reply.Strays.Join(j.strays)
		if j.out.Screened && !e.Job.Each {
			break
		}
	}
	return reply, kernels.Unknown, "", nil
}

// judgedRun is a run whose samples are judged.
type judgedRun struct {
	*Evaluation
	run     device.Run
	which   int
	slot    int
	limits  stats.Limits
	against float64 // bar of the stopping rule; 0: none
	out     device.RunReply
	strays  *device.Strays
	began   time.Time
}

// take asks for samples until the screen or the stopping rule has seen enough.
func (j *judgedRun) take(ctx context.Context) (o kernels.Outcome, detail string, err error) {
	var w *watch
	for first := true; first || !w.done; first = false {
		got, o, detail, err := j.some(ctx, w.atOnce(j.samplesAtOnce()), first)
		if err != nil || o != kernels.Unknown {
			return o, detail, err
		}
		if first {
			w = newWatch(j.run.Bar, stats.NewStop(j.limits, got.Calls).Against(j.against))
		}
		w.see(got.Samples)
	}
	j.out.Samples, j.out.Screened = w.stop.Samples(), w.screen.Slow()
	return kernels.Unknown, "", nil
}

// watch is what samples are taken for: the screen at first, and the stopping rule. Nil: none was taken.
type watch struct {
	screen   *stats.Screen
	stop     *stats.Stop
	screened bool // the screen is over
	done     bool // no more samples are needed
}

func newWatch(bar float64, stop *stats.Stop) *watch {
	return &watch{screen: stats.NewScreen(bar), stop: stop}
}

// atOnce is how many samples to ask for where most could be taken: few while the screen may end it.
func (w *watch) atOnce(most int) int {
	if w != nil && w.screened {
		return most
	}
	return min(most, FirstSamples)
}

// see takes samples, all of which the rule counts, also those behind the last that was needed.
func (w *watch) see(samples []float64) {
	for _, ns := range samples {
		if w.stop.Add(ns) {
			w.done = true
		}
		if !w.screened && w.screen.Add(ns) {
			w.screened = true
			w.done = w.done || w.screen.Slow()
		}
	}
}

// some takes n samples and has their outputs judged.
func (j *judgedRun) some(ctx context.Context, n int, first bool) (
	got device.RunReply, o kernels.Outcome, detail string, err error) {
	run := j.run
	run.Bar = 0
	req := &device.Time{Contender: j.Contestant().One(j.which, run), Runs: []device.Run{run}, Count: n, Alone: first,
		Record: &device.Record{Slots: [2]int{j.slot}}}
	var reply device.TimeReply
	limit := j.TimeDeadline(req.Runs)
	began, verdicts, err := j.Runner.JudgedAll(ctx, device.Request{Time: req}, &reply, limit, func() []*checker.Judge {
		if reply.Fault != nil || len(reply.Runs) != 1 {
			return nil
		}
		return Recorded(j.slot, j.Job.Acc, reply.Runs[0].Recorded)
	})
	if o, detail, err = j.Runner.FaultOf(reply.Fault, err); err != nil || o != kernels.Unknown {
		return got, o, detail, err
	}
	if err := sane(req, &reply); err != nil {
		return got, o, "", err
	}
	got = reply.Runs[0]
	if len(got.Samples) != n || len(verdicts) != 1 {
		return got, o, "", fmt.Errorf("%w: %d samples with %d outputs, %d were requested",
			kernels.ErrLost, len(got.Samples), len(got.Recorded), n)
	}
	if first {
		j.began, j.out = began, device.RunReply{Calls: got.Calls, Clock: got.Clock, Single: got.Single}
	}
	j.out.Checked += len(got.Recorded)
	j.strays = j.strays.Join(reply.Strays)
	if wrong := verdicts[0].Wrong; wrong != "" {
		return got, kernels.Wrong, "timed launches: " + wrong, nil
	}
	return got, kernels.Unknown, "", nil
}

// Recorded asks about the outputs of timed launches that lie in a slot, where there are some.
func Recorded(slot int, acc kernels.DType, cases []int) []*checker.Judge {
	if len(cases) == 0 {
		return nil
	}
	return []*checker.Judge{{Slot: slot, Acc: acc, Cases: cases}}
}

// samplesAtOnce is how many samples of a run a slot has room for, if it is to hold the outputs of each of the
// arenas that they go through; where there are too many of them, a slot holds those of one of each.
func (j *judgedRun) samplesAtOnce() int {
	c := &j.Cases.List[j.run.Cases[0]]
	arenas := c.Rotation(j.run.Cache, len(j.run.Cases), j.Device.L2Bytes)
	for _, each := range []int{arenas, 1} {
		if n := j.SlotBytes() / max(1, each*c.OutBytes()); n >= FirstSamples {
			return min(n, mostAtOnce)
		}
	}
	return 1
}

// mostAtOnce is how many samples a request takes at most that are judged: more would be taken after the rule has
// had enough.
const mostAtOnce = 20
