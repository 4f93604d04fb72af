package listing

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/kernels"
	"darwarp/templates"
)

// Arches are those whose spaces are counted when none is named.
var Arches = []string{"sm_80", "sm_89", "sm_90a"}

// listed is one problem as --json gives it.
type listed struct {
	Problem  *kernels.Problem `json:"problem"`
	DType    kernels.DType    `json:"dtype"`
	Families []listedFamily   `json:"families"`
}

type listedFamily struct {
	*kernels.Family
	Points map[string]int `json:"points"` // legal points by architecture; absent: it cannot run there
}

// ProblemOptions say what of problems is listed.
type ProblemOptions struct {
	Arch  string // empty: Arches
	DType string // empty: the first of each problem
	JSON  bool
}

// Problems lists the problems of some names, none: the built-in ones in a table.
func (to Lister) Problems(f ProblemOptions, args []string) error {
	arches := Arches
	if f.Arch != "" {
		if _, err := kernels.ArchDevice(f.Arch); err != nil {
			return exit.Usagef("--arch: %v", err)
		}
		arches = []string{f.Arch}
	}
	names := args
	if len(names) == 0 {
		names = templates.Builtins()
	}
	var all []listed
	for _, name := range names {
		b, err := session.LoadBundle(name)
		if err != nil {
			return err
		}
		l, err := listOne(b, f.DType, arches)
		if err != nil {
			return err
		}
		all = append(all, l)
	}
	if f.JSON {
		return to.PrintJSON(all)
	}
	if len(args) == 0 {
		to.listTable(all, arches)
		return nil
	}
	return to.listProblem(all[0], arches)
}

func listOne(b *templates.Bundle, dtype string, arches []string) (listed, error) {
	t, err := session.PickDType(b.Problem, dtype)
	if err != nil {
		return listed{}, err
	}
	l := listed{Problem: b.Problem, DType: t}
	for _, fam := range b.Families {
		lf := listedFamily{Family: fam, Points: map[string]int{}}
		for _, arch := range arches {
			dev, err := kernels.ArchDevice(arch)
			if err != nil {
				return l, err
			}
			n, err := spaceSize(fam, dev, t)
			if err != nil {
				return l, err
			}
			if n > 0 {
				lf.Points[arch] = n
			}
		}
		l.Families = append(l.Families, lf)
	}
	return l, nil
}

// spaceSize counts a family's legal points; none when the device is older than the family needs.
func spaceSize(f *kernels.Family, dev kernels.Device, t kernels.DType) (int, error) {
	if !f.Runs(dev) {
		return 0, nil
	}
	s, err := kernels.NewSpace(f, dev, t, nil)
	if errors.Is(err, kernels.ErrNoLegalPoint) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return s.Len(), nil
}

func (to Lister) listTable(all []listed, arches []string) {
	head := append([]string{"problem", "family", "dtypes", "genes"}, arches...)
	t := report.NewTable("lllr"+strings.Repeat("r", len(arches)), head...)
	for _, l := range all {
		for i, f := range l.Families {
			row := []any{"", f.Name, "", len(f.Genes)}
			if i == 0 {
				row[0], row[2] = l.Problem.Name, joinDTypes(l.Problem.DTypes)
			}
			t.Row(append(row, pointCells(f, arches)...)...)
		}
	}
	t.Write(to.Out)
	to.Sayf("\nThe last columns are legal points. `darwarp list PROBLEM` shows workloads, genes and constraints.")
}

func pointCells(f listedFamily, arches []string) []any {
	var cells []any
	for _, arch := range arches {
		cell := "-"
		if n := f.Points[arch]; n > 0 {
			cell = report.Count(n)
		}
		cells = append(cells, cell)
	}
	return cells
}

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
