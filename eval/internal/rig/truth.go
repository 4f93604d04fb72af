package rig

import (
	"context"
	"errors"
	"fmt"
	"os"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/judge"
	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/runner"
)

// palettes asks for values to refill outputs with, for each size.
func (p *Rig) palettes(ctx context.Context) (map[int][]byte, error) {
	all := map[int][]byte{}
	for i := range p.Cases.List {
		if device.PaletteCase(p.Cases.List, i) != i {
			continue
		}
		got, err := p.Runner.Judge.Call(ctx, judge.Request{Check: &checker.Request{Palette: &checker.Palette{Case: i}}})
		if err != nil {
			return nil, err
		}
		all[i] = got.Palette
	}
	return all, nil
}

// openJudge makes the truth and starts who compares outputs with it: a judge on the GPU, or the checker where there is
// none, or no room for one.
func (p *Rig) openJudge(ctx context.Context, open device.Open, reference []byte) error {
	if err := p.describeChecks(); err != nil {
		return err
	}
	p.Cfg.Say("computing the truth")
	if p.Cfg.Teller != nil && p.role.OnGPU() {
		p.Cfg.Say("outputs are compared on the processor: a module of PyTorch tells the truth there")
	} else if p.role.OnGPU() {
		why, err := p.openGPUJudge(ctx, open, reference)
		if err != nil {
			return err
		}
		if p.Runner.Judge.GPU != nil {
			p.Runner.Prepare.Slots, p.Runner.Prepare.OnDevice = judgeSlots, true
			return nil
		}
		p.Cfg.Say("outputs are compared on the processor: " + why)
	}
	return p.openChecker(ctx, open, reference)
}

// openChecker starts the checker, and makes the truth in a process that ends then. Outputs, inputs and truth are in
// this machine's memory.
func (p *Rig) openChecker(ctx context.Context, open device.Open, reference []byte) (err error) {
	prepare := &p.Runner.Prepare
	prepare.Slots = OutputSlots
	if err := p.roomOnHost(runner.MostMemory()); err != nil {
		return err
	}
	if p.Runner.Out, err = p.memory("darwarp-outputs", OutputSlots*prepare.SlotBytes); err != nil {
		return err
	}
	if p.Truth, err = p.memory("darwarp-truth", p.Cases.TruthBytes); err != nil {
		return err
	}
	if prepare.Given, err = p.openInputs(); err != nil {
		return err
	}
	p.Runner.Inputs = p.inputs
	p.Runner.Judge.Spec = proc.Spec{Args: []string{"worker", "check"},
		Files: []*os.File{p.Runner.Out.File(), p.Truth.File(), p.inputs.File()},
		Fence: runner.CPU.In(p.Cfg.fence()).Fence(device.Open{})}
	if p.Cfg.Teller != nil {
		return p.openTold(ctx, open)
	}
	return p.insist(ctx, func() error {
		if err := p.Runner.Judge.Wake(ctx); err != nil {
			return err
		}
		return p.makeTruth(ctx, open, reference)
	})
}

// roomOnHost refuses outputs and truth that this machine has no memory for. It would swap for hours, or end us.
func (p *Rig) roomOnHost(most uint64) error {
	need := OutputSlots*p.Runner.Prepare.SlotBytes + p.Cases.TruthBytes
	if most == 0 || uint64(need) <= most {
		return nil
	}
	return fmt.Errorf("%w: outputs are compared on the processor, and with their truth they take %.1f GiB there, of "+
		"%.1f: choose smaller workloads with --workload, or import a part of a module with --scale", ErrTooLarge,
		float64(need)/(1<<30), float64(most)/(1<<30))
}

// describeChecks says what there is to be judged, and by which error models.
func (p *Rig) describeChecks() error {
	setup := &checker.Setup{Cases: p.Cases.List, ULPs: p.Cfg.Problem.Check.ULPs, SlotBytes: p.Cases.SlotBytes()}
	var err error
	if setup.Terms, err = p.Cases.Terms(); err != nil {
		return err
	}
	setup.Coherent, setup.Scattered = p.Cfg.Problem.Check.Coherent, p.Cfg.Problem.Check.Scattered
	setup.Rounded = p.Cfg.Problem.Check.TermType(p.Cfg.DType)
	p.Runner.Judge.Setup = setup
	return nil
}

// goCheckWork bounds the cases on which the reference kernel is held against Go, in operations.
const goCheckWork = 64 << 20

// makeTruth runs the reference kernel in a process of its own, which also hands over the inputs that are wanted.
// Without a cubin it does only that.
func (p *Rig) makeTruth(ctx context.Context, open device.Open, cubin []byte) error {
	open.Library = ""
	w, _, err := runner.Start(ctx, p.role, open, []string{"truth", "inputs"},
		p.Runner.Out.File(), p.Truth.File(), p.inputs.File())
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Call(ctx, device.Request{Prepare: &p.Runner.Prepare}, nil, runner.FillDeadline, nil); err != nil {
		return fmt.Errorf("make the inputs: %w", err)
	}
	req := &device.Truth{Cubin: cubin, Inputs: p.wantedInputs()}
	if len(cubin) > 0 {
		if req.Launches, err = p.Cases.References(); err != nil {
			return err
		}
	}
	return w.Call(ctx, device.Request{Truth: req}, nil, runner.TruthDeadline, nil)
}

// checkedInGo reports whether the reference kernel is held against Go on a case.
func (p *Rig) checkedInGo(i int) bool {
	if p.Cfg.Teller != nil {
		return false
	}
	c := &p.Cases.List[i]
	flops, _, err := p.Cfg.Problem.Work(c.Dims, p.Cfg.DType)
	return err == nil && !c.Trial && p.Cases.Telling(c) && flops < goCheckWork && checker.HasReference(p.Cfg.Problem.Name)
}

// wantedInputs are the cases whose inputs others than the device's worker take, from the input memory: another device,
// the check of the reference kernel, or who tells the truth in its place.
func (p *Rig) wantedInputs() []int {
	var list []int
	for i := range p.Cases.List {
		if p.Shared != nil || p.Cfg.Teller != nil || p.checkedInGo(i) {
			list = append(list, i)
		}
	}
	return list
}

// openInputs makes the input memory, or takes that of the other rig, whose inputs are given to this one.
func (p *Rig) openInputs() (given bool, err error) {
	s := p.Shared
	if s != nil && s.inputs != nil {
		p.inputs = s.inputs
		return true, nil
	}
	_, n := device.PackInputs(p.Cases.List, p.wantedInputs())
	if p.inputs, err = p.memory("darwarp-inputs", n); err == nil && s != nil {
		s.inputs = p.inputs
	}
	return false, err
}

// checkTruth asks who compares whether the reference kernel agrees with Go, and whether the check can tell right from
// wrong.
func (p *Rig) checkTruth(ctx context.Context) error {
	wanted := p.wantedInputs()
	places, _ := device.PackInputs(p.Cases.List, wanted)
	for k, i := range wanted {
		if !p.checkedInGo(i) {
			continue
		}
		ref := &checker.Reference{Problem: p.Cfg.Problem.Name, Case: i, At: places[k]}
		got, err := p.Runner.Judge.Call(ctx, judge.Request{Check: &checker.Request{Reference: ref}})
		if err != nil {
			return err
		}
		if got.Wrong != "" {
			return errors.New(got.Wrong)
		}
	}
	return p.selfTest(ctx)
}
