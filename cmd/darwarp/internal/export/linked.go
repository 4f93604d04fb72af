package export

import (
	"errors"
	"fmt"
	"slices"

	"darwarp/kernels"
	"darwarp/kernels/expr"
)

// linked is what the forms in C++ see of one kernel: a portfolio of it alone, whose unit includes kernel.cu.
func (s *sheet) linked() (*portfolioSheet, error) {
	p := Portfolio{Kernels: []Kernel{s.Kernel}}
	for _, w := range s.Workloads {
		p.Found.Choices = append(p.Found.Choices, kernels.Choice{Workload: w.Name})
	}
	out, err := p.sheet()
	if err != nil {
		return nil, err
	}
	out.Units, out.Single = []unit{s.Unit}, true
	return out, nil
}

// Namespace is a name in C++ that no other export has.
func (s *portfolioSheet) Namespace() code {
	name := identifier(s.Problem.Name)
	if s.Single {
		return name + code("_"+s.Job.ID.Short())
	}
	for _, k := range s.Sheets {
		name += code("_" + k.Job.ID.Short()[:6])
	}
	return name
}

// Params are the sizes as parameters in C++.
func (s *sheet) Params() (code, error) { return list("long long ", s.Problem.DimNames) }

// DimList are the sizes as arguments.
func (s *sheet) DimList() (code, error) { return list("", s.Problem.DimNames) }

// Float8 reports whether a tensor is of a type that CUDA declares in cuda_fp8.h.
func (s *sheet) Float8() bool {
	return slices.ContainsFunc(s.Tensors(), func(b kernels.Buffer) bool {
		return b.DType == kernels.E4M3 || b.DType == kernels.E5M2
	})
}

// ShapeText is a tensor's shape in C++, by the sizes in d.
func (s *sheet) ShapeText(tensor int) (parts []code, err error) {
	known := s.Problem.Env(nil, s.DType)
	for _, text := range s.Problem.Tensors[tensor].Shape {
		_, err := expr.CompileInt(text, expr.Scope(s.Problem.Env(s.Calls[0].Dims, s.DType)))
		part, more := ctext(text, known)
		if err = errors.Join(err, more); err != nil {
			return nil, fmt.Errorf("the shape of %s: %w", s.Problem.Tensors[tensor].Name, err)
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// Windows reports whether any launch asks L2 to keep tensors.
func (s *portfolioSheet) Windows() bool {
	return slices.ContainsFunc(s.Plans, func(p cPlan) bool {
		return slices.ContainsFunc(p.Launches, func(l cLaunch) bool { return len(l.Window) > 0 })
	})
}

// Partial reports whether a kernel may have no launch at some sizes: all of its launches are conditional.
func (s *portfolioSheet) Partial() bool {
	return slices.ContainsFunc(s.Plans, func(p cPlan) bool {
		return !slices.ContainsFunc(p.Launches, func(l cLaunch) bool { return l.When == "" })
	})
}

// HeaderBuild is the command that builds the bench that goes through launch.h.
func (s *portfolioSheet) HeaderBuild() code {
	if s.Single {
		return s.nvcc(s.NVCCFlags, "header_bench.cu", "-o", "header_bench")
	}
	return s.link("header_bench")
}

// checkSize is a size at which a form is proved, with the reference's launch.
type checkSize struct {
	Name      string
	Dims      kernels.Dims
	Terms     int
	Reference kernels.Launch
	Buffers   []kernels.Buffer
}

// Inputs are the tensors that a proof has to make.
func (c checkSize) Inputs() []kernels.Buffer {
	return slices.DeleteFunc(slices.Clone(c.Buffers), func(b kernels.Buffer) bool { return b.Out })
}

// Outputs are the tensors that come out.
func (c checkSize) Outputs() []kernels.Buffer {
	return slices.DeleteFunc(slices.Clone(c.Buffers), func(b kernels.Buffer) bool { return !b.Out })
}

// CheckSizes are the measured sizes, and those of the gate that every kernel can be launched at.
func (s *portfolioSheet) CheckSizes() ([]checkSize, error) {
	var out []checkSize
	for _, c := range s.Calls {
		out = append(out, checkSize{c.Name, c.Dims, c.Terms, c.Reference, c.Buffers})
	}
	for i, d := range s.Problem.Check.Shapes {
		if slices.ContainsFunc(s.Sheets, func(k *sheet) bool { _, err := k.Job.Resolve(d); return err != nil }) {
			continue
		}
		c := checkSize{Name: fmt.Sprintf("check %d", i), Dims: d}
		var err error
		if c.Terms, err = s.Problem.Reduction(d, s.DType); err != nil {
			return nil, err
		}
		if c.Reference, err = s.Problem.ReferenceLaunch(d, s.DType); err != nil {
			return nil, err
		}
		if c.Buffers, err = s.Problem.Buffers(d, s.DType); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}
