package listing

import (
	"errors"
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
