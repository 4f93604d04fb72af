package export

import (
	"fmt"
	"slices"
	"strings"

	"darwarp/kernels"
)

// Portfolio is several kernels that are exported as one unit, with what is known about them together.
type Portfolio struct {
	Kernels []Kernel // of one run; each with all of its workloads
	Found   kernels.Portfolio
	As      []string    // further forms beside the folder's own files, of Targets
	Alone   bool        // it is a run's champion: no set was measured
	Others  []Portfolio // of runs of the same problem on other devices, of other architectures
}

// portfolioSheet is what the templates see of a portfolio: the first kernel's sheet, whose problem and
// workloads are those of all, and every kernel.
type portfolioSheet struct {
	*sheet
	Found  kernels.Portfolio
	Sheets []*sheet
	Plans  []cPlan // by kernel
	Shapes []shape
	Parts  []*part // by device
	Archs  []arch  // by device, where there are several
	ArchOf []int   // by kernel, likewise

	Single bool // a kernel that is no portfolio: launch.cuh has it too
}

// shape is a known shape with its kernel.
type shape struct {
	kernels.Workload
	Kernel int
	Arch   int // in Archs
}

// WritePortfolio makes the folder. It refuses one that has anything in it.
func WritePortfolio(dir string, p Portfolio) error { return writeFolder(dir, p.files) }

func (p Portfolio) sheet() (*portfolioSheet, error) {
	out := &portfolioSheet{Found: p.Found}
	parts := p.parts()
	for n, of := range parts {
		first := len(out.Sheets)
		for i, k := range of.Kernels {
			if err := out.addKernel(first+i, k); err != nil {
				return nil, err
			}
		}
		for _, c := range of.Found.Choices {
			at := slices.IndexFunc(out.Calls, func(x call) bool { return x.Name == c.Workload })
			if at < 0 {
				return nil, fmt.Errorf("workload %s is not one of the run's", c.Workload)
			}
			out.Shapes = append(out.Shapes, shape{out.Calls[at].Workload, first + c.Kernel, n})
		}
	}
	return out, out.addArchs(parts)
}

// addKernel adds a kernel with its launches.
func (s *portfolioSheet) addKernel(i int, k Kernel) error {
	sheet, err := k.sheet()
	if err != nil {
		return err
	}
	plan, err := writePlan(k.Job.Plan.Spec, k.Bundle.Problem.Tensors, k.Job.Env)
	if err != nil {
		return fmt.Errorf("kernel %d: its launches cannot be written in C++: %w", i, err)
	}
	name := code(fmt.Sprintf("kernel_%d", i))
	u, err := k.unit(name, name+".cuh")
	if err != nil {
		return err
	}
	absent := func(l cLaunch) bool { return !slices.Contains(u.Entries, l.Entry) }
	plan.Launches, plan.Prepare = slices.DeleteFunc(plan.Launches, absent), slices.DeleteFunc(plan.Prepare, absent)
	s.Sheets, s.Plans = append(s.Sheets, sheet), append(s.Plans, plan)
	if i == 0 {
		s.sheet = sheet
	}
	s.Units = append(s.Units, u)
	return nil
}

// Build is the command that builds the bench.
func (s *portfolioSheet) Build() code {
	if s.Single {
		return s.Kernel.Build()
	}
	return s.link("bench")
}

// link is the command that builds a program with the kernels.
func (s *portfolioSheet) link(program string) code {
	var steps []code
	var objects []string
	for i, u := range s.Units {
		object := strings.TrimSuffix(string(u.File), ".cu") + ".o"
		steps = append(steps, s.Sheets[i].nvcc(u.NVCCFlags, "-c", string(u.File), "-o", object))
		objects = append(objects, object)
	}
	all := append(append([]string{program + ".cu"}, objects...), "-o", program)
	last := s.nvcc(nil, all...)
	if s.Several() {
		last = shell(slices.Concat([]string{"nvcc", "-O3", "-std=c++17"}, s.programArchs(), []string{"-Iinclude"}, all)...)
	}
	return join(append(steps, last), " && ")
}

// EntryOf is the number of an entry in its unit.
func (s *portfolioSheet) EntryOf(unit int, entry string) int {
	return slices.Index(s.Units[unit].Entries, entry)
}

// unitLaunch is a launch with the number of its entry in the kernel's unit.
type unitLaunch struct {
	cLaunch
	Number int
	Sheet  *portfolioSheet
}

// Of is a launch of a kernel's plan.
func (s *portfolioSheet) Of(kernel int, l cLaunch) unitLaunch {
	return unitLaunch{l, s.EntryOf(kernel, l.Entry), s}
}

func (p Portfolio) files() (map[string][]byte, error) {
	s, err := p.sheet()
	if err != nil {
		return nil, err
	}
	out := s.common()
	launches := map[string]any{}
	var provenances []any
	for i, u := range s.Units {
		k := s.Sheets[i].Kernel
		out[string(u.Source)], out[string(u.File)] = k.signed(), []byte(u.wrapper())
		if k.Cubin != nil {
			out[strings.TrimSuffix(string(u.File), ".cu")+".cubin"] = k.Cubin
		}
		launches[string(u.Source)] = s.Sheets[i].Launches()
		provenances = append(provenances, k.provenance())
	}
	evidence := map[string]any{"portfolio": p.Found, "kernels": provenances}
	for _, o := range p.Others {
		evidence["on "+o.Kernels[0].Target()] = o.Found
	}
	if err := addJSON(out, map[string]any{"launch.json": launches, "PROVENANCE.json": evidence}); err != nil {
		return nil, err
	}
	if err := s.addForms(p.As, out); err != nil {
		return nil, err
	}
	for name, template := range map[string]string{"bench.cu": "bench.cu", "CMakeLists.txt": "CMakeLists.txt",
		"README.md": "PORTFOLIO.md", "dispatch.h": "dispatch.h"} {
		if out[name], err = page(template, s); err != nil {
			return nil, err
		}
	}
	return out, nil
}
