package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/duel"
	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// baselines are what a user would run instead.
type baselines struct {
	*duel.Duels
	torch  helper
	early  early
	mu     sync.Mutex
	blas   map[string]device.LibraryReply
	rivals map[string]*rival // torch baselines that run here, by name
}

func newBaselines(d *duel.Duels) *baselines {
	return &baselines{Duels: d, blas: map[string]device.LibraryReply{}, rivals: map[string]*rival{}}
}

func (p *baselines) close() error {
	err := p.early.close()
	if p.torch.Helper != nil {
		err = errors.Join(err, p.torch.Close())
	}
	return err
}

// FindBaseline looks for what a user would run instead. missing says under the baseline's name why this machine does
// not have it, and under "NAME at WORKLOAD" why it does not run there. A baseline passes the same check as a candidate
// first: that also shows that the error model is not too strict for this device.
func (p *baselines) FindBaseline(ctx context.Context, name string) (missing map[string]string, err error) {
	at := slices.IndexFunc(p.Cfg.Problem.Baselines, func(b kernels.Baseline) bool { return b.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("%s has no baseline %s", p.Cfg.Problem.Name, name)
	}
	missing = map[string]string{}
	b, why := &p.Cfg.Problem.Baselines[at], ""
	switch {
	case p.Device.Kind != "cuda":
		why = "it runs on a GPU only"
	case b.Kind == "torch":
		why, err = p.findTorch(ctx, b, missing)
	default:
		why, err = p.findLibrary(ctx)
	}
	if why != "" {
		missing[name] = why
	}
	return missing, err
}

// isLibrary reports whether a baseline is cuBLASLt.
func (p *baselines) isLibrary(name string) bool {
	return slices.ContainsFunc(p.Cfg.Problem.Baselines, func(b kernels.Baseline) bool {
		return b.Name == name && b.Kind == "cublaslt"
	})
}

// findLibrary has cuBLASLt's best algorithm for every workload found and judged.
func (p *baselines) findLibrary(ctx context.Context) (why string, err error) {
	if p.Runner.Open.Library == "" {
		return "libcublasLt.so not found", nil
	}
	if len(p.Runner.Library) > 0 {
		return "", nil
	}
	release, err := p.Runner.FirstSlot(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	var found []device.Library
	for _, w := range p.Cfg.Workloads {
		req := device.Library{Run: p.RunOf(w, p.Cfg.Cache, 0), DType: p.Cfg.DType, Dims: w.Dims}
		reply, why, err := p.judgedLibrary(ctx, req)
		if err != nil || why != "" {
			return why, err
		}
		p.Log.Info("baseline", "name", "cublaslt", "workload", w.Name, "algorithm", reply.About, "ns", reply.Best)
		p.mu.Lock()
		p.blas[w.Name] = reply
		p.mu.Unlock()
		found = append(found, req)
	}
	p.Runner.SetLibrary(found)
	return "", nil
}

// judgedLibrary has cuBLASLt's best algorithm for a workload found and judged on all sets of its run, as many at once
// as a slot has room for. why says what is wrong with it.
func (p *baselines) judgedLibrary(ctx context.Context, req device.Library) (
	found device.LibraryReply, why string, err error) {
	for rest := req.Run.Cases; len(rest) > 0; rest = rest[len(req.Outputs):] {
		req.Outputs = rest[:p.Cases.Fitting(rest, p.SlotBytes())]
		var reply device.LibraryReply
		runs := false
		_, judged, err := p.Runner.Judged(ctx, device.Request{Library: &req}, &reply, rig.Patience, func() *checker.Judge {
			runs = true
			return &checker.Judge{Slot: 0, Acc: kernels.FP32, Cases: req.Outputs}
		})
		switch {
		case err != nil && !runs:
			return found, fmt.Sprintf("does not run: %v", err), nil
		case err != nil:
			return found, "", err
		case judged.Wrong != "":
			return found, "fails the check: " + judged.Wrong, nil
		}
		reply.Hash = append(found.Hash, reply.Hash...)
		found = reply
	}
	return found, "", nil
}

// baseline is a baseline as a contestant.
func (p *baselines) baseline(name string) (verdict.Contestant, error) {
	if r := p.rivals[name]; r != nil {
		return verdict.Contestant{Rival: r, Estimate: r.estimate}, nil
	}
	if !p.isLibrary(name) || len(p.Runner.Library) == 0 {
		return verdict.Contestant{}, fmt.Errorf("baseline %s is not here", name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := verdict.Contestant{Contender: device.Contender{Library: true}, Estimate: map[string]float64{},
		Hashes: map[int]uint64{}}
	for _, w := range p.Cfg.Workloads {
		found := p.blas[w.Name]
		for k, i := range p.Cases.Seeds(w.Name) {
			if k < len(found.Hash) {
				c.Hashes[i] = found.Hash[k]
			}
		}
		c.Estimate[w.Name] = found.Best
	}
	return c, nil
}

// About says what a baseline is on a workload: for cuBLASLt its algorithm, for torch its version.
func (p *baselines) About(name, workload string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.rivals[name]; r != nil {
		return r.about
	}
	if p.isLibrary(name) {
		return p.blas[workload].About
	}
	return ""
}

// Compare duels a candidate with a baseline, as champion, at hot or cold.
func (p *baselines) Compare(ctx context.Context, name string, job *kernels.Job, cache string) (kernels.Duel, error) {
	a, err := p.baseline(name)
	if err != nil {
		return kernels.Duel{}, err
	}
	b, err := p.Ready(ctx, job)
	if err != nil {
		return kernels.Duel{}, err
	}
	d, err := duel.Patiently(func() (kernels.Duel, error) { return p.Between(ctx, a, b, cache, p.where(a)) })
	d.Champion, d.ChampionKind, d.Challenger = name, kernels.BaselineName, job.ID.Short()
	return d, err
}

// Final measures a candidate again in a fresh device process, with more samples, at hot and at cold.
// Only these figures are published.
func (p *Pool) Final(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	return duel.Patiently(func() (kernels.Result, error) { return p.finalOf(ctx, job) })
}

func (p *Pool) finalOf(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	if err := p.Runner.Restart(); err != nil {
		return kernels.Result{}, err
	}
	e := &verdict.Evaluation{Session: p.Session, Job: job}
	for _, step := range []func(context.Context) error{e.Resolve, e.Compile, e.Gate} {
		if err := step(ctx); err != nil {
			return e.Res, err
		}
		if e.Res.Outcome == kernels.Duplicate {
			e.Res.Outcome = kernels.Unknown
		}
		if e.Res.Outcome != kernels.Unknown {
			return e.Res, nil
		}
	}
	for _, cache := range []string{"hot", "cold"} {
		if err := e.Final(ctx, cache); err != nil || e.Res.Outcome != kernels.Unknown {
			return e.Res, err
		}
	}
	e.Res.Outcome, e.Res.Provenance = kernels.OK, p.Proof.Key()
	return e.Res, nil
}

// BaselineTimes measures a baseline the way Final measures a candidate.
func (p *baselines) BaselineTimes(ctx context.Context, name string) (kernels.BaselineResult, error) {
	c, err := p.baseline(name)
	if err != nil {
		return kernels.BaselineResult{}, err
	}
	out := kernels.BaselineResult{Name: name, Kind: kernels.BaselineName, Provenance: p.Proof.Key()}
	if r := p.rivals[name]; r != nil {
		err = p.rivalTimes(ctx, r, &out)
		return out, err
	}
	for _, cache := range []string{"hot", "cold"} {
		req := &device.Time{Final: true}
		for _, w := range p.Cfg.Workloads {
			req.Runs = append(req.Runs, p.RunOf(w, cache, c.Estimate[w.Name]))
		}
		req.Contender = c.On(req.Runs...)
		var reply device.TimeReply
		if reply.Began, err = p.Runner.CallAt(ctx, device.Request{Time: req}, &reply, rig.Patience); err != nil {
			return out, err
		}
		if reply.Fault != nil {
			return out, fmt.Errorf("baseline %s: %s", name, reply.Fault.Text)
		}
		for i, r := range reply.Runs {
			t := p.Timing(p.Cfg.Workloads[i].Name, cache, r, reply.Began)
			t.Tier = "final"
			out.Times = append(out.Times, t)
		}
	}
	return out, nil
}
