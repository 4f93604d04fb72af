package rig

import (
	"context"
	"fmt"

	"darwarp/eval/env"
	"darwarp/eval/internal/device"
)

// join takes from the first GPU of the host what does not depend on the GPU, and looks at this one.
func (p *Rig) join(ctx context.Context, where env.Location) (open device.Open, err error) {
	first := p.Leader
	p.role, p.Compiler, p.Checkers = first.role, first.Compiler, first.Checkers
	if p.Device = first.Device; p.Device.Kind != "cuda" {
		return open, nil
	}
	open = first.Runner.Open
	open.Index = p.Cfg.GPU
	look, err := env.LookAs(ctx, p.role, where, p.Cfg.GPU)
	if err != nil {
		return open, err
	}
	p.Device, p.shares = look.Device, look.Shares
	return open, nil
}

// takeCases makes cases, or takes those of another rig: what they can tell was proved where they were made.
func (p *Rig) takeCases(ctx context.Context, open device.Open, reference []byte) error {
	switch {
	case p.Leader != nil:
		p.Cases = p.Leader.Cases
	case p.Shared != nil:
		p.Cases = p.Shared.Cases
	default:
		return p.insist(ctx, func() (err error) {
			p.Cases, err = p.provenCases(ctx, open, reference)
			return err
		})
	}
	return nil
}

// row is what a trace calls the device.
func (p *Rig) row() string {
	if p.Several && p.Device.Kind == "cuda" { // not an emulator beside it
		return fmt.Sprintf("GPU %d", p.Cfg.GPU)
	}
	return "device"
}
