package templates

import (
	"slices"

	"darwarp/kernels"
)

// sizesOf are the check shapes and workloads at which a run may have the point. A rule that reads fixed dims and no
// other ones keeps it out of runs of some values of these, and a run judges no candidate at others than its own.
func (c *checker) sizesOf(r *SpaceReport, g kernels.Genome) []kernels.Dims {
	sizes := slices.Clone(c.Problem.Check.Shapes)
	for _, w := range c.Problem.Workloads {
		sizes = append(sizes, w.Dims)
	}
	f := *r.space.Family
	f.Constraints = slices.DeleteFunc(slices.Clone(f.Constraints), func(rule kernels.Constraint) bool {
		return !c.aboutFixed(rule)
	})
	if len(f.Constraints) == 0 {
		return sizes
	}
	return slices.DeleteFunc(sizes, func(d kernels.Dims) bool { return f.Check(g, r.space.Device, r.DType, d) != nil })
}

// aboutFixed reports whether a rule reads fixed dims, and no others.
func (c *checker) aboutFixed(rule kernels.Constraint) bool {
	return rule.Sized() && !slices.ContainsFunc(rule.Reads(), func(name string) bool {
		return slices.Contains(c.Problem.DimNames, name) && !slices.Contains(c.Problem.Fixed, name)
	})
}
