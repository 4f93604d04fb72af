package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/kernels"
	"darwarp/templates"
)

// listedArches are the architectures whose spaces list counts when none is named.
var listedArches = []string{"sm_80", "sm_89", "sm_90a"}

type listFlags struct {
	arch, dtype string
	json        bool
}

func (a *app) listCmd() *cobra.Command {
	var f listFlags
	c := command("list", func(_ *cobra.Command, args []string) error { return a.list(f, args) })
	c.Flags().StringVar(&f.arch, "arch", "", "count the space of this architecture only: sm_80, sm_89, sm_90a, sm_100a")
	c.Flags().StringVar(&f.dtype, "dtype", "", "element type (default: the problem's first)")
	addJSON(c, &f.json)
	return c
}

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

func (a *app) list(f listFlags, args []string) error {
	arches := listedArches
	if f.arch != "" {
		if _, err := kernels.ArchDevice(f.arch); err != nil {
			return exit.Usagef("--arch: %v", err)
		}
		arches = []string{f.arch}
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
		l, err := listOne(b, f.dtype, arches)
		if err != nil {
			return err
		}
		all = append(all, l)
	}
	if f.json {
		return a.PrintJSON(all)
	}
	if len(args) == 0 {
		a.listTable(all, arches)
		return nil
	}
	return a.listProblem(all[0], arches)
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

func (a *app) listTable(all []listed, arches []string) {
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
	t.Write(a.Out)
	a.Sayf("\nThe last columns are legal points. `darwarp list PROBLEM` shows workloads, genes and constraints.")
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

func (a *app) listProblem(l listed, arches []string) error {
	p := l.Problem
	a.Printf("%s: %s\n\n", p.Name, p.About)
	report.Fields(a.Out, "",
		[2]string{"dims", strings.Join(p.DimNames, ", ")},
		[2]string{"dtypes", joinDTypes(p.DTypes)},
		[2]string{"tensors", tensorLine(p)})
	if err := a.workloadTable(l); err != nil {
		return err
	}
	for _, f := range l.Families {
		a.familyText(f, arches)
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

func (a *app) workloadTable(l listed) error {
	a.Printf("\nworkloads (* default, ~ default on the cpu device), %s\n", l.DType)
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
	t.Write(a.Out)
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

func (a *app) familyText(f listedFamily, arches []string) {
	var sizes []string
	for _, arch := range arches {
		if n := f.Points[arch]; n > 0 {
			sizes = append(sizes, fmt.Sprintf("%s points on %s", report.Count(n), arch))
		}
	}
	if len(sizes) == 0 {
		sizes = []string{"no legal point on " + strings.Join(arches, ", ")}
	}
	needs := f.Arch
	if !f.Portable() {
		needs += " and runs on no other"
	}
	a.Printf("\nfamily %s: %s\n  needs %s; %s\n\n"+
		"  genes (default in brackets, values in parentheses only on request)\n",
		f.Name, f.About, needs, strings.Join(sizes, ", "))
	t := report.Table{Indent: "  "}
	for i := range f.Genes {
		t.Row(f.Genes[i].Name, geneValues(&f.Genes[i]), f.Genes[i].When)
	}
	t.Write(a.Out)
	if len(f.Constraints) == 0 {
		return
	}
	a.Printf("\n  constraints\n")
	for _, c := range f.Constraints {
		a.Printf("  %s\n", c.Rule)
		for _, line := range report.Wrap(c.Why, 90) {
			a.Printf("      %s\n", line)
		}
	}
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
