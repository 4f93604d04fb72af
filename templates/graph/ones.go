package graph

import "slices"

// ofOne are the sums that leave one number as it is.
var ofOne = []string{"sum", "mean", "amax", "amin", "max", "min", "prod", "logsumexp"}

// viewing is how an operator that moves no number is looked through, nil: it is none. A sum along axes of length 1 is
// one, too: it drops axes.
func (l *lowering) viewing(n *Node) *viewing {
	if v := views[n.Op]; v != nil || !slices.Contains(ofOne, n.Op) {
		return v
	}
	shape, err := l.shapeOf(n, 0)
	if err != nil {
		return nil
	}
	axes, err := summed(l, n)
	if err != nil || len(axes) == 0 {
		return nil
	}
	for _, i := range axes {
		if texts(shape)[i] != "1" {
			return nil
		}
	}
	return views["view"]
}
