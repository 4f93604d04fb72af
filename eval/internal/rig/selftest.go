package rig

import (
	"context"
	"fmt"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/judge"
)

// selfTest asks whether the check can tell right from wrong at each size. An ErrUnfit says how not.
func (p *Rig) selfTest(ctx context.Context) error {
	found := newPowers()
	for i := range p.Cases.List {
		c := &p.Cases.List[i]
		// a handful of elements cannot show every mutation
		if c.Workload != "" || c.Trial || !p.Cases.Telling(c) || c.OutBytes() < 4096 {
			continue
		}
		got, err := p.Runner.Judge.Call(ctx, judge.Request{Check: &checker.Request{SelfTest: &checker.SelfTest{Case: i}}})
		if err != nil {
			return err
		}
		if got.Wrong != "" {
			return fmt.Errorf("%w: %s", ErrUnfit, got.Wrong)
		}
		found.add(c, got.Tried)
	}
	return found.unfit()
}

// powers are the wrong outputs that the check was tried on. A candidate is judged on all classes of inputs that a size
// comes with, so it is enough if one of them tells: where outputs have bounds, those of a class may all lie at one, and
// there moved rows are right. Integers tell by themselves. What is wrong at each size may be told at any: at some,
// right kernels may be off by as much as a wrong factor.
type powers struct {
	accepted       []power         // in the order in which they were tried
	told, anywhere map[string]bool // by key, and by name
}

// power is that on one wrong output which a class of inputs did not tell.
type power struct {
	key, name string // with the size, and without
	anySize   bool
	said      string
}

func newPowers() powers { return powers{told: map[string]bool{}, anywhere: map[string]bool{}} }

func (p *powers) add(c *device.Case, tried []check.Tried) {
	for _, t := range tried {
		name := fmt.Sprint(c.Class == "exact", t.Name)
		key := fmt.Sprint(c.Dims, name)
		if t.Accepted == "" {
			p.told[key], p.anywhere[name] = true, true
			continue
		}
		said := fmt.Sprintf("%s: %s (%s)", c.Name, t.Name, t.Accepted)
		p.accepted = append(p.accepted, power{key: key, name: name, anySize: t.AnySize, said: said})
	}
}

// unfit is an ErrUnfit that names the first wrong output that no class tells; nil: there is none.
func (p *powers) unfit() error {
	for _, at := range p.accepted {
		if !p.told[at.key] && !(at.anySize && p.anywhere[at.name]) {
			return fmt.Errorf("%w: %s, and no other class of inputs tells it: name others in check.inputs", ErrUnfit,
				at.said)
		}
	}
	return nil
}
