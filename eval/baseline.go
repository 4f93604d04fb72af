package eval

import (
	"context"
	"fmt"
	"slices"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// Baselines looks for what a user would run instead and names those that this machine has. The
// others are told with the reason. A baseline passes the same check as a candidate first: that also
// shows that the error model is not too strict for this device.
func (p *Pool) Baselines(ctx context.Context) (names []string, missing map[string]string, err error) {
	missing = map[string]string{}
	for i := range p.cfg.Problem.Baselines {
		b := &p.cfg.Problem.Baselines[i]
		var why string
		switch {
		case p.device.Kind != "cuda":
			why = "it runs on a GPU only"
		case b.Kind == "torch":
			why, err = p.findTorch(ctx, b, missing)
		default:
			why, err = p.findLibrary(ctx)
		}
		switch {
		case err != nil:
			return nil, nil, err
		case why != "":
			missing[b.Name] = why
		default:
			names = append(names, b.Name)
		}
	}
	return names, missing, nil
}

// isLibrary reports whether a baseline is cuBLASLt.
func (p *Pool) isLibrary(name string) bool {
	return slices.ContainsFunc(p.cfg.Problem.Baselines, func(b kernels.Baseline) bool {
		return b.Name == name && b.Kind == "cublaslt"
	})
}

// findLibrary has cuBLASLt's best algorithm for every workload found and judged.
func (p *Pool) findLibrary(ctx context.Context) (why string, err error) {
	if p.runner.open.Library == "" {
		return "libcublasLt.so not found", nil
	}
	if len(p.runner.library) > 0 {
		return "", nil
	}
	release, err := p.firstSlot(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	var found []device.Library
	for _, w := range p.cfg.Workloads {
		req := device.Library{Run: p.runOf(w, p.cfg.Cache, 0), DType: p.cfg.DType, Dims: w.Dims}
		var reply device.LibraryReply
		runs := false
		judged, err := p.judged(ctx, device.Request{Library: &req}, &reply, patience, func() *checker.Judge {
			runs = true
			return &checker.Judge{Slot: 0, Acc: kernels.FP32, Cases: req.Run.Cases}
		})
		switch {
		case err != nil && !runs:
			return fmt.Sprintf("does not run: %v", err), nil
		case err != nil:
			return "", err
		}
		if judged.Wrong != "" {
			return "fails the check: " + judged.Wrong, nil
		}
		p.log.Info("baseline", "name", "cublaslt", "workload", w.Name, "algorithm", reply.About, "ns", reply.Best, "worst",
			judged.Report.Worst)
		p.mu.Lock()
		p.blas[w.Name] = reply
		p.mu.Unlock()
		found = append(found, req)
	}
	p.runner.setLibrary(found)
	return "", nil
}

// firstSlot takes slot 0, which is the device's to write a library's outputs to, and all that is free before it is.
func (p *Pool) firstSlot(ctx context.Context) (release func(), err error) {
	p.several.Lock()
	var held []int
	release = func() {
		for _, s := range held {
			p.free(s)
		}
		p.several.Unlock()
	}
	for {
		slot, err := p.slot(ctx, false)
		if err != nil {
			release()
			return nil, err
		}
		if held = append(held, slot); slot == 0 {
			return release, nil
		}
	}
}

// baseline is a baseline as a contestant.
func (p *Pool) baseline(name string) (contestant, error) {
	if r := p.rivals[name]; r != nil {
		return contestant{rival: r, estimate: r.estimate}, nil
	}
	if !p.isLibrary(name) || len(p.runner.library) == 0 {
		return contestant{}, fmt.Errorf("baseline %s is not here", name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := contestant{Contender: device.Contender{Library: true}, estimate: map[string]float64{}, hashes: map[int]uint64{}}
	for _, w := range p.cfg.Workloads {
		found := p.blas[w.Name]
		for k, i := range p.cases.Seeds(w.Name) {
			if k < len(found.Hash) {
				c.hashes[i] = found.Hash[k]
			}
		}
		c.estimate[w.Name] = found.Best
	}
	return c, nil
}

// About says what a baseline is on a workload: for cuBLASLt its algorithm, for torch its version.
func (p *Pool) About(name, workload string) string {
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
func (p *Pool) Compare(ctx context.Context, name string, job *kernels.Job, cache string) (kernels.Duel, error) {
	a, err := p.baseline(name)
	if err != nil {
		return kernels.Duel{}, err
	}
	b, err := p.ready(ctx, job)
	if err != nil {
		return kernels.Duel{}, err
	}
	d, err := patiently(func() (kernels.Duel, error) { return p.duel(ctx, a, b, terms{cache: cache, which: p.where(a)}) })
	d.Champion, d.ChampionKind, d.Challenger = name, kernels.BaselineName, job.ID.Short()
	return d, err
}

// Final measures a candidate again in a fresh device process, with more samples, at hot and at cold.
// Only these figures are published.
func (p *Pool) Final(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	return patiently(func() (kernels.Result, error) { return p.finalOf(ctx, job) })
}

func (p *Pool) finalOf(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	if err := p.runner.restart(); err != nil {
		return kernels.Result{}, err
	}
	e := &evaluation{Pool: p, job: job}
	for _, step := range []func(context.Context) error{e.resolve, e.compile, e.gate} {
		if err := step(ctx); err != nil {
			return e.res, err
		}
		if e.res.Outcome == kernels.Duplicate {
			e.res.Outcome = kernels.Unknown
		}
		if e.res.Outcome != kernels.Unknown {
			return e.res, nil
		}
	}
	for _, cache := range []string{"hot", "cold"} {
		if err := e.final(ctx, cache); err != nil || e.res.Outcome != kernels.Unknown {
			return e.res, err
		}
	}
	e.res.Outcome, e.res.Provenance = kernels.OK, p.Provenance().Key()
	return e.res, nil
}

func (e *evaluation) final(ctx context.Context, cache string) error {
	reply, outcome, detail, err := e.measure(ctx, cache, true)
	if err != nil {
		return err
	}
	if outcome != kernels.Unknown {
		e.fail(outcome, "%s", detail)
		return nil
	}
	for i, r := range reply.Runs {
		t := e.timing(e.cfg.Workloads[i].Name, cache, r, reply.Began)
		t.Tier = "final"
		e.res.Times = append(e.res.Times, e.weigh(e.cfg.Workloads[i], t, r))
	}
	e.strays(reply.Strays)
	return nil
}

// BaselineTimes measures a baseline the way Final measures a candidate.
func (p *Pool) BaselineTimes(ctx context.Context, name string) (kernels.BaselineResult, error) {
	c, err := p.baseline(name)
	if err != nil {
		return kernels.BaselineResult{}, err
	}
	out := kernels.BaselineResult{Name: name, Kind: kernels.BaselineName, Provenance: p.Provenance().Key()}
	if c.rival != nil {
		err = p.rivalTimes(ctx, c.rival, &out)
		return out, err
	}
	for _, cache := range []string{"hot", "cold"} {
		req := &device.Time{Final: true}
		for _, w := range p.cfg.Workloads {
			req.Runs = append(req.Runs, p.runOf(w, cache, c.estimate[w.Name]))
		}
		req.Contender = c.contender(req.Runs...)
		var reply device.TimeReply
		if reply.Began, err = p.runner.callAt(ctx, device.Request{Time: req}, &reply, patience); err != nil {
			return out, err
		}
		if reply.Fault != nil {
			return out, fmt.Errorf("baseline %s: %s", name, reply.Fault.Text)
		}
		for i, r := range reply.Runs {
			t := p.timing(p.cfg.Workloads[i].Name, cache, r, reply.Began)
			t.Tier = "final"
			out.Times = append(out.Times, t)
		}
	}
	return out, nil
}
