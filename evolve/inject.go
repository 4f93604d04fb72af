package evolve

import (
	"errors"
	"fmt"
	"strings"

	"darwarp/kernels"
)

// inject asks for a candidate that a person made. It is judged like any other, before what the
// operators propose, also when the budget is spent.
func (s *Search) inject(c Command) (string, error) {
	f, err := s.placed(c.Variant)
	if err != nil {
		return "", err
	}
	if f.job, err = s.job(f); err != nil {
		return "", err
	}
	if s.ids[f.job.ID] || s.demes[f.Space].isKnown(f.Index) {
		return "", fmt.Errorf("%s was asked for already: %s", f.job.ID.Short(), f.job.Variant.Label())
	}
	s.ids[f.job.ID] = true
	s.demes[f.Space].learn(f.Index)
	s.steering.Injected = append(s.steering.Injected, f)
	return fmt.Sprintf("injected %s: %s", f.job.ID.Short(), f.job.Variant.Label()), nil
}

// placed finds the point of a variant.
func (s *Search) placed(v *kernels.Variant) (*flight, error) {
	if v == nil || v.Family == "" {
		return nil, errors.New("expected the genes of a family")
	}
	var names []string
	for i, d := range s.demes {
		if names = append(names, d.space.Family.Name); d.space.Family.Name != v.Family {
			continue
		}
		p, err := d.space.Point(v.Genes)
		if err != nil {
			return nil, err
		}
		p = d.space.Canonical(p)
		if at, ok := d.space.Index(p); ok {
			return &flight{Space: i, Index: at, Origin: kernels.Origin{Operator: "injected", Generation: 1}}, nil
		}
		if err := d.space.Family.Check(d.space.Genome(p), d.space.Device, d.space.DType); err != nil {
			return nil, err
		}
		return nil, errors.New("not in the space that is searched: the run fixes some of these genes, or a recording does not hold them")
	}
	return nil, fmt.Errorf("family %q is not searched: expected one of %s", v.Family, strings.Join(names, ", "))
}

// takeInjected is the next candidate that a person made.
func (s *Search) takeInjected() (*flight, bool) {
	if len(s.steering.Injected) == 0 {
		return nil, false
	}
	f := s.steering.Injected[0]
	s.steering.Injected = s.steering.Injected[1:]
	return f, true
}
