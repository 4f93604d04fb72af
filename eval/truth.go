package eval

import (
	"context"
	"errors"
	"fmt"
	"os"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/judge"
	"darwarp/eval/internal/proc"
)

// palettes asks for values to refill outputs with, for each size.
func (p *Pool) palettes(ctx context.Context) (map[int][]byte, error) {
	all := map[int][]byte{}
	for i := range p.cases.List {
		if device.PaletteCase(p.cases.List, i) != i {
			continue
		}
		got, err := p.judge(ctx, judge.Request{Check: &checker.Request{Palette: &checker.Palette{Case: i}}})
		if err != nil {
			return nil, err
		}
		all[i] = got.Palette
	}
	return all, nil
}

// openJudge makes the truth and starts who compares outputs with it: a judge on the GPU, or the checker where there is
// none, or no room for one.
func (p *Pool) openJudge(ctx context.Context, open device.Open, reference []byte) error {
	if err := p.describeChecks(); err != nil {
		return err
	}
	p.cfg.progress("computing the truth")
	if p.role.worker == gpuRole.worker {
		why, err := p.openGPUJudge(ctx, open, reference)
		if err != nil {
			return err
		}
		if p.checker.gpu != nil {
			p.runner.prepare.Slots, p.runner.prepare.OnDevice = judgeSlots, true
			return nil
		}
		p.cfg.progress("outputs are compared on the processor: " + why)
	}
	return p.openChecker(ctx, open, reference)
}

// openChecker starts the checker, and makes the truth in a process that ends then. Outputs, inputs and truth are in
// this machine's memory.
func (p *Pool) openChecker(ctx context.Context, open device.Open, reference []byte) (err error) {
	prepare := &p.runner.prepare
	prepare.Slots = outputSlots
	if p.out, err = p.memory("darwarp-outputs", outputSlots*prepare.SlotBytes); err != nil {
		return err
	}
	if p.truth, err = p.memory("darwarp-truth", p.cases.TruthBytes); err != nil {
		return err
	}
	if prepare.Given, err = p.openInputs(); err != nil {
		return err
	}
	p.runner.out, p.runner.inputs = p.out, p.inputs
	p.checker.spec = proc.Spec{Args: []string{"worker", "check"},
		Files: []*os.File{p.out.File(), p.truth.File(), p.inputs.File()},
		Fence: cpuRole.in(p.cfg.fence()).fence(device.Open{})}
	p.checker.mu.Lock()
	defer p.checker.mu.Unlock()
	return p.insist(ctx, func() error {
		if err := p.checker.ready(ctx); err != nil {
			return err
		}
		return p.makeTruth(ctx, open, reference)
	})
}

// describeChecks says what there is to be judged, and by which error models.
func (p *Pool) describeChecks() error {
	setup := &checker.Setup{Cases: p.cases.List, ULPs: p.cfg.Problem.Check.ULPs, SlotBytes: p.cases.SlotBytes()}
	var err error
	if setup.Terms, err = p.cases.Terms(); err != nil {
		return err
	}
	setup.Coherent = p.cfg.Problem.Check.Coherent
	if p.cfg.Problem.Check.RoundedTerms {
		setup.Rounded = p.cfg.DType
	}
	p.checker.setup, p.checker.log = setup, p.log
	return nil
}

// goCheckWork bounds the cases on which the reference kernel is held against Go, in operations.
const goCheckWork = 64 << 20

// makeTruth runs the reference kernel in a process of its own.
func (p *Pool) makeTruth(ctx context.Context, open device.Open, cubin []byte) error {
	open.Library = ""
	w, _, err := startWorker(ctx, p.role, open, []string{"truth", "inputs"}, p.out.File(), p.truth.File(), p.inputs.File())
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Call(ctx, device.Request{Prepare: &p.runner.prepare}, nil, fillDeadline, nil); err != nil {
		return fmt.Errorf("make the inputs: %w", err)
	}
	req := &device.Truth{Cubin: cubin, Inputs: p.wantedInputs()}
	if req.Launches, err = p.cases.References(); err != nil {
		return err
	}
	return w.Call(ctx, device.Request{Truth: req}, nil, truthDeadline, nil)
}

// checkedInGo reports whether the reference kernel is held against Go on a case.
func (p *Pool) checkedInGo(i int) bool {
	c := &p.cases.List[i]
	flops, _, err := p.cfg.Problem.Work(c.Dims, p.cfg.DType)
	return err == nil && !c.Trial && p.cases.Telling(c) && flops < goCheckWork && checker.HasReference(p.cfg.Problem.Name)
}

// wantedInputs are the cases whose inputs others than the device's worker take, from the input memory: another device,
// or the check of the reference kernel.
func (p *Pool) wantedInputs() []int {
	var list []int
	for i := range p.cases.List {
		if p.cfg.shared != nil || p.checkedInGo(i) {
			list = append(list, i)
		}
	}
	return list
}

// openInputs makes the input memory, or takes that of the other pool, whose inputs are given to this one.
func (p *Pool) openInputs() (given bool, err error) {
	s := p.cfg.shared
	if s != nil && s.inputs != nil {
		p.inputs = s.inputs
		return true, nil
	}
	_, n := device.PackInputs(p.cases.List, p.wantedInputs())
	if p.inputs, err = p.memory("darwarp-inputs", n); err == nil && s != nil {
		s.inputs = p.inputs
	}
	return false, err
}

// checkTruth asks who compares whether the reference kernel agrees with Go, and whether the check can tell right from
// wrong.
func (p *Pool) checkTruth(ctx context.Context) error {
	wanted := p.wantedInputs()
	places, _ := device.PackInputs(p.cases.List, wanted)
	for k, i := range wanted {
		if !p.checkedInGo(i) {
			continue
		}
		ref := &checker.Reference{Problem: p.cfg.Problem.Name, Case: i, At: places[k]}
		got, err := p.judge(ctx, judge.Request{Check: &checker.Request{Reference: ref}})
		if err != nil {
			return err
		}
		if got.Wrong != "" {
			return errors.New(got.Wrong)
		}
	}
	for i := range p.cases.List {
		if c := &p.cases.List[i]; c.Workload != "" || c.Trial || !p.cases.Telling(c) {
			continue
		}
		if elems := p.cases.List[i].OutBytes(); elems < 4096 { // a handful of elements cannot show every mutation
			continue
		}
		got, err := p.judge(ctx, judge.Request{Check: &checker.Request{SelfTest: &checker.SelfTest{Case: i}}})
		if err != nil {
			return err
		}
		if got.Wrong != "" {
			return fmt.Errorf("%w: %s", ErrUnfit, got.Wrong)
		}
	}
	return nil
}
