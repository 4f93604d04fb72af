// Package trial holds would-be champions against doubts: on more inputs, in many runs, disturbed, emulated under other
// orders of their threads, and under compute-sanitizer.
package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"darwarp/eval/internal/duel"
	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/verdict"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// Trials are what would-be champions have to stand on a device.
type Trials struct {
	*duel.Duels
	emulator emulator // beside the device
}

// New has what comes after a duel on the same device.
func New(d *duel.Duels) *Trials { return &Trials{Duels: d} }

// Close ends what was opened beside the device.
func (p *Trials) Close() error { return p.emulator.close() }

// Trial holds a candidate against some of the doubts of kernels.WholeTrial, in the order in which they are named, and
// ends at the first that it does not stand. An error is ours, or the end of ctx: with a kernels.ErrLost it may be asked
// again.
func (p *Trials) Trial(ctx context.Context, job *kernels.Job, parts ...kernels.TrialPart) (kernels.Trial, error) {
	ctx, end := p.Doubting(ctx, "trial "+job.ID.Short())
	defer end()
	t := kernels.Trial{ID: job.ID, Provenance: p.Proof.Key()}
	if Quick(parts) {
		ctx = runner.Urgently(ctx)
		defer p.Kept(job)()
	}
	on := &trial{Evaluation: &verdict.Evaluation{Session: p.Session, Job: job, Again: true, Urgent: true}, on: p}
	for _, part := range parts {
		try := doubts[part]
		if try == nil {
			return t, fmt.Errorf("trial: unknown part %q", part)
		}
		start := time.Now()
		span := trace.Begin(ctx, string(part))
		on.part = part
		kernels.WatchOf(ctx).Tell(string(part))
		d, err := try(on, ctx)
		span.End()
		if ctx.Err() != nil {
			return t, ctx.Err()
		}
		if err != nil {
			return t, fmt.Errorf("trial of %s, %s: %w", job.ID.Short(), part, err)
		}
		d.Part, d.Seconds, d.Detail = part, time.Since(start).Seconds(), kernels.CleanDetail(d.Detail)
		t.At = time.Now().UTC()
		t.Enter(d)
		if d.Verdict == kernels.Failed {
			break
		}
	}
	return t, nil
}

// Quick reports whether parts of a trial are those that come before somebody is champion.
func Quick(parts []kernels.TrialPart) bool {
	return !slices.ContainsFunc(parts, func(p kernels.TrialPart) bool { return !slices.Contains(kernels.QuickTrial, p) })
}

// trial is a candidate on its way through the parts. Which outputs are right this session has found out in its duel, or
// the trial does: inputs are other ones in each session.
type trial struct {
	*verdict.Evaluation
	on       *Trials
	compiled bool
	part     kernels.TrialPart // that goes on
}

// doubts are what is done for each part of a trial.
var doubts = map[kernels.TrialPart]func(t *trial, ctx context.Context) (kernels.Doubt, error){
	kernels.TrialClasses:   (*trial).classes,
	kernels.TrialFresh:     (*trial).fresh,
	kernels.TrialDisturbed: (*trial).disturbed,
	kernels.TrialEmulated:  (*trial).emulated,
	kernels.TrialSanitized: (*trial).sanitized,
	kernels.TrialLaunches:  (*trial).launches,
}

// passed, failed and impossible are verdicts with their detail.
func passed(format string, args ...any) kernels.Doubt {
	return kernels.Doubt{Verdict: kernels.Passed, Detail: fmt.Sprintf(format, args...)}
}

func failed(o kernels.Outcome, format string, args ...any) kernels.Doubt {
	return kernels.Doubt{Verdict: kernels.Failed, Outcome: o, Detail: fmt.Sprintf(format, args...)}
}

func impossible(format string, args ...any) kernels.Doubt {
	return kernels.Doubt{Verdict: kernels.Impossible, Detail: fmt.Sprintf(format, args...)}
}

// found is the doubt that the evaluation's verdict is; false while it has none.
func (t *trial) found() (kernels.Doubt, bool) {
	if o := t.Res.Outcome; o != kernels.Unknown {
		return failed(o, "%s", t.Res.Detail), true
	}
	return kernels.Doubt{}, false
}

// know judges the candidate on those of the cases that it was not judged on yet. It reports whether all went well; if
// not, found says what did not.
func (t *trial) know(ctx context.Context, cases []int) (bool, error) {
	if !t.compiled {
		for _, step := range []func(context.Context) error{t.Resolve, t.Compile} {
			if err := step(ctx); err != nil || t.Res.Outcome != kernels.Unknown {
				return false, err
			}
		}
		t.compiled, t.Right = true, t.RightBefore(t.Job.ID, t.Cubin)
	}
	return t.Learn(ctx, cases)
}

// classes judges the candidate on the cases that are for a would-be champion: every input class at every workload, and
// the inputs of each bank.
func (t *trial) classes(ctx context.Context) (kernels.Doubt, error) {
	var cases []int
	for i := range t.Cases.List {
		if t.Cases.List[i].Trial {
			cases = append(cases, i)
		}
	}
	if len(cases) == 0 {
		return impossible("no workload has room for more inputs than every candidate is judged on"), nil
	}
	ok, err := t.know(ctx, cases)
	if err != nil || !ok {
		d, _ := t.found()
		return d, err
	}
	return passed("%s of inputs at %s", kernels.Quantity(len(cases), "more set"),
		kernels.Quantity(len(t.Cfg.Workloads), "workload")), nil
}

// sanitized runs compute-sanitizer's tools. Only a complete report says something: of one that is cut off nobody knows
// what it would have found, and it is no fault of the candidate's either.
func (t *trial) sanitized(ctx context.Context) (kernels.Doubt, error) {
	if ok, err := t.know(ctx, nil); err != nil || !ok { // it compiles
		d, _ := t.found()
		return d, err
	}
	found, why, err := t.on.Sanitize(ctx, t.Job)
	switch {
	case errors.Is(err, errUnwatched):
		return impossible("%v", err), nil
	case err != nil:
		return kernels.Doubt{}, err
	case why != "":
		return impossible("%s", why), nil
	}
	return sanitizedDoubt(found), nil
}

func sanitizedDoubt(found []kernels.Sanitized) kernels.Doubt {
	text := kernels.SanitizedText(found)
	silent := false
	for _, s := range found {
		if s.Verdict == kernels.Dirty {
			return failed(sanitizedOutcome[s.Tool], "compute-sanitizer: %s", text)
		}
		silent = silent || s.Verdict != kernels.Clean
	}
	if silent {
		return impossible("compute-sanitizer: %s", text)
	}
	return passed("%s", text)
}

// sanitizedOutcome is what a candidate is in which a tool finds something: an access out of bounds would be a crash
// beside another neighbour; what reads memory that nobody wrote, or races, gives one thing now and another then.
var sanitizedOutcome = map[string]kernels.Outcome{
	"memcheck": kernels.Crashed, "initcheck": kernels.Flaky, "racecheck": kernels.Flaky, "synccheck": kernels.Flaky,
}
