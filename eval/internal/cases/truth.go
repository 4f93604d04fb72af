package cases

import (
	"fmt"
	"slices"

	"darwarp/eval/internal/check"
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

// Terms are the terms of the sums, by case, as the error model counts them.
func (s *Set) Terms() (list []check.Length, err error) {
	for i := range s.List {
		n, err := terms(s.want.Problem, s.want.DType, &s.List[i])
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// Telling reports whether the inputs of a case are such that any wrong output differs from the right one, and by as
// much as numbers of this size differ.
func (s *Set) Telling(c *device.Case) bool {
	return c.Class == "exact" || slices.Contains(s.want.Problem.Check.Inputs, c.Class)
}

// terms are the terms of the sums of a case.
func terms(p *kernels.Problem, t kernels.DType, c *device.Case) (check.Length, error) {
	k, err := p.Reduction(c.Dims, t)
	if err != nil {
		return check.Length{}, fmt.Errorf("check.reduction: %w", err)
	}
	if p.Check.Finished {
		return check.Length{K: k}, nil
	}
	return TermsOf(c, k), nil
}

// TermsOf are the terms of the sums of a case, which are k long.
func TermsOf(c *device.Case, k int) check.Length {
	n := check.Length{K: k}
	switch {
	case c.Class == kernels.Single:
		n.K = 1
	case c.Class == kernels.Needles && k > device.MostNeedles:
		n = check.Length{K: device.MostNeedles, Chain: k} // the others are dust
	}
	if len(c.Terms) > 0 { // sums of one term are made as those of several
		n.K = max(n.K, 2)
	}
	return n
}

// reference is the launch of the reference kernel at a size.
func reference(p *kernels.Problem, t kernels.DType, d kernels.Dims) (kernels.Launch, error) {
	l, err := p.ReferenceLaunch(d, t)
	for _, n := range p.DimNames {
		l.Args = append(l.Args, kernels.Arg{Kind: "i32", Int: d[n]})
	}
	return l, err
}
