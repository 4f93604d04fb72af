package cases

import (
	"fmt"
	"slices"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// References are the launches of the reference kernel, by case.
func (s *Set) References() (list []kernels.Launch, err error) {
	for i := range s.List {
		l, err := reference(s.want.Problem, s.want.DType, s.List[i].Dims)
		if err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

// Terms are K of the error model, by case.
func (s *Set) Terms() (list []int, err error) {
	for i := range s.List {
		k, err := terms(s.want.Problem, s.want.DType, &s.List[i])
		if err != nil {
			return nil, err
		}
		list = append(list, k)
	}
	return list, nil
}

// Telling reports whether the inputs of a case are such that any wrong output differs from the right one, and by as
// much as numbers of this size differ.
func (s *Set) Telling(c *device.Case) bool {
	return c.Class == "exact" || slices.Contains(s.want.Problem.Check.Inputs, c.Class)
}

// terms is K of the error model of a case.
func terms(p *kernels.Problem, t kernels.DType, c *device.Case) (int, error) {
	k, err := p.Reduction(c.Dims, t)
	if err != nil {
		return 0, fmt.Errorf("check.reduction: %w", err)
	}
	return TermsOf(c, k), nil
}

// TermsOf is K of the error model of a case whose sums have k terms.
func TermsOf(c *device.Case, k int) int {
	if c.Class == kernels.Needles {
		k = min(k, device.MostNeedles)
	}
	if len(c.Terms) > 0 { // sums of one term are made as those of several
		k = max(k, 2)
	}
	return k
}

// reference is the launch of the reference kernel at a size.
func reference(p *kernels.Problem, t kernels.DType, d kernels.Dims) (kernels.Launch, error) {
	l, err := p.ReferenceLaunch(d, t)
	for _, n := range p.DimNames {
		l.Args = append(l.Args, kernels.Arg{Kind: "i32", Int: d[n]})
	}
	return l, err
}
