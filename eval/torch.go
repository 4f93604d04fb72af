package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/stats"
	"darwarp/eval/internal/torch"
	"darwarp/kernels"
)

// rival is a torch baseline that runs here: in another process on the same GPU, in turn with ours.
type rival struct {
	baseline *kernels.Baseline
	about    string
	estimate map[string]float64 // ns a call at hot, by workload; those where it runs
}

// helper is the process with torch, started when the first baseline asks for it.
type helper struct {
	*torch.Helper
	why string // it is not here
	key string // of the run that is prepared
}

// findTorch starts torch, checks a baseline's call, and tries it at every workload. Workloads that it
// refuses are told in missing; why is not empty when none is left.
func (p *Pool) findTorch(ctx context.Context, b *kernels.Baseline, missing map[string]string) (why string, err error) {
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
	r := &rival{baseline: b, about: fmt.Sprintf("%s, %s%s", p.torch.About(), b.Backend, note),
		estimate: map[string]float64{}}
	for i, w := range p.cfg.Workloads {
		applies, err := b.Applies(p.cfg.Problem, w.Dims, p.cfg.DType)
		if err != nil {
			return "", err
		}
		if !applies {
			continue
		}
		r.estimate[w.Name], err = p.prepare(ctx, r, i, "hot")
		if why, err = failure(err); err != nil {
			return "", err
		}
		if why != "" {
			delete(r.estimate, w.Name)
			missing[b.Name+" at "+w.Name] = why
		}
	}
	if len(r.estimate) == 0 {
		if why == "" {
			why = "no workload of this search is one of its own"
		}
		return why, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rivals[b.Name] = r
	return "", nil
}

// startTorch starts torch once. why says why there is none.
func (p *Pool) startTorch(ctx context.Context) (why string, err error) {
	if p.torch.Helper == nil && p.torch.why == "" {
		p.torch.Helper, err = torch.Start(ctx, p.cfg.GPU)
		p.torch.why, err = failure(err)
	}
	return p.torch.why, err
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
func (p *Pool) where(c contestant) []int {
	return slices.DeleteFunc(p.all(), func(i int) bool {
		return c.rival != nil &&
			c.estimate[p.cfg.Workloads[i].Name] == 0
	})
}

func call(b *kernels.Baseline, c *device.Case) torch.Call {
	return torch.Call{Call: b.Call, Backend: b.Backend, Dims: c.Dims, Buffers: c.Buffers}
}

// checkTorch runs a baseline on a check shape's own inputs and has the outputs judged. Rounding beyond the
// gate's tolerance is noted; another result is a failure.
func (p *Pool) checkTorch(ctx context.Context, b *kernels.Baseline) (note string, err error) {
	at := p.torchCase(b)
	if at < 0 {
		return "", &torch.Failure{Why: "no check shape is one of its own"}
	}
	c := &p.cases.cases[at]
	var in device.InputsReply
	if err := p.runner.call(ctx, device.Request{Inputs: &device.Inputs{Case: at}}, &in, fillDeadline); err != nil {
		return "", err
	}
	out, err := p.torch.Check(ctx, call(b, c), in.Bytes)
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
	judged, err := p.judgeGiven(ctx, checker.Judge{Acc: kernels.FP32, Cases: []int{at}, Loose: true}, outputs)
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

// torchBytes bounds the inputs of the check: they travel through a pipe.
const torchBytes = 32 << 20

// torchCase is the largest check shape on ordinary inputs, else on any, that the baseline is for.
func (p *Pool) torchCase(b *kernels.Baseline) int {
	best, most := -1, 0
	for i := range p.cases.cases {
		c := &p.cases.cases[i]
		size := c.ArenaBytes()
		if ok, err := b.Applies(p.cfg.Problem, c.Dims, p.cfg.DType); c.Workload != "" || err != nil || !ok ||
			size > torchBytes {
			continue
		}
		if c.Class == p.cfg.Problem.Check.Inputs[0] {
			size += torchBytes
		}
		if size > most {
			best, most = i, size
		}
	}
	return best
}

// prepare has the helper build a run, unless it is the one that stands.
func (p *Pool) prepare(ctx context.Context, r *rival, which int, cache string) (estimate float64, err error) {
	w := p.cfg.Workloads[which]
	key := r.baseline.Name + " " + w.Name + " " + cache
	if p.torch.key == key {
		return r.estimate[w.Name], nil
	}
	p.torch.key = ""
	cases := p.cases.seeds(w.Name)
	c := &p.cases.cases[cases[0]]
	l2 := p.device.L2Bytes
	estimate, err = p.torch.Prepare(ctx, torch.Run{Call: call(r.baseline, c), Key: key, Cache: cache,
		Sets: c.Rotation(cache, len(cases), l2), Flush: device.FlushBytes(l2), Region: c.Region(l2),
		MaxCalls: device.MaxCalls})
	if err == nil {
		p.torch.key = key
	}
	return estimate, err
}

// turnSamples is how many samples a side takes in a row: two processes change places through pipes, which
// takes longer than a sample.
const turnSamples = 5

// turns measures torch (A) and ours (B) in turn: A B, B A, A B ... in blocks of a few samples.
func (p *Pool) turns(ctx context.Context, r *rival, b contestant, which int, cache string, pairs int) (
	reply device.DuelReply, err error) {
	if _, err := p.prepare(ctx, r, which, cache); err != nil {
		return reply, err
	}
	ours := func(n int) error {
		got, err := p.turn(ctx, b, which, cache, n)
		reply.B.Samples = append(reply.B.Samples, got.Samples...)
		for range got.Samples {
			reply.B.Clock = append(reply.B.Clock, got.Clock)
		}
		return err
	}
	theirs := func(n int) error {
		got, err := p.torch.Sample(ctx, p.torch.key, n)
		reply.A.Samples = append(reply.A.Samples, got...)
		return err
	}
	for i := 0; len(reply.A.Samples) < pairs; i++ {
		n := min(turnSamples, pairs-len(reply.A.Samples))
		order := []func(int) error{theirs, ours}
		if !stats.ChampionFirst(i) {
			order = []func(int) error{ours, theirs}
		}
		for _, side := range order {
			if err := side(n); err != nil {
				return reply, err
			}
		}
	}
	return reply, nil
}

// turn takes a few samples of a candidate at one workload. What it does wrong is a *found.
func (p *Pool) turn(ctx context.Context, c contestant, which int, cache string, n int) (
	got device.RunReply, err error) {
	w := p.cfg.Workloads[which]
	run := p.runOf(w, cache, c.estimate[w.Name])
	req := &device.Time{Contender: c.one(which, run), Runs: []device.Run{run}, Count: n}
	known, slot := len(req.Expect[0]) > 0, 0
	if !known {
		if slot, err = p.slot(ctx, true); err != nil {
			return got, err
		}
		defer p.free(slot)
		req.Record = &device.Record{Slots: [2]int{slot}}
	}
	var reply device.TimeReply
	_, verdicts, err := p.judgedAll(ctx, device.Request{Time: req}, &reply, patience, func() []*checker.Judge {
		if known || reply.Fault != nil || len(reply.Runs) != 1 {
			return nil
		}
		return recorded(slot, c.acc(), reply.Runs[0].Recorded)
	})
	if err != nil {
		return got, err
	}
	if reply.Fault != nil || len(reply.Runs) != 1 || len(reply.Runs[0].Samples) != n {
		return got, fmt.Errorf("%w: %s: %d samples were asked for", errFaulted, w.Name, n)
	}
	got = reply.Runs[0]
	side := device.DuelReply{B: device.Side{Checked: got.Checked, Wrong: got.Wrong, Strays: reply.Strays}}
	if !known {
		verdicts = append([]checker.JudgeReply{{}}, verdicts...) // torch's own were looked at before
	}
	return got, guilty(&side, verdicts, w.Name, known)
}

// rivalTimes measures a torch baseline by itself, the way Final measures a candidate.
func (p *Pool) rivalTimes(ctx context.Context, r *rival, out *kernels.BaselineResult) error {
	for _, cache := range []string{"hot", "cold"} {
		for _, i := range p.where(contestant{rival: r, estimate: r.estimate}) {
			if _, err := p.prepare(ctx, r, i, cache); err != nil {
				return err
			}
			rule, done, began := stats.NewStop(stats.Final, 1), false, time.Now()
			for !done {
				got, err := p.torch.Sample(ctx, p.torch.key, turnSamples)
				if err != nil {
					return err
				}
				for _, ns := range got {
					done = rule.Add(ns) || done
				}
			}
			t := p.timing(p.cfg.Workloads[i].Name, cache, device.RunReply{Samples: rule.Samples()}, began)
			t.Tier = "final"
			out.Times = append(out.Times, t)
		}
	}
	return nil
}
