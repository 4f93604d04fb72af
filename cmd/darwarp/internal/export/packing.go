package export

import (
	"cmp"
	"fmt"
	"slices"

	"darwarp/kernels"
)

// packedWeight is a tensor that launches with prepare read; Index is its place among the problem's.
type packedWeight struct {
	kernels.Buffer
	Index int
}

// Packs reports whether something is done once for the weights at a measured size.
func (s *sheet) Packs() bool {
	return slices.ContainsFunc(s.Calls, func(c call) bool { return len(c.Call.Prepare) > 0 })
}

// Packs reports whether a kernel has something done once for the weights, at any size.
func (s *portfolioSheet) Packs() bool {
	return slices.ContainsFunc(s.Plans, func(p cPlan) bool { return len(p.Prepare) > 0 })
}

// PackedWeights are the tensors that are packed, by any of the kernels.
func (s *portfolioSheet) PackedWeights() (all []packedWeight) {
	for i, b := range s.Tensors() {
		if slices.ContainsFunc(s.Plans, func(p cPlan) bool { return slices.ContainsFunc(p.Prepare, reads(b.Name)) }) {
			all = append(all, packedWeight{b, i})
		}
	}
	return all
}

// reads reports whether a launch has a tensor as an argument, or a map of it.
func reads(tensor string) func(cLaunch) bool {
	return func(l cLaunch) bool {
		return slices.ContainsFunc(l.Args, func(a cArg) bool { return a.Buffer == tensor }) ||
			slices.ContainsFunc(l.Maps, func(m cTensorMap) bool { return m.Tensor == tensor })
	}
}

// WeightDims are the sizes that what is packed depends on.
func (s *sheet) WeightDims() []string { return s.Problem.WeightDims() }

// WeightParams are these sizes as parameters in C++.
func (s *sheet) WeightParams() (code, error) { return list("long long ", s.WeightDims()) }

// WeightList are these sizes as arguments.
func (s *sheet) WeightList() (code, error) { return list("", s.WeightDims()) }

// WeightAt are the places of these sizes among the problem's.
func (s *sheet) WeightAt() (all []int) {
	for _, d := range s.WeightDims() {
		all = append(all, slices.Index(s.Problem.DimNames, d))
	}
	return all
}

// benchLaunch is a launch as bench.cu has it, with every number known.
type benchLaunch struct {
	kernels.Launch
	Call   call
	Symbol string
	Number int
	Mapped bool
}

// Of is a launch of the call, of a kernel in a unit.
func (c call) Of(u unit, l kernels.Launch, mapped bool) (benchLaunch, error) {
	n, err := u.Number(l.Entry)
	return benchLaunch{l, c, u.Symbol, n, mapped}, err
}

// PrepareDims are the sizes that the shapes of the packed weights tell; the others are arguments of what packs them.
func (s *portfolioSheet) PrepareDims() (all []torchDim) {
	for _, d := range s.WeightDims() {
		for _, t := range s.PackedWeights() {
			if axis := slices.Index(s.Problem.Tensors[t.Index].Shape, d); axis >= 0 {
				all = append(all, torchDim{d, t.Name, axis})
				break
			}
		}
	}
	return all
}

// PrepareFlags are these others.
func (s *portfolioSheet) PrepareFlags() (all []string) {
	for _, d := range s.WeightDims() {
		if !slices.ContainsFunc(s.PrepareDims(), func(t torchDim) bool { return t.Name == d }) {
			all = append(all, d)
		}
	}
	return all
}

// PackedInputs are the places of the packed weights among the inputs.
func (s *portfolioSheet) PackedInputs() (all []int) {
	for i, in := range s.TorchInputs() {
		if slices.ContainsFunc(s.PackedWeights(), func(t packedWeight) bool { return t.Name == in.Name }) {
			all = append(all, i)
		}
	}
	return all
}

// PrepareParams are the parameters of what packs weights in C++.
func (s *portfolioSheet) PrepareParams() (code, error) {
	return s.prepareParams("const at::Tensor& ", "int64_t ")
}

// PyPrepareParams are the same in Python.
func (s *portfolioSheet) PyPrepareParams() (code, error) { return s.prepareParams("", "") }

func (s *portfolioSheet) prepareParams(tensor, number code) (code, error) {
	var names []string
	for _, t := range s.PackedWeights() {
		names = append(names, t.Name)
	}
	return parameters(tensor, names, number, s.PrepareFlags())
}

// PrepareSchema is what packs weights as PyTorch declares it.
func (s *portfolioSheet) PrepareSchema() (code, error) {
	params, err := s.prepareParams("Tensor ", "int ")
	return identifier(s.Problem.Name) + "_prepare(" + params + ") -> Tensor", err
}

// PyPacked is the number of packed bytes in Python, by the sizes.
func (s *portfolioSheet) PyPacked() (code, error) {
	var all []code
	for _, k := range s.Sheets {
		own, err := k.pyPacked()
		if err != nil {
			return "", err
		}
		all = append(all, own)
	}
	return join(all, " + "), nil
}

func (s *sheet) pyPacked() (code, error) {
	w := planWriter{known: s.Job.Env}
	spec, sum, when := w.done(s.Job.Plan.Spec), code("0"), code("False")
	for _, b := range spec.Scratch {
		if b.Prepared {
			bytes, err := pyText(b.Bytes, s.Job.Env)
			if err != nil {
				return "", fmt.Errorf("scratch %s: %w", b.Name, err)
			}
			sum += " + -(-" + bytes + " // 256) * 256" // as launch.h aligns it
		}
	}
	for _, l := range spec.Launches {
		if l.Prepare {
			on, err := pyText(cmp.Or(l.When, "true"), s.Job.Env)
			if err != nil {
				return "", fmt.Errorf("launch %s: %w", l.Entry, err)
			}
			when += " or " + on
		}
	}
	return "(" + sum + " if " + when + " else 0)", nil
}
