package cases

import (
	"slices"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// Ordinary lists the input classes that a problem names: all of them, or those that say most.
func (w *Wanted) Ordinary(all bool) (classes []string) {
	if w.Problem.ExactTest() {
		classes = append(classes, "exact")
	}
	if !all && len(classes) > 0 {
		return classes
	}
	if !all {
		return w.plain()
	}
	for _, class := range w.Problem.Check.Inputs {
		if class != "extreme" || !w.Effort.narrow {
			classes = append(classes, class)
		}
	}
	return classes
}

// plain is the first class of a problem, with normal numbers if that is uniform ones: none of these is below 0, and all
// outputs may lie at one bound, as those of a clamp.
func (w *Wanted) plain() []string {
	classes := w.Problem.Check.Inputs
	if classes[0] == "uniform" && slices.Contains(classes, "normal") {
		return []string{"uniform", "normal"}
	}
	return classes[:1]
}

// Hard lists the hard classes. Sums in types narrower than fp32 overflow in some, and lose more than of scattered terms
// where these are in order.
func (w *Wanted) Hard() []string {
	wide := []string{"huge", "shift", "ordered"}
	return slices.DeleteFunc(w.Problem.Hard(), func(class string) bool {
		return w.Effort.narrow && slices.Contains(wide, class)
	})
}

// mixed lists, by input, the classes of which the lines of a mixed case are. Of the first they are all but integers.
// Neither inf nor NaN is among them where one line could spoil the others' outputs, nor needles and single terms where
// the lines are not those of the terms, or sums are kept in narrow types: what such a sum may be off by is capped by
// the length of the line, and a few large terms in it are rounded as often as they are added.
func (w *Wanted) mixed() (classes [][]string) {
	for i, t := range w.Problem.Tensors {
		if t.Role == "in" && len(classes) == 0 {
			classes = append(classes, w.mixedFirst())
		} else if t.Role == "in" {
			classes = append(classes, w.mixedOther(i))
		}
	}
	return classes
}

// mixedOther lists the classes of the lines of another input than the first. Whatever the first one's lines are, a
// right kernel has to be right on both: the product of a huge number and a subnormal one, or inf where outputs are more
// than sums of products, would be too much.
func (w *Wanted) mixedOther(tensor int) []string {
	classes := []string{"normal", "uniform"}
	for _, class := range w.Hard() {
		switch class {
		case "zeros", "lead":
			classes = append(classes, class)
		case "outlier": // the product of two, up to 2^20, is more than fp16 holds
			if !w.Effort.narrow {
				classes = append(classes, class)
			}
		case "constant": // on both sides all terms of a sum are equal, and so are its rounding errors
			if !w.Problem.ExactTest() {
				classes = append(classes, class)
			}
		case kernels.Special:
			if w.Problem.ExactTest() && apart(w.Problem, tensor, false, -1) {
				classes = append(classes, class)
			}
		}
	}
	return classes
}

// alone lists the classes that another input than the first has while the rest is ordinary.
func (w *Wanted) alone() (classes []string) {
	for _, class := range w.Hard() {
		switch class {
		case "huge", "tiny", "shift":
			classes = append(classes, class)
		case "constant":
			if w.Problem.ExactTest() {
				classes = append(classes, class)
			}
		case kernels.Special: // an only line has inf or NaN, as it falls
			for range besideSpecial {
				classes = append(classes, class)
			}
		}
	}
	return classes
}

func (w *Wanted) mixedFirst() (classes []string) {
	p, tensor, axis := w.Problem, -1, -1
	if len(p.Check.Terms) > 0 {
		tensor, axis, _ = p.Check.Terms[0].Place()
	}
	first := slices.IndexFunc(p.Tensors, func(t kernels.Tensor) bool { return t.Role == "in" })
	for _, class := range append(w.Ordinary(true), w.Hard()...) {
		switch {
		case class == "exact", class == kernels.Alike: // it is one of all inputs
		case device.AmongTerms(class) && tensor != first:
		case w.Effort.narrow && (device.AmongTerms(class) || class == "onehot"): // few terms, judged as long sums
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
	for i := range x.Shape {
		for j := range p.Tensors {
			if i != axis && p.Tensors[j].Role == "out" && !p.Follows(j, input, i) {
				return false
			}
		}
	}
	return len(x.Shape) > 1 || summed || len(p.Check.Terms) == 0 && p.Check.Reduction == "1"
}

// ranged reports whether an input, by its number among them, is drawn from a range.
func (w *Wanted) ranged(input int) bool {
	for i := range w.Problem.Tensors {
		if t := &w.Problem.Tensors[i]; t.Role == "in" {
			if input == 0 {
				return t.Drawn()
			}
			input--
		}
	}
	return false
}
