package rig

import (
	"context"
	"fmt"
	"slices"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/judge"
	"darwarp/eval/internal/runner"
	"darwarp/kernels"
)

// judgeSlots is how many slots a judge on the GPU has: one for each side of a duel. Who writes one has the device until
// it is judged, so that more would wait for nothing.
const judgeSlots = 2

// judgeRoom is the memory that a judge needs on the GPU beside truth, outputs and inputs: its context and modules, and
// what allocations are rounded up to.
const judgeRoom = 1 << 30

// scratchRoom is what candidates may take for their scratch beside the cases, in bytes, where that leaves room for the
// truths that there have to be.
const scratchRoom = 1 << 30

// GivenBytes bounds outputs that come from elsewhere, and the inputs of them: they travel through a pipe.
const GivenBytes = 32 << 20

// judgePlan divides the GPU's memory between its judge and the worker that runs candidates.
type judgePlan struct {
	slot  int // bytes of a slot: all that a gate puts out or, where that has no room, one case's
	truth int // bytes of truth that are kept: what there is beside all else, at most what the truth of all cases takes
	cases int // bytes that the worker may take for cases and scratch
}

// planJudge divides the GPU's memory. why says why a judge cannot work there.
func (p *Rig) planJudge() (plan judgePlan, why string) {
	if p.Shared != nil {
		return plan, "outputs are compared with another device's there"
	}
	if !p.shares {
		return plan, "processes cannot share memory on this GPU"
	}
	room, need := p.roomForJudge()
	all, least := p.Cases.DeviceBytes(p.Device.L2Bytes), p.Cases.LeastDeviceBytes(p.Device.L2Bytes)
	for _, room := range []int{room - p.besideJudge(), room} {
		for _, try := range []struct{ slot, cases int }{
			{p.Cases.SlotBytes(), all}, {p.Cases.LeastSlotBytes(), all}, {p.Cases.LeastSlotBytes(), least},
		} {
			room := room - judgeSlots*try.slot
			if left := room - try.cases; left >= need {
				truth := min(left-min(scratchRoom, left-need), p.Cases.TruthBytes)
				return judgePlan{try.slot, truth, room - truth}, ""
			}
		}
	}
	return plan, fmt.Sprintf("%s has no room for %.1f GiB of truth beside the workloads' buffers", p.Device.Name,
		float64(need)/(1<<30))
}

// roomForJudge is what the GPU has beside the judge's own needs, and how much truth there must be room for.
func (p *Rig) roomForJudge() (room, need int) {
	most, inputs := 0, 0
	for i := range p.Cases.List {
		c := &p.Cases.List[i]
		most, inputs = max(most, c.TruthBytes()), max(inputs, c.InBytes())
		if !c.Trial {
			need += c.TruthBytes()
		}
	}
	if need += most; p.madeAgain() {
		need = most
	}
	return p.Device.MemoryBytes/10*9 - inputs - judgeRoom, need
}

// besideJudge is what torch takes beside that while the winner is compared with it, beyond the tenth of the memory that
// is nobody's: its context, its inputs, and outputs of two calls, of which the next begins before the last one's are
// given back.
func (p *Rig) besideJudge() (more int) {
	torch := func(b kernels.Baseline) bool { return b.Kind == "torch" }
	if !slices.ContainsFunc(p.Cfg.Problem.Baselines, torch) {
		return 0
	}
	for i := range p.Cases.List {
		if c := &p.Cases.List[i]; c.Workload != "" && !c.Trial {
			more = max(more, c.InBytes()+2*c.OutBytes())
		}
	}
	return max(0, torchContext+more-p.Device.MemoryBytes/10)
}

// torchContext is what torch takes for its context, its own kernels and their workspaces.
const torchContext = 2 << 30

// madeAgainFlops bounds what a truth may take that is made each time it is asked for: some hundredths of a second. The
// outputs of a map over a billion numbers have 16 GB of it, and take a hundredth.
const madeAgainFlops = 1e11

// madeAgain reports whether truths need not stay on the device, since any of them is made in no time.
func (p *Rig) madeAgain() bool {
	return !slices.ContainsFunc(p.Cases.List, func(c device.Case) bool {
		flops, _, err := p.Cfg.Problem.Work(c.Dims, p.Cfg.DType)
		return err != nil || flops > madeAgainFlops
	})
}

// openGPUJudge starts a judge on the GPU. Where it cannot work there, why is told and the checker takes its place.
func (p *Rig) openGPUJudge(ctx context.Context, open device.Open, reference []byte) (why string, err error) {
	plan, why := p.planJudge()
	if why != "" {
		return why, nil
	}
	if plan.slot < p.Runner.Prepare.SlotBytes {
		p.Cfg.Say("outputs are judged case by case: the GPU has no room for those of all at once")
	}
	p.Runner.Prepare.SlotBytes, p.Runner.Judge.Setup.SlotBytes = plan.slot, plan.slot
	p.Runner.Prepare.CaseBytes = plan.cases
	g := &runner.GPUJudge{Role: p.role, Open: open, First: p.Cases.Gated()}
	g.Open.Library = ""
	g.Setup = judge.Setup{Check: *p.Runner.Judge.Setup, Slots: judgeSlots, Reference: reference, Budget: plan.truth}
	if g.Setup.Launches, err = p.Cases.References(); err != nil {
		return "", err
	}
	if g.Setup.Compare, err = p.compileOurs(ctx, "the judge", judge.Source); err != nil {
		return "", err
	}
	if g.Host, err = p.memory("darwarp-given", GivenBytes); err != nil {
		return "", err
	}
	if err := p.insist(ctx, func() error { return p.Runner.Judge.TakeGPU(ctx, g) }); err != nil {
		return err.Error(), ctx.Err()
	}
	return "", nil
}
