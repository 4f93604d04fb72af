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
	found := powers{seen: map[string]*power{}}
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
	seen map[string]*power
	list []*power // in the order in which they were seen
}

// power is that on one wrong output at one size.
type power struct {
	told     bool   // by one of the classes
	accepted string // what the first class said that does not tell
}

func (p *powers) add(c *device.Case, tried []check.Tried) {
	for _, t := range tried {
		key := fmt.Sprint(c.Dims, c.Class == "exact", t.Name)
		if t.AnySize {
			key = fmt.Sprint(c.Class == "exact", t.Name)
		}
		if p.seen[key] == nil {
			p.seen[key] = &power{}
			p.list = append(p.list, p.seen[key])
		}
		at := p.seen[key]
		if t.Accepted == "" {
			at.told = true
		} else if at.accepted == "" {
			at.accepted = fmt.Sprintf("%s: %s (%s)", c.Name, t.Name, t.Accepted)
		}
	}
}

// unfit is an ErrUnfit that names the first wrong output that no class tells; nil: there is none.
func (p *powers) unfit() error {
	for _, at := range p.list {
		if !at.told {
			return fmt.Errorf("%w: %s, and no other class of inputs tells it: name others in check.inputs", ErrUnfit,
				at.accepted)
		}
	}
	return nil
}
