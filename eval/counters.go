package eval

import (
	"context"
	"fmt"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/gpu"
	"darwarp/eval/internal/tools"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// Counters reads hardware counters of candidates at every workload with Nsight Compute, in a process of
// their own. Where that cannot be, why says so in one line and nothing else is wrong.
func (p *Pool) Counters(ctx context.Context, jobs []*kernels.Job) (
	found map[kernels.ID][]kernels.Counters, why string, err error) {
	if p.Device().Kind != "cuda" {
		return nil, "ncu: reads the counters of a GPU only", nil
	}
	ncu := tools.Find("ncu", "/opt/nvidia/nsight-compute/*/ncu")
	if ncu == "" {
		return nil, "ncu: not found (Nsight Compute comes with the CUDA toolkit)", nil
	}
	req, err := p.profileOf(ctx, jobs)
	if err != nil {
		return nil, "", err
	}
	rows, why, err := tools.Count(ctx, ncu, req, p.Cfg.Cache)
	if why != "" || err != nil {
		return nil, why, err
	}
	found = map[kernels.ID][]kernels.Counters{}
	for i, job := range jobs {
		for w, values := range rows[i] {
			found[job.ID] = append(found[job.ID], kernels.Counters{Workload: p.Cfg.Workloads[w].Name, Values: values})
		}
	}
	return found, "", nil
}

// profileOf makes the request: one case a workload, and the candidates' machine code.
func (p *Pool) profileOf(ctx context.Context, jobs []*kernels.Job) (*gpu.Profile, error) {
	req := &gpu.Profile{Open: p.Runner.Open, Prepare: device.Prepare{GuardKey: p.Cases.GuardKey,
		Maker: p.Runner.Prepare.Maker}}
	req.Open.Library = ""
	for _, w := range p.Cfg.Workloads {
		req.Prepare.Cases = append(req.Prepare.Cases, p.Cases.List[p.Cases.Banks[w.Name][0]])
	}
	for _, job := range jobs {
		e := &verdict.Evaluation{Session: p.Session, Job: job}
		for _, step := range []func(context.Context) error{e.Resolve, e.Compile} {
			if err := step(ctx); err != nil {
				return nil, err
			}
		}
		if len(e.Cubin) == 0 {
			return nil, fmt.Errorf("candidate %s: %s", job.ID.Short(), e.Res.Detail)
		}
		req.Contenders = append(req.Contenders, e.Contestant().Contender)
	}
	return req, nil
}
