package rig

import (
	"context"
	"errors"
	"log/slog"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// Truth is what the reference kernel of a problem, or who tells in its place, makes of the inputs of one case.
type Truth struct {
	Name    string           // "257x255x129 normal"
	Dims    kernels.Dims     // sizes
	Buffers []kernels.Buffer // inputs and outputs, in the order of the problem
	Inputs  [][]byte         // numbers of each buffer, none for outputs
	Values  [][]float64      // of each output, in order
	Scales  [][]float32      // sums of the magnitudes of the terms, likewise
	Terms   int              // that the teller has found an output to have
}

// oracle is a rig for the truth alone.
type oracle struct{ *Rig }

// Truths runs the reference kernel at the check shapes of a problem, on the cpu device, for somebody who holds it
// against something else: each gets the truth of one case, which is valid until it returns. An *env.Error says what
// this machine lacks.
func Truths(ctx context.Context, cfg Config, each func(Truth) error) (err error) {
	cfg.Kind, cfg.Workloads = "cpu", nil
	p := &oracle{&Rig{Cfg: cfg, Log: cfg.Log}}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := p.ready(ctx); err != nil {
		return err
	}
	offsets, _ := device.PackInputs(p.Cases.List, p.wantedInputs())
	for i := range p.Cases.List {
		t, err := p.truthOf(i, offsets[i])
		if err == nil {
			err = each(t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ready opens the device and makes the truth.
func (p *oracle) ready(ctx context.Context) error {
	if err := p.Cfg.CheckFence(); err != nil {
		return err
	}
	if err := p.openCPU(ctx, p.Cfg.Locate()); err != nil {
		return err
	}
	reference, err := p.compileReference(ctx)
	if err != nil {
		return err
	}
	if p.Cases, err = p.plainCases(ctx); err != nil {
		return err
	}
	p.Shared = &Shared{Cases: p.Cases} // so that the inputs of all cases are kept
	if err := p.fits(); err != nil {
		return err
	}
	p.Runner = p.makeRunner(device.Open{}, reference)
	if err := p.describeChecks(); err != nil {
		return err
	}
	return p.openChecker(ctx, device.Open{}, reference)
}

// oracleWork bounds a check shape that is emulated here, in operations.
const oracleWork = 2e7

// plainCases are the check shapes with their first input class, and the last with all classes.
func (p *oracle) plainCases(ctx context.Context) (*cases.Set, error) {
	wanted := p.casesWanted(ctx)
	set := cases.Empty(wanted)
	check := p.Cfg.Problem.Check
	for i, d := range check.Shapes {
		if work, _, err := p.Cfg.Problem.Work(d, p.Cfg.DType); err != nil || work > oracleWork {
			continue
		}
		classes := check.Inputs[:1]
		if i == len(check.Shapes)-1 {
			classes = append(wanted.Ordinary(true), wanted.Hard()...)
		}
		for _, class := range classes {
			if err := set.Add(device.Case{Dims: d, Class: class}); err != nil {
				return nil, err
			}
		}
	}
	if len(set.List) == 0 {
		return nil, errors.New("no check shape is small enough to be emulated")
	}
	return set, nil
}

func (p *oracle) truthOf(i, at int) (t Truth, err error) {
	c := &p.Cases.List[i]
	t = Truth{Name: c.Name, Dims: c.Dims, Buffers: c.Buffers}
	if t.Inputs, err = c.Inputs(p.inputs.Map(), at); err != nil {
		return t, err
	}
	for _, one := range checker.TruthsOf(c, p.Truth.Map()[c.TruthAt:]) {
		t.Values, t.Scales = append(t.Values, one.Value), append(t.Scales, one.Scale)
	}
	return t, nil
}
