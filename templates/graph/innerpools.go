package graph

import "slices"

// inner reports whether windows are of what other operators have made: then each window is written out.
func (l *lowering) inner(n *Node) bool {
	from := l.operandNode(n)
	return from != nil && l.heavy(from)
}

// heavy reports whether a node needs a product of matrices, by way of maps and views.
func (l *lowering) heavy(n *Node) bool {
	seen, list := map[*Node]bool{}, []*Node{n}
	for len(list) > 0 {
		n, list = list[0], list[1:]
		if r := reducers[n.Op]; r != nil && r.place != nil {
			return true
		} else if r != nil || seen[n] {
			continue
		}
		seen[n] = true
		for _, ref := range n.refs() {
			if from := l.nodes[ref]; from != nil {
				list = append(list, from)
			}
		}
	}
	return false
}

// mostWritten is how many numbers a window has at most that is written out.
const mostWritten = 32

// windowed is the greatest number or the mean of windows, number by number.
func (l *lowering) windowed(n *Node, at place) (*value, error) {
	w, err := readWindow(l, n)
	if err != nil {
		return nil, err
	}
	if w.Ceil {
		return nil, refusal(n, "windows of a product: ceil_mode is not taken")
	}
	if w.Window() > mostWritten || slices.Max(w.Padding) > 0 {
		return nil, refusal(n, "windows of a product: expected at most %d numbers, and no padding", mostWritten)
	}
	var found *value
	for i := range w.Window() {
		x, err := l.build(n.Args[0].Ref, l.inWindow(w, at, i))
		switch {
		case err != nil:
			return nil, err
		case found == nil:
			found = x
		case w.Average:
			found = l.op("add", found, x)
		default:
			found = l.op("maximum", found, x)
		}
	}
	if w.Average {
		found = l.op("div", found, l.num(float64(w.Window())))
	}
	return found, nil
}

// inWindow is where number i of a window lies.
func (l *lowering) inWindow(w *pool, at place, i int) place {
	out := slices.Clone(at)
	for axis := w.Rank() - 1; axis >= 0; axis-- {
		on := len(at) - w.Rank() + axis
		out[on] = l.shifted(at[on], w.Stride[axis], i%w.Kernel[axis]*w.Spread[axis])
		i /= w.Kernel[axis]
	}
	return out
}
