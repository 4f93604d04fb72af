package eval

import (
	"context"
	"errors"
	"fmt"
	"os"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/judge"
	"darwarp/eval/internal/proc"
)

// gpuJudge is what a judge on the GPU is started with, and the output memory of the one that runs.
type gpuJudge struct {
	role    role
	open    device.Open
	setup   judge.Setup
	host    *proc.Shared // outputs that come from elsewhere
	first   []int        // cases whose truth is made at once
	outputs *os.File     // what device workers inherit
}

// start starts a judge, takes its output memory, and has it make the truths that every candidate is judged by.
func (g *gpuJudge) start(ctx context.Context) (w *proc.Worker, err error) {
	channel, err := proc.NewChannel()
	if err != nil {
		return nil, err
	}
	w, err = proc.Start(ctx, proc.Spec{Args: []string{"worker", "judge"}, Files: []*os.File{channel.Remote, g.host.File()},
		Env: g.role.env, Fence: g.role.fence(g.open)})
	if err == nil {
		if err = g.ready(ctx, w, channel); err != nil {
			err = errors.Join(err, w.Close())
		}
	}
	if err = errors.Join(err, channel.Close()); err != nil {
		return nil, err
	}
	return w, nil
}

func (g *gpuJudge) ready(ctx context.Context, w *proc.Worker, channel *proc.Channel) error {
	if err := w.Call(ctx, judge.Request{Open: &g.open}, nil, openDeadline, nil); err != nil {
		return fmt.Errorf("open the device: %w", err)
	}
	if err := w.Call(ctx, judge.Request{Setup: &g.setup}, nil, fillDeadline, nil); err != nil {
		return fmt.Errorf("set up the judge: %w", err)
	}
	out, err := channel.Receive()
	if err != nil {
		return fmt.Errorf("the judge's output memory: %w", err)
	}
	g.outputs = out
	if err := w.Call(ctx, judge.Request{Truth: &judge.Truth{Cases: g.first}}, nil, truthDeadline, nil); err != nil {
		return fmt.Errorf("compute the truth: %w", err)
	}
	return nil
}

// forget closes the output memory of a judge that has ended.
func (g *gpuJudge) forget() error {
	if g.outputs == nil {
		return nil
	}
	err := g.outputs.Close()
	g.outputs = nil
	return err
}

// judgeSlots is how many slots a judge on the GPU has: one for each side of a duel. Who writes one has the device until
// it is judged, so that more would wait for nothing.
const judgeSlots = 2

// judgeRoom is the memory that a judge needs on the GPU beside truth, outputs and inputs: its context and modules, and
// what allocations are rounded up to.
const judgeRoom = 1 << 30

// truthBudget is the GPU memory that there is for truth beside all else, at most what the truth of all cases takes. It
// is 0 where a judge cannot work there; why says why not.
func (p *Pool) truthBudget() (bytes int, why string) {
	if p.cfg.shared != nil {
		return 0, "outputs are compared with another device's there"
	}
	if !p.shares {
		return 0, "processes cannot share memory on this GPU"
	}
	most, need, inputs := 0, 0, 0
	for i := range p.cases.List {
		c := &p.cases.List[i]
		most, inputs = max(most, c.TruthBytes()), max(inputs, c.InBytes())
		if !c.Trial {
			need += c.TruthBytes()
		}
	}
	free := p.device.MemoryBytes/10*9 - p.cases.DeviceBytes(p.device.L2Bytes)
	free -= judgeSlots*p.cases.SlotBytes() + inputs + judgeRoom
	if need += most; free < need {
		return 0, fmt.Sprintf("%s has no room for %.1f GiB of truth beside the workloads' buffers", p.device.Name,
			float64(need)/(1<<30))
	}
	return min(free, p.cases.TruthBytes), ""
}

// openGPUJudge starts a judge on the GPU. Where it cannot work there, why is told and the checker takes its place.
func (p *Pool) openGPUJudge(ctx context.Context, open device.Open, reference []byte) (why string, err error) {
	budget, why := p.truthBudget()
	if budget == 0 {
		return why, nil
	}
	g := &gpuJudge{role: p.role, open: open, first: p.cases.Gated()}
	g.open.Library = ""
	g.setup = judge.Setup{Check: *p.checker.setup, Slots: judgeSlots, Reference: reference, Budget: budget}
	if g.setup.Launches, err = p.cases.References(); err != nil {
		return "", err
	}
	if g.setup.Compare, err = p.compileOurs(ctx, "the judge", judge.Source); err != nil {
		return "", err
	}
	if g.host, err = p.memory("darwarp-given", torchBytes); err != nil {
		return "", err
	}
	var worker *proc.Worker
	err = p.insist(ctx, func() (err error) {
		worker, err = g.start(ctx)
		return err
	})
	if err != nil {
		return err.Error(), errors.Join(ctx.Err(), g.forget())
	}
	p.checker.gpu, p.checker.worker = g, worker
	return "", nil
}
