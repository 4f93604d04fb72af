package graph

import (
	"slices"
	"strings"
)

// place says which axes of the domain each axis of a node runs along: none where its length is 1, several where the
// domain is finer.
type place [][]int

// isFull reports whether a place has all axes of the domain, in their order, or else those that are kept.
func (l *lowering) isFull(n *Node, at place) (bool, error) {
	var axes []int
	for _, a := range l.rejoined(at, texts(n.Shape)) {
		axes = append(axes, a...)
	}
	switch {
	case slices.Equal(axes, l.allAxes()):
		return true, nil
	case slices.Equal(axes, l.sort(false)):
		return false, nil
	}
	return false, refusal(n, "the output has neither every place of what is reduced nor a number a row")
}

// outputPlace is where a node lies in the domain, found from what it is made of.
func (l *lowering) outputPlace(n *Node) (place, error) {
	v := l.viewing(n)
	if r, ok := reducers[n.Op]; ok && v == nil {
		if _, ok := l.addsRows(n); ok || l.addsAll(n) {
			return make(place, len(n.Shape)), nil
		}
		switch {
		case r.place != nil:
			return r.place(l, n), nil
		case r.at != nil:
			return r.at(l, n)
		case r.sums == nil:
			return l.places, nil
		}
		return l.keptPlace(n)
	}
	if same(n.Shape, l.base) {
		return l.places, nil
	}
	for _, a := range n.Args {
		from := l.nodes[a.Ref]
		if a.kind != 'r' || from == nil {
			continue
		}
		at, err := l.outputPlace(from)
		if err != nil {
			continue
		}
		if v != nil {
			if out, err := v.forward(l, n, from, at); err == nil {
				return out, nil
			}
		} else if same(from.Shape, n.Shape) {
			return at, nil
		}
	}
	return nil, refusal(n, "its shape %v is neither that of %v nor of its sums", texts(n.Shape), texts(l.base))
}

// broadcast is the place of an argument of that shape to a node at a place: aligned at the last axis.
func (l *lowering) broadcast(n *Node, shape []Extent, at place) (place, error) {
	out := make(place, len(shape))
	off := len(n.Shape) - len(shape)
	if off < 0 {
		return nil, refusal(n, "an argument of %d axes for a result of %d", len(shape), len(n.Shape))
	}
	for i, e := range texts(shape) {
		want := strings.TrimSpace(string(n.Shape[off+i]))
		switch {
		case e == want:
			out[i] = at[off+i]
		case e != "1":
			return nil, refusal(n, "an argument of shape %v for a result of %v", texts(shape), texts(n.Shape))
		}
	}
	return out, nil
}
