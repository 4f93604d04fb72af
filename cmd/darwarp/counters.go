package main

import (
	"context"

	"darwarp/kernels"
)

// profiler is an evaluator that can read hardware counters. why says in one line why it cannot here.
type profiler interface {
	Counters(ctx context.Context, jobs []*kernels.Job) (found map[kernels.ID][]kernels.Counters, why string, err error)
}

// profile reads the counters of the winner, and of it without the choices that buy most.
func (e *explanation) profile(ctx context.Context, singles []kernels.Insight, most int) (own []kernels.Counters, why string, err error) {
	p, ok := e.Evaluator.(profiler)
	if !ok {
		return nil, "", nil
	}
	jobs := []*kernels.Job{&e.job}
	for _, i := range singles {
		if i.Outcome == kernels.OK && i.Gain.Clear() && len(jobs) <= most {
			jobs = append(jobs, e.jobs[i.Without])
		}
	}
	e.app.Sayf("reading counters with ncu ...")
	found, why, err := p.Counters(ctx, jobs)
	for k := range singles {
		singles[k].Counters = found[singles[k].Without]
	}
	return found[e.winner.ID], why, err
}
