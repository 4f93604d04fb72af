package eval

import (
	"context"
	"fmt"

	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// Capabilities is everything: what this device or machine lacks is said where it is asked for.
func (p *Pool) Capabilities() kernels.Capabilities {
	return kernels.Capabilities{
		Machine: p.Machine, Load: p.Load, Remember: p.Remember, Weigh: p.Weigh, Control: p.Control, Pace: p.Pace,
		Trial: p.Trial, Sanitize: p.Sanitize, Counters: p.Counters, Publisher: p, Ahead: p.Ahead, Code: p.code,
		Time: p.timeAgain,
	}
}

// timeAgain gates and times a candidate in the device worker that runs. One that is not right here has no times.
func (p *Pool) timeAgain(ctx context.Context, job *kernels.Job, brief bool) ([]kernels.Timing, error) {
	e := &verdict.Evaluation{Session: p.Session, Job: job, Again: true, Urgent: true}
	err := e.Steps(runner.Urgently(ctx), e.Resolve, e.Compile, e.Gate, func(ctx context.Context) error {
		if brief {
			return e.Time(ctx)
		}
		return e.Final(ctx, e.Cfg.Cache)
	})
	if err == nil && (e.Res.Outcome != kernels.Unknown || !whole(e.Res.Times)) {
		err = fmt.Errorf("it is %s: %s", e.Res.Outcome, kernels.CleanDetail(e.Res.Detail))
	}
	return e.Res.Times, err
}
