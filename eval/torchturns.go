package eval

import (
	"context"
	"fmt"
	"time"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/duel"
	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/stats"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// turnSamples is how many samples a side takes in a row: two processes change places through pipes, which
// takes longer than a sample.
const turnSamples = 5

// Pairs measures torch (A) and ours (B) in turn: A B, B A, A B ... in blocks of a few samples.
func (r *rival) Pairs(ctx context.Context, b verdict.Contestant, which int, cache string, pairs int) (
	reply device.DuelReply, err error) {
	p := r.on
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
func (p *baselines) turn(ctx context.Context, c verdict.Contestant, which int, cache string, n int) (
	got device.RunReply, err error) {
	w := p.Cfg.Workloads[which]
	run := p.RunOf(w, cache, c.Estimate[w.Name])
	req := &device.Time{Contender: c.One(which, run), Runs: []device.Run{run}, Count: n}
	known, slot := len(req.Expect[0]) > 0, 0
	if !known {
		if slot, err = p.Runner.Slot(ctx, true); err != nil {
			return got, err
		}
		defer p.Runner.Free(slot)
		req.Record = &device.Record{Slots: [2]int{slot}}
	}
	var reply device.TimeReply
	_, verdicts, err := p.Runner.JudgedAll(ctx, device.Request{Time: req}, &reply, rig.Patience, func() []*checker.Judge {
		if known || reply.Fault != nil || len(reply.Runs) != 1 {
			return nil
		}
		return verdict.Recorded(slot, c.Acc(), reply.Runs[0].Recorded)
	})
	if err != nil {
		return got, err
	}
	if reply.Fault != nil || len(reply.Runs) != 1 || len(reply.Runs[0].Samples) != n {
		return got, fmt.Errorf("%w: %s: %d samples were requested", verdict.ErrFaulted, w.Name, n)
	}
	got = reply.Runs[0]
	side := device.DuelReply{B: device.Side{Checked: got.Checked, Wrong: got.Wrong, Strays: reply.Strays}}
	if !known {
		verdicts = append([]checker.JudgeReply{{}}, verdicts...) // torch's own were looked at before
	}
	return got, duel.Guilty(&side, verdicts, w.Name, known)
}

// rivalTimes measures a torch baseline by itself, the way Final measures a candidate.
func (p *baselines) rivalTimes(ctx context.Context, r *rival, out *kernels.BaselineResult) error {
	for _, cache := range []string{"hot", "cold"} {
		for _, i := range p.where(verdict.Contestant{Rival: r, Estimate: r.estimate}) {
			if _, err := p.prepare(ctx, r, i, cache); err != nil {
				return err
			}
			began := time.Now()
			samples, err := p.finalSamples(ctx)
			if err != nil {
				return err
			}
			t := p.Timing(p.Cfg.Workloads[i].Name, cache, device.RunReply{Samples: samples}, began)
			t.Tier = "final"
			out.Times = append(out.Times, t)
		}
	}
	return nil
}

// finalSamples takes samples of what torch has prepared, in ns a call, until there are enough for a final time.
func (p *baselines) finalSamples(ctx context.Context) ([]float64, error) {
	rule, done := stats.NewStop(stats.Final, 1), false
	for !done {
		got, err := p.torch.Sample(ctx, p.torch.key, turnSamples)
		if err != nil {
			return nil, err
		}
		for _, ns := range got {
			done = rule.Add(ns) || done
		}
	}
	return rule.Samples(), nil
}
