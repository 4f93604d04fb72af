package listing

import (
	"fmt"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

func joinDTypes(ts []kernels.DType) string {
	names := make([]string, len(ts))
	for i, t := range ts {
		names[i] = string(t)
	}
	return strings.Join(names, " ")
}

func (to Lister) listProblem(l listed, arches []string) error {
	p := l.Problem
	to.Printf("%s: %s\n\n", p.Name, p.About)
	report.Fields(to.Out, "",
		[2]string{"dims", strings.Join(p.DimNames, ", ")},
		[2]string{"dtypes", joinDTypes(p.DTypes)},
		[2]string{"tensors", tensorLine(p)},
		[2]string{"baselines", strings.Join(p.BaselineNames(), ", ")})
	if err := to.workloadTable(l); err != nil {
		return err
	}
	for _, f := range l.Families {
		to.familyText(f, arches)
	}
	return nil
}

func tensorLine(p *kernels.Problem) string {
	var out []string
	for _, t := range p.Tensors {
		s := fmt.Sprintf("%s %s[%s]", t.Role, t.Name, strings.Join(t.Shape, ", "))
		if t.DType != "" {
			s += " " + string(t.DType)
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func (to Lister) workloadTable(l listed) error {
	to.Printf("\nworkloads (* default, ~ default on the cpu device), %s\n", l.DType)
	t := report.NewTable("lllrrr", "", "name", "size", "work", "least traffic", "weight")
	t.Indent = " "
	small := l.Problem.SmallWorkloads()
	for _, w := range l.Problem.Workloads {
		flops, bytes, err := l.Problem.Work(w.Dims, l.DType)
		if err != nil {
			return err
		}
		mark := ""
		switch {
		case w.Default:
			mark = "*"
		case slices.ContainsFunc(small, func(s kernels.Workload) bool { return s.Name == w.Name }):
			mark = "~"
		}
		t.Row(mark, w.Name, sizeText(l.Problem, w.Dims), report.Work(flops), report.Bytes(int(bytes)),
			fmt.Sprintf("%g", w.Weight))
	}
	t.Write(to.Out)
	return nil
}

// sizeText writes a size as --workload takes it, in the problem's order.
func sizeText(p *kernels.Problem, d kernels.Dims) string {
	parts := make([]string, len(p.DimNames))
	for i, name := range p.DimNames {
		parts[i] = fmt.Sprintf("%s=%d", name, d[name])
	}
	return strings.Join(parts, ",")
}

func (to Lister) familyText(f listedFamily, arches []string) {
	var sizes []string
	for _, arch := range arches {
		if n := f.Points[arch]; n > 0 {
			sizes = append(sizes, report.Quantity(n, "point")+" on "+arch)
		}
	}
	if len(sizes) == 0 {
		sizes = []string{"no legal point on " + strings.Join(arches, ", ")}
	}
	needs := f.Arch
	if !f.Portable() {
		needs += " and runs on no other"
	}
	to.Printf("\nfamily %s: %s\n  needs %s; %s\n\n"+
		"  genes (default in brackets, values in parentheses only on request)\n",
		f.Name, f.About, needs, strings.Join(sizes, ", "))
	t := report.Table{Indent: "  "}
	for i := range f.Genes {
		t.Row(f.Genes[i].Name, geneValues(&f.Genes[i]), exists(&f.Genes[i]))
	}
	t.Write(to.Out)
	if len(f.Constraints) == 0 {
		return
	}
	to.Printf("\n  constraints\n")
	for _, c := range f.Constraints {
		to.Printf("  %s\n", c.Rule)
		for _, line := range report.Wrap(c.Why, 90) {
			to.Printf("      %s\n", line)
		}
	}
}

// exists says when a gene does, and at which sizes.
func exists(g *kernels.Gene) string {
	if g.Matters == "" {
		return g.When
	}
	return strings.TrimPrefix(g.When+"; at "+g.Matters, "; ")
}

// geneValues lists a gene's values with its default and its opt-in values marked.
func geneValues(g *kernels.Gene) string {
	optIn := map[kernels.Value]bool{}
	for _, raw := range g.OptIn {
		if v, err := kernels.NewValue(raw); err == nil {
			optIn[v] = true
		}
	}
	var out []string
	for _, v := range g.All() {
		switch {
		case v == g.DefaultValue():
			out = append(out, "["+v.String()+"]")
		case optIn[v]:
			out = append(out, "("+v.String()+")")
		default:
			out = append(out, v.String())
		}
	}
	return strings.Join(out, " ")
}
