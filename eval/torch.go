package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/torch"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// rival is a torch baseline that runs here: in another process on the same GPU, in turn with ours.
type rival struct {
	on       *baselines
	baseline *kernels.Baseline
	about    string
	estimate map[string]float64 // ns a call at hot, by workload; those where it runs
}

// helper is the process with torch.
type helper struct {
	*torch.Helper
	why string // it is not here
	key string // of the run that is prepared
}

// findTorch starts torch, checks a baseline's call, and tries it at every workload. Workloads that it
// refuses are told in missing; why is not empty when none is left.
func (p *baselines) findTorch(ctx context.Context, b *kernels.Baseline, missing map[string]string) (
	why string, err error) {
	if p.rivals[b.Name] != nil {
		return "", nil
	}
	if why, err = p.startTorch(ctx); why != "" || err != nil {
		return why, err
	}
	note, err := p.checkTorch(ctx, b)
	if why, err = failure(err); why != "" || err != nil {
		return why, err
	}
	about := fmt.Sprintf("%s, %s%s%s", p.torch.About(), b.Backend, map[bool]string{true: ", tf32"}[b.TF32], note)
	r := &rival{on: p, baseline: b, about: about, estimate: map[string]float64{}}
	why, err = r.tryWorkloads(ctx, missing)
	if err != nil {
		return "", err
	}
	if len(r.estimate) == 0 {
		return cmp.Or(why, "no workload of this search is one of its own"), nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rivals[b.Name] = r
	return "", nil
}

// tryWorkloads estimates a baseline's time at every workload that it is for. why is the last refusal.
func (r *rival) tryWorkloads(ctx context.Context, missing map[string]string) (why string, err error) {
	p := r.on
	for i, w := range p.Cfg.Workloads {
		applies, err := r.baseline.Applies(p.Cfg.Problem, w.Dims, p.Cfg.DType)
		if err != nil {
			return "", err
		}
		if !applies {
			continue
		}
		estimate, err := p.prepare(ctx, r, i, "hot")
		if why, err = failure(err); err != nil {
			return "", err
		}
		if why == "" {
			why = p.TooFast(w, "hot", estimate) // it has not worked on what the problem says
		}
		if why == "" {
			r.estimate[w.Name] = estimate
		} else {
			missing[r.baseline.Name+" at "+w.Name] = why
		}
	}
	return why, nil
}

// startTorch starts torch once. why says why there is none.
func (p *baselines) startTorch(ctx context.Context) (why string, err error) {
	if p.torch.Helper == nil && p.torch.why == "" {
		p.torch.why, err = failure(p.openTorch(ctx))
	}
	return p.torch.why, err
}

// openTorch gives torch the GPU.
func (p *baselines) openTorch(ctx context.Context) error {
	h, err := p.early.take(ctx)
	if err != nil {
		return err
	}
	if err := h.Open(ctx, p.Cfg.GPU); err != nil {
		return errors.Join(err, h.Close())
	}
	p.torch.Helper = h
	return nil
}

// failure tells what torch does wrong from what is wrong with us.
func failure(err error) (why string, ours error) {
	var f *torch.Failure
	if errors.As(err, &f) {
		return f.Why, nil
	}
	return "", err
}

// where are the workloads that a contestant runs at.
func (p *baselines) where(c verdict.Contestant) []int {
	return slices.DeleteFunc(p.All(), func(i int) bool {
		return c.Rival != nil &&
			c.Estimate[p.Cfg.Workloads[i].Name] == 0
	})
}

func (p *baselines) call(b *kernels.Baseline, c *device.Case) torch.Call {
	made := torch.Call{Call: b.Call, Backend: b.Backend, TF32: b.TF32, Module: b.Module, Dims: c.Dims, Buffers: c.Buffers}
	if m := p.Cfg.Problem.Reference.Maker; m != nil {
		made.Maker = m.Torch
	}
	return made
}

// checkTorch runs a baseline on a check shape's own inputs and has the outputs judged. Rounding beyond the
// gate's tolerance is noted; another result is a failure.
func (p *baselines) checkTorch(ctx context.Context, b *kernels.Baseline) (note string, err error) {
	at := p.torchCase(b)
	if at < 0 {
		return "", &torch.Failure{Why: fmt.Sprintf("no check shape of up to %d MiB is one of its own", rig.GivenBytes>>20)}
	}
	c := &p.Cases.List[at]
	var in device.InputsReply
	if err := p.Runner.Call(ctx, device.Request{Inputs: &device.Inputs{Case: at}}, &in, runner.FillDeadline); err != nil {
		return "", err
	}
	out, err := p.torch.Check(ctx, p.call(b, c), in.Bytes)
	if err != nil {
		return "", err
	}
	var outputs [][]byte
	for _, buf := range c.Outputs() {
		if len(out) < buf.Bytes() {
			return "", &torch.Failure{Why: fmt.Sprintf("%s: %d bytes of output are missing", c.Name, buf.Bytes()-len(out))}
		}
		outputs, out = append(outputs, out[:buf.Bytes()]), out[buf.Bytes():]
	}
	judged, err := p.Runner.JudgeGiven(ctx, checker.Judge{Acc: kernels.FP32, Cases: []int{at}, Loose: true}, outputs)
	switch {
	case err != nil:
		return "", err
	case judged.Wrong != "":
		return "", &torch.Failure{Why: "gives something else: " + judged.Wrong}
	case judged.Report.Worst > 1:
		note = fmt.Sprintf(", rounds beyond the gate's tolerance (%.1f of it)", judged.Report.Worst)
	}
	return note, nil
}

// torchCase is the largest check shape on ordinary inputs, else on any, that the baseline is for.
func (p *baselines) torchCase(b *kernels.Baseline) int {
	best, most := -1, 0
	for i := range p.Cases.List {
		c := &p.Cases.List[i]
		size := c.ArenaBytes()
		if ok, err := b.Applies(p.Cfg.Problem, c.Dims, p.Cfg.DType); c.Workload != "" || err != nil || !ok ||
			size > rig.GivenBytes {
			continue
		}
		if c.Class == p.Cfg.Problem.Check.Inputs[0] {
			size += rig.GivenBytes
		}
		if size > most {
			best, most = i, size
		}
	}
	return best
}

// prepare has the helper build a run, unless it is the one that stands.
func (p *baselines) prepare(ctx context.Context, r *rival, which int, cache string) (estimate float64, err error) {
	w := p.Cfg.Workloads[which]
	key := r.baseline.Name + " " + w.Name + " " + cache
	if p.torch.key == key {
		return r.estimate[w.Name], nil
	}
	p.torch.key = ""
	cases := p.Cases.Seeds(w.Name)
	c := &p.Cases.List[cases[0]]
	l2 := p.Device.L2Bytes
	// What the worker keeps for cases of trials may be all that torch would have room in.
	if err := p.Runner.Call(ctx, device.Request{Trim: &device.Trim{}}, nil, runner.FillDeadline); err != nil {
		return 0, err
	}
	estimate, err = p.torch.Prepare(ctx, torch.Run{Call: p.call(r.baseline, c), Key: key, Class: c.Class, Cache: cache,
		Sets: c.Rotation(cache, len(cases), l2), Flush: device.FlushBytes(l2), Region: c.Region(l2),
		MaxCalls: device.MaxCalls})
	if err == nil {
		p.torch.key = key
	}
	return estimate, err
}
