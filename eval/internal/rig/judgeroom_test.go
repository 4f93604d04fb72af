package rig

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/judge"
	"darwarp/eval/internal/runner"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

// judgedRig is a rig whose outputs a judge on its GPU compares. Nothing of it runs.
func judgedRig(t *testing.T) *Rig {
	t.Helper()
	problem := kernelstest.Problem(t, kernelstest.Scale)
	p := &Rig{Cfg: Config{Problem: problem, DType: kernels.FP32, Workloads: problem.Workloads}}
	p.Device, _ = kernels.ArchDevice("sm_90a")
	p.Device.MemoryBytes, p.shares, p.role = 4<<30, true, runner.GPU
	wanted := p.casesWanted(t.Context())
	wanted.Powers = map[string]cases.Power{}
	for _, w := range problem.Workloads {
		wanted.Powers[w.Name] = cases.Power{Bank: "normal"}
	}
	var err error
	if p.Cases, err = cases.New(wanted); err != nil {
		t.Fatal(err)
	}
	p.Runner = p.makeRunner(device.Open{}, nil)
	plan, _ := p.planJudge()
	p.Runner.Judge.GPU = &runner.GPUJudge{Setup: judge.Setup{Budget: plan.truth}}
	return p
}

// TestTruthsAhead: the truths that duels ask for come first, then those of trials; none that would take the place of
// another, or that a candidate would have to wait for.
func TestTruthsAhead(t *testing.T) {
	p := judgedRig(t)
	size := func(i int) int { return p.Cases.List[i].TruthBytes() }
	gated := 0
	for _, i := range p.Cases.Gated() {
		gated += size(i)
	}
	all := p.truthsAhead()
	bank := p.Cases.Banks["4096"][2:]
	if len(bank) != 6 || !slices.Equal(all[:6], bank) || len(all) != 6+len(p.Cases.Trials["4096"]) {
		t.Fatalf("%v: expected the bank %v, and what trials ask for: %v", all, bank, p.Cases.Trials)
	}
	for _, c := range []struct {
		name   string
		room   int // in the judge, beside what every candidate is judged by
		memory int
		want   []int
	}{
		{"no room", 0, 4 << 30, nil},
		{"room for two", 2 * size(bank[0]), 4 << 30, bank[:2]},
		{"a small GPU", 1 << 30, 4 * size(bank[0]), bank[:1]},
	} {
		p.Runner.Judge.GPU.Setup.Budget, p.Device.MemoryBytes = gated+c.room, c.memory
		if got := p.truthsAhead(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, expected %v", c.name, got, c.want)
		}
	}
}

func TestWhereAJudgeCannotWork(t *testing.T) {
	ready := judgedRig(t)
	for name, c := range map[string]struct {
		change func(p *Rig)
		there  bool
	}{
		"enough":            {func(*Rig) {}, true},
		"no shared memory":  {func(p *Rig) { p.shares = false }, false},
		"no room":           {func(p *Rig) { p.Device.MemoryBytes = 1 << 30 }, false},
		"for another's use": {func(p *Rig) { p.Shared = &Shared{} }, false},
	} {
		p := &Rig{Cfg: ready.Cfg, machine: ready.machine, Cases: ready.Cases}
		c.change(p)
		plan, why := p.planJudge()
		if (plan.truth > 0) != c.there || (plan.slot > 0) != c.there || (why == "") != c.there {
			t.Errorf("%s: %+v (%s)", name, plan, why)
		}
	}
}

// TestJudgePlan: slots hold all that a gate puts out where there is room for that, else the outputs of one case; where
// that is too much as well, cases of trials have no arenas of their own; where not all truths have room either one of
// them is enough, if they are made quickly.
func TestJudgePlan(t *testing.T) {
	ready := judgedRig(t)
	most, inputs := 0, 0
	for i := range ready.Cases.List {
		c := &ready.Cases.List[i]
		most, inputs = max(most, c.TruthBytes()), max(inputs, c.InBytes())
	}
	whole, least := ready.Cases.SlotBytes(), ready.Cases.LeastSlotBytes()
	if largest := ready.Cases.List[ready.Cases.Banks["4096"][0]].OutBytes(); least < largest || whole < 2*largest {
		t.Fatalf("slots of %d and %d bytes, an output takes %d", whole, least, largest)
	}
	all, few := ready.Cases.DeviceBytes(ready.Device.L2Bytes), ready.Cases.LeastDeviceBytes(ready.Device.L2Bytes)
	if few >= all {
		t.Fatalf("cases take %d bytes at least, of %d", few, all)
	}
	for _, c := range []struct {
		name         string
		cases, slots int // what there is room for
		grown        int // of each dim: longer to make, and no larger
		slot         int // 0: no judge
	}{
		{"room for all outputs", all, judgeSlots * whole, 1, whole},
		{"room for less", all, judgeSlots*whole - 1<<10, 1, least},
		{"room for one output", all, judgeSlots * least, 1, least},
		{"no room for trials", few, judgeSlots * least, 1, least},
		{"room for none", few, judgeSlots*least - 1<<10, 1, 0},
		{"truths that take long", few, judgeSlots * least, 1e8, 0},
	} {
		p := &Rig{Cfg: ready.Cfg, machine: ready.machine}
		set := *ready.Cases
		set.List = slices.Clone(set.List)
		for i := range set.List {
			set.List[i].Dims = maps.Clone(set.List[i].Dims)
			for name := range set.List[i].Dims {
				set.List[i].Dims[name] *= c.grown
			}
		}
		p.Cases, p.Device.MemoryBytes = &set, (c.cases+inputs+judgeRoom+most+c.slots)/9*10+20
		plan, why := p.planJudge()
		if there := c.slot > 0; plan.slot != c.slot || (plan.truth >= most) != there || (plan.cases >= c.cases) != there ||
			(why == "") != there {
			t.Errorf("%s: %+v (%s), expected a slot of %d", c.name, plan, why, c.slot)
		}
	}
}

// TestHugeOutputs: the cases of a softmax of 4096 x 393216, as KernelBench has it, and of a norm nearly as large as its
// largest are judged on a GPU of 150 GB, one after the other, and the worker takes no memory that the judge needs. A
// machine of 64 GiB without such a GPU refuses them.
func TestHugeOutputs(t *testing.T) {
	for _, c := range []struct {
		n     int
		power cases.Power
	}{
		{4096 * 393216, cases.Power{Bank: "normal", Tails: true}},
		{32768 * 60000, cases.Power{Bank: "normal"}},
	} {
		p := judgedRig(t)
		p.Device.MemoryBytes = 150e9
		p.Cfg.Workloads = []kernels.Workload{{Name: "huge", Dims: kernels.Dims{"n": c.n}}}
		wanted := p.casesWanted(t.Context())
		wanted.Powers = map[string]cases.Power{"huge": c.power}
		var err error
		if p.Cases, err = cases.New(wanted); err != nil {
			t.Fatal(err)
		}
		plan, why := p.planJudge()
		if why != "" || plan.slot > 4*c.n+1<<10 || plan.truth < 12*c.n || p.Cases.SlotBytes() < 2*4*c.n {
			t.Errorf("%+v (%s): expected slots of %d bytes or few more", plan, why, 4*c.n)
		}
		if all := plan.cases + plan.truth + judgeSlots*plan.slot + 4*c.n + judgeRoom; all > 135e9 {
			t.Errorf("%+v: %d bytes in all", plan, all)
		}
		checkRoom(t, p, plan)
		p.Cfg.Problem = kernelstest.Problem(t, kernelstest.Scale+"[[baseline]]\nkind = \"torch\"\ncall = \"x * 2\"\n")
		plan, why = p.planJudge()
		taken := plan.cases + plan.truth + judgeSlots*plan.slot + 4*c.n + judgeRoom
		if left := p.Device.MemoryBytes - taken; why != "" || left < 12*c.n+torchContext {
			t.Errorf("%+v (%s): %d bytes are left for torch, expected three tensors of %d", plan, why, left, 4*c.n)
		}
		p.Runner = p.makeRunner(device.Open{}, nil)
		if err := p.roomOnHost(64 << 30); !errors.Is(err, ErrTooLarge) {
			t.Errorf("on a host of 64 GiB: %v", err)
		}
		if err := errors.Join(p.roomOnHost(0), p.roomOnHost(1<<40)); err != nil {
			t.Error(err)
		}
	}
}

// checkRoom: a slot holds the outputs of any case, and beside a cold run there is room for scratch.
func checkRoom(t *testing.T, p *Rig, plan judgePlan) {
	t.Helper()
	held, cold := 0, 0 // by the driver's units of 2 MiB, as a worker counts them
	for i := range p.Cases.List {
		c := &p.Cases.List[i]
		if c.OutBytes() > plan.slot {
			t.Errorf("%s: outputs of %d bytes", c.Name, c.OutBytes())
		}
		units := (c.ArenaBytes() + 2<<20 - 1) / (2 << 20) * (2 << 20)
		if cold = max(cold, units); !c.Trial {
			held += units
		}
	}
	if scratch := plan.cases - held - cold - device.FlushBytes(p.Device.L2Bytes); scratch < 1<<29 {
		t.Errorf("%d bytes for scratch beside a cold run", scratch)
	}
}
