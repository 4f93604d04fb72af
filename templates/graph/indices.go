package graph

import (
	"fmt"
	"slices"
)

// Operators that read where whole numbers say: embeddings, gather, and the like.

// chosenRows is a table's line for each index.
func chosenRows(l *lowering, n *Node, at place) (*value, error) {
	if len(n.Args) < 2 || n.Args[0].kind != 'r' || len(l.shape(n.Args[0].Ref)) != 2 || len(n.Shape) == 0 {
		return nil, refusal(n, "expected a table and indices")
	}
	last := len(n.Shape) - 1
	return l.lookUp(n, n.Args[0].Ref, 0, n.Args[1], at[:last], place{nil, at[last]})
}

// gathered is a number of each line along an axis, as gather, take_along_dim and index_select take it.
func gathered(l *lowering, n *Node, at place) (*value, error) {
	if len(n.Args) < 3 || n.Args[0].kind != 'r' || n.Args[2].kind != 'r' {
		return nil, refusal(n, "expected a tensor, an axis and indices")
	}
	from := l.shape(n.Args[0].Ref)
	dim, err := l.axisOf(n, 1, len(from))
	if err != nil {
		return nil, err
	}
	if len(from) != len(n.Shape) {
		return nil, refusal(n, "a result of %d axes of one of %d", len(n.Shape), len(from))
	}
	where, to := at, slices.Clone(at)
	if n.Op == "index_select" {
		where = at[dim : dim+1]
	}
	for i, text := range texts(from) {
		if text == "1" {
			to[i] = nil
		}
	}
	return l.lookUp(n, n.Args[0].Ref, dim, n.Args[2], where, to)
}

// indexedBy is x[..., i, ...] with one tensor of indices.
func indexedBy(l *lowering, n *Node, at place) (*value, error) {
	if len(n.Args) < 2 || n.Args[0].kind != 'r' {
		return nil, refusal(n, "expected a tensor and indices")
	}
	list := n.Args[1].List
	dim := slices.IndexFunc(list, func(a Arg) bool { return a.kind == 'r' })
	if dim < 0 || slices.ContainsFunc(list[dim+1:], func(a Arg) bool { return a.kind == 'r' }) {
		return nil, refusal(n, "expected indices of one axis")
	}
	rank := len(n.Shape) - len(l.shape(n.Args[0].Ref)) + 1 // of the indices
	if rank < 0 || dim+rank > len(at) {
		return nil, refusal(n, "a result of %d axes", len(n.Shape))
	}
	to := slices.Concat(at[:dim], place{nil}, at[dim+rank:])
	return l.lookUp(n, n.Args[0].Ref, dim, list[dim], at[dim:dim+rank], to)
}

// lookUp is a tensor's number where an axis has the coordinate that an index says, whose own place is also given.
func (l *lowering) lookUp(n *Node, name string, dim int, index Arg, indexAt, at place) (*value, error) {
	length := texts(l.shape(name))[dim]
	ref, where, err := l.throughViews(n, index, indexAt)
	if err != nil {
		return nil, err
	}
	if from := l.nodes[ref]; from != nil && from.Op == "arange" {
		if at[dim], err = l.countedOff(from, where, length); err != nil {
			return nil, err
		}
		return l.build(name, at)
	}
	if err := l.index(n, Arg{kind: 'r', Ref: ref}, length); err != nil {
		return nil, err
	}
	x := &indexed{tensor: l.tensors[ref], lengths: texts(l.graph.Tensors[l.tensors[ref]].Shape)}
	for _, axes := range where {
		x.spots = append(x.spots, l.spot(axes))
	}
	if slices.ContainsFunc(l.sort(true), func(a int) bool { return l.along(derived{index: x}, a) }) {
		return nil, refusal(n, "a sum of numbers that indices choose: the same ones come again, and so do their roundings")
	}
	at[dim] = l.worked(derived{index: x, scale: 1})
	if length == "1" {
		at[dim] = nil
	}
	return l.build(name, at)
}

// countedOff is the place along an axis of that length where whole numbers say it that are counted.
func (l *lowering) countedOff(n *Node, at place, length string) ([]int, error) {
	start, step, err := l.counting(n)
	if err != nil {
		return nil, err
	}
	d := derived{axes: at[0], scale: step, shift: start}
	if count := texts(n.Shape)[0]; count != length {
		d.room = fmt.Sprintf("%s - (%s - 1) * %d - %d", length, bracket(count), step, start)
	}
	return l.worked(d), nil
}

// throughViews is the tensor that indices are a view of, and where it is read.
func (l *lowering) throughViews(n *Node, a Arg, at place) (string, place, error) {
	for l.nodes[a.Ref] != nil {
		view := l.nodes[a.Ref]
		v := l.viewing(view)
		if v == nil || len(view.Args) == 0 || view.Args[0].kind != 'r' || view.Op == "dropout" {
			break
		}
		var err error
		if at, err = v.backward(l, view, l.shape(view.Args[0].Ref), at); err != nil {
			return "", nil, err
		}
		a = view.Args[0]
	}
	if len(at) != len(l.shape(a.Ref)) {
		return "", nil, refusal(n, "indices of %d axes where %d are wanted", len(l.shape(a.Ref)), len(at))
	}
	return a.Ref, at, nil
}
