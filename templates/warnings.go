package templates

import (
	"fmt"
	"slices"

	"darwarp/kernels"
)

// warnings are what is allowed and probably not meant.
func (b *Bundle) warnings(f *kernels.Family, spaces []SpaceReport) (out []string) {
	found := valuesFound(f, spaces)
	out = b.aboutGenes(f, found)
	for _, name := range b.idle(f) {
		out = append(out, fmt.Sprintf("let %s is not used", name))
	}
	for _, l := range f.Plan.Spec.Launches {
		for _, m := range l.TensorMaps {
			if !slices.Contains(l.Args, m.Name) {
				out = append(out, fmt.Sprintf("tensor map %s is not an argument of launch %s", m.Name, l.Entry))
			}
		}
	}
	out = append(out, b.aboutSums(f)...)
	for i, c := range f.Constraints {
		if found != nil && !refuses(spaces, i) && !c.Sized() && !depends(f, c) {
			out = append(out, fmt.Sprintf("constraint %s refuses nothing that those before it allow", c.Rule))
		}
	}
	return out
}

// aboutGenes are the genes and values that no candidate needs; found are the values that legal points have, nil where
// that is unknown.
func (b *Bundle) aboutGenes(f *kernels.Family, found [][]bool) (out []string) {
	used := b.uses(f)
	for i := range f.Genes {
		g := &f.Genes[i]
		if !used[g.Name] {
			out = append(out, fmt.Sprintf("gene %s changes neither the source nor the launches", g.Name))
		}
		for j, v := range g.All() {
			if found != nil && !found[i][j] && !g.OptsIn(v) {
				out = append(out, fmt.Sprintf("gene %s: no legal point has the value %v", g.Name, v))
			}
		}
	}
	return out
}

// aboutSums is what the check would need to know of a family's sums, and does not.
func (b *Bundle) aboutSums(f *kernels.Family) (out []string) {
	if b.Problem.Unproved() && f == b.Families[0] {
		out = append(out, "check.reduction: no input has an axis as long as a dim that it reads: say in check.terms where "+
			"the terms lie, so that the gate can prove that it sees missing ones (terms = [] if there are none)")
	}
	if t := loosest(f); b.Problem.Accumulator(t) != t {
		out = append(out, fmt.Sprintf("accumulate %s: the problem allows sums in %s, by which the family is judged "+
			"(check.accumulate)", t, b.Problem.Accumulator(t)))
	}
	return out
}

// loosest is the widest unit roundoff's type that a family keeps sums in.
func loosest(f *kernels.Family) kernels.DType {
	t := f.Accumulator(f.Defaults())
	for i := range f.Genes {
		if f.Genes[i].Name != f.Accumulate {
			continue
		}
		for _, v := range f.Genes[i].All() {
			if d := kernels.DType(v.String()); d.Roundoff() > t.Roundoff() {
				t = d
			}
		}
	}
	return t
}

// valuesFound says by gene and value whether some legal point has it; nil where there is no point.
func valuesFound(f *kernels.Family, spaces []SpaceReport) (found [][]bool) {
	for _, r := range spaces {
		if r.space == nil {
			continue
		}
		own := r.space.Found()
		if found == nil {
			found = own
		}
		for i := range own {
			for v, there := range own[i] {
				found[i][v] = found[i][v] || there
			}
		}
	}
	return found
}

func refuses(spaces []SpaceReport, constraint int) bool {
	for _, r := range spaces {
		if r.space != nil && r.space.Refused()[constraint] > 0 {
			return true
		}
	}
	return false
}

// depends reports whether a constraint is about the device, or about a gene with values that were
// not tried since they must be asked for: then that it refused nothing means little.
func depends(f *kernels.Family, c kernels.Constraint) bool {
	reads := map[string]bool{}
	for _, name := range c.Reads() {
		reads[name] = true
	}
	throughLets(f, reads)
	for i := range f.Genes {
		if reads[f.Genes[i].Name] && len(f.Genes[i].OptIn) > 0 {
			return true
		}
	}
	return reads["device"]
}
