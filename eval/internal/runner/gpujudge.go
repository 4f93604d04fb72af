package runner

import (
	"context"
	"errors"
	"fmt"
	"os"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/judge"
	"darwarp/eval/internal/proc"
)

// GPUJudge is what a judge on the GPU is started with, and the output memory of the one that runs.
type GPUJudge struct {
	Role    Role
	Open    device.Open
	Setup   judge.Setup
	Host    *proc.Shared // outputs that come from elsewhere
	First   []int        // cases whose truth is made at once
	outputs *os.File     // what device workers inherit
}

// start starts a judge, takes its output memory, and has it make the truths that every candidate is judged by.
func (g *GPUJudge) start(ctx context.Context) (w *proc.Worker, err error) {
	channel, err := proc.NewChannel()
	if err != nil {
		return nil, err
	}
	w, err = proc.Start(ctx, proc.Spec{Args: []string{"worker", "judge"}, Files: []*os.File{channel.Remote, g.Host.File()},
		Env: g.Role.Env, Fence: g.Role.Fence(g.Open)})
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

func (g *GPUJudge) ready(ctx context.Context, w *proc.Worker, channel *proc.Channel) error {
	if err := w.Call(ctx, judge.Request{Open: &g.Open}, nil, OpenDeadline, nil); err != nil {
		return fmt.Errorf("open the device: %w", err)
	}
	if err := w.Call(ctx, judge.Request{Setup: &g.Setup}, nil, FillDeadline, nil); err != nil {
		return fmt.Errorf("set up the judge: %w", err)
	}
	out, err := channel.Receive()
	if err != nil {
		return fmt.Errorf("the judge's output memory: %w", err)
	}
	g.outputs = out
	if err := w.Call(ctx, judge.Request{Truth: &judge.Truth{Cases: g.First}}, nil, TruthDeadline, nil); err != nil {
		return fmt.Errorf("compute the truth: %w", err)
	}
	return nil
}

// forget closes the output memory of a judge that has ended.
func (g *GPUJudge) forget() error {
	if g.outputs == nil {
		return nil
	}
	err := g.outputs.Close()
	g.outputs = nil
	return err
}
