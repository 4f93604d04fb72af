package trial

import (
	"context"
	"errors"
	"fmt"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/gpu"
	"darwarp/eval/internal/tools"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// errUnwatched says that there is nothing to run under a tool.
var errUnwatched = errors.New("compute-sanitizer: the problem has no check shape that is small enough to watch")

// Sanitize runs a candidate on the check shapes under each tool of compute-sanitizer. Where no tool can run,
// why says so in one line.
func (p *Trials) Sanitize(ctx context.Context, job *kernels.Job) (found []kernels.Sanitized, why string, err error) {
	if p.Device.Kind != "cuda" {
		return nil, "compute-sanitizer: watches kernels on a GPU only (--races does it on the processor)", nil
	}
	tool := tools.Find("compute-sanitizer")
	if tool == "" {
		return nil, "compute-sanitizer: not found (it comes with the CUDA toolkit)", nil
	}
	req, err := p.sanitizeOf(ctx, job)
	if err != nil {
		return nil, "", err
	}
	// a tool takes the device as any candidate does, and must not while somebody is timed
	p.Runner.Alone("sanitize", func() { found, err = tools.Sanitize(ctx, tool, req) })
	return found, "", err
}

// watchedWork is how much the tools watch in all, in operations, or bytes where these are more; no case takes more
// than a part in watchedShare. The device stands still meanwhile: a size beside 2048 cubed, of 17e9 operations, kept
// the tools busy for over a minute.
const (
	watchedWork  = 1e9
	watchedShare = 3
)

// sanitizeOf makes the request: the check shapes with the candidate's calls.
func (p *Trials) sanitizeOf(ctx context.Context, job *kernels.Job) (*gpu.Profile, error) {
	e := &verdict.Evaluation{Session: p.Session, Job: job, Again: true}
	for _, step := range []func(context.Context) error{e.Resolve, e.Compile} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if len(e.Cubin) == 0 || e.Res.Outcome != kernels.Unknown {
		return nil, fmt.Errorf("candidate %s: %s", job.ID.Short(), e.Res.Detail)
	}
	req := &gpu.Profile{Open: p.Runner.Open, Apart: true, Prepare: device.Prepare{GuardKey: p.Cases.GuardKey,
		Maker: p.Runner.Prepare.Maker}}
	req.Open.Library = ""
	c := device.Contender{Cubin: e.Cubin}
	for _, i := range p.Cases.Watchable(watchedWork, watchedWork/watchedShare) {
		req.Prepare.Cases = append(req.Prepare.Cases, p.Cases.List[i])
		c.Calls = append(c.Calls, e.Calls[i])
	}
	if len(c.Calls) == 0 {
		return nil, errUnwatched
	}
	req.Contenders = []device.Contender{c}
	return req, nil
}
