package eval

import (
	"slices"

	"darwarp/kernels"
)

// ordinary lists the input classes that a problem names: all of them, or the one that says most.
func (w *wanted) ordinary(all bool) (classes []string) {
	if w.problem.ExactTest() {
		classes = append(classes, "exact")
	}
	if !all && len(classes) > 0 {
		return classes
	}
	for _, class := range w.problem.Check.Inputs {
		if class != "extreme" || !w.effort.narrow {
			classes = append(classes, class)
		}
	}
	if !all {
		classes = classes[:1]
	}
	return classes
}

// hard lists the hard classes.
func (w *wanted) hard() []string {
	return slices.DeleteFunc(w.problem.Hard(), func(class string) bool { return class == "huge" && w.effort.narrow })
}

// mixed lists the classes of which the lines of a mixed case are: all but integers. Neither inf nor NaN is among them
// where one line could spoil the others' outputs, nor needles where the lines are not those of the terms.
func (w *wanted) mixed() (classes []string) {
	p, tensor, axis := w.problem, -1, -1
	if len(p.Check.Terms) > 0 {
		tensor, axis, _ = p.Check.Terms[0].Place()
	}
	first := slices.IndexFunc(p.Tensors, func(t kernels.Tensor) bool { return t.Role == "in" })
	for _, class := range append(w.ordinary(true), w.hard()...) {
		switch {
		case class == "exact":
		case class == kernels.Needles && tensor != first:
		case class == kernels.Special && !apart(p, first, tensor == first, axis):
		default:
			classes = append(classes, class)
		}
	}
	return classes
}

// apart reports whether each line of an input has outputs of its own: every axis but that of the line is one of each
// output. What is not summed is all its own.
func apart(p *kernels.Problem, input int, summed bool, axis int) bool {
	if input < 0 {
		return false
	}
	x := p.Tensors[input]
	if !summed {
		axis = len(x.Shape) - 1
	}
	for i, dim := range x.Shape {
		for _, out := range p.Tensors {
			if i != axis && out.Role == "out" && !slices.Contains(out.Shape, dim) {
				return false
			}
		}
	}
	return len(x.Shape) > 1 || summed || len(p.Check.Terms) == 0 && p.Check.Reduction == "1"
}
