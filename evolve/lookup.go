package evolve

import (
	"darwarp/kernels"
	"errors"
	"fmt"
	"strings"
)

// of finds the place of a stored candidate; ok is false where its family is not searched.
func (p *population) of(v *kernels.Variant) (d deme, index int, ok bool) {
	if v.Family == "" {
		return p.sources, -1, true
	}
	for _, d := range p.demes {
		if d.family() == v.Family {
			return d, d.index(v.Genes), true
		}
	}
	return nil, 0, false
}

// check refuses a task of a checkpoint that cannot be asked for.
func (p *population) check(t *task) error {
	if t == nil || t.Space < sourceNumber || t.Space >= len(p.demes) {
		return errors.New("the checkpoint names a point that does not exist")
	}
	return p.deme(t.Space).check(t)
}

// generation is the greatest generation of some candidates, as far as they are known.
func (p *population) generation(of []kernels.ID) (most int) {
	for _, id := range of {
		if m := p.members[id]; m != nil {
			most = max(most, m.generation)
		}
	}
	return most
}

// sameCode is a candidate that works, or, where it is a duplicate, the one that has its machine code; nil for neither.
func (p *population) sameCode(id kernels.ID) *member {
	code, twin := p.twins[id]
	if !twin {
		return p.members[id]
	}
	for _, m := range p.members {
		if m.code == code {
			return m
		}
	}
	return nil
}

// place finds the point of a variant.
func (p *population) place(v *kernels.Variant) (*task, error) {
	if v == nil || v.Family == "" {
		return nil, errors.New("expected the genes of a family")
	}
	var names []string
	for _, d := range p.demes {
		if d.family() == v.Family {
			return d.place(v.Genes)
		}
		names = append(names, d.family())
	}
	return nil, fmt.Errorf("family %q is not searched: expected one of %s", v.Family, strings.Join(names, ", "))
}
