package graph

import (
	"slices"
	"strconv"
)

// exactValue reports whether a number is the same in every precision: a comparison of others may fall either way.
func exactValue(v *value) bool {
	switch v.kind {
	case isNumber, isPlace:
		return true
	case isLoad:
		return v.tensor != stagedTensor
	case isOp:
		return v.exact
	}
	return false
}

// steps are functions that jump: of numbers that are exact.
var steps = []string{"floor", "ceil", "trunc", "fix", "round", "sign", "sgn"}

// compared is a truth value, 0 or 1, of numbers that are exact; or a step.
func compared(l *lowering, n *Node, at place) (*value, error) {
	if len(n.Args) < 1 || len(n.Args) > 2 || len(n.Kwargs) > 0 {
		return nil, refusal(n, "expected one or two arguments, and none by name")
	}
	var x []*value
	for _, a := range n.Args {
		v, err := l.operand(n, a, at)
		if err != nil {
			return nil, err
		}
		if !exactValue(v) {
			return nil, refusal(n, "of a number that is computed: rounding would decide")
		}
		x = append(x, v)
	}
	if name, ok := bitwise[n.Op]; ok {
		return l.op(name, x...), nil
	}
	return l.op(byTorch[n.Op].Name, x...), nil
}

var bitwise = map[string]string{"bitwise_not": "logical_not", "bitwise_and": "logical_and", "bitwise_or": "logical_or",
	"bitwise_xor": "ne"}

// chosen is one of two numbers by a truth value: which arguments are condition, then and else.
func chosen(condition, then, otherwise int) func(*lowering, *Node, place) (*value, error) {
	return func(l *lowering, n *Node, at place) (*value, error) {
		if len(n.Args) != 3 {
			return nil, refusal(n, "expected 3 arguments")
		}
		var x []*value
		for _, i := range []int{condition, then, otherwise} {
			v, err := l.operand(n, n.Args[i], at)
			if err != nil {
				return nil, err
			}
			x = append(x, v)
		}
		if !exactValue(x[0]) {
			return nil, refusal(n, "its condition is computed: rounding would decide")
		}
		return l.op("where", x...), nil
	}
}

// constant is a tensor of one number.
func constant(x float64, at int) func(*lowering, *Node, place) (*value, error) {
	return func(l *lowering, n *Node, _ place) (*value, error) {
		if at < 0 {
			return l.num(x), nil
		}
		v, err := n.number(at, "fill_value", x)
		return l.num(v), err
	}
}

// joinedUp is what stands behind a constant along an axis: zeros before a tensor, as exclusive sums have them.
func joinedUp(l *lowering, n *Node, at place) (*value, error) {
	if len(n.Args) == 0 || len(n.Args[0].List) != 2 {
		return nil, refusal(n, "expected a constant and a tensor")
	}
	first, second := n.Args[0].List[0], n.Args[0].List[1]
	dim, err := l.axisOf(n, 1, len(n.Shape))
	if err != nil {
		return nil, err
	}
	if first.kind != 'r' || second.kind != 'r' {
		return nil, refusal(n, "expected a constant and a tensor")
	}
	length, err := strconv.Atoi(texts(l.shape(first.Ref))[dim])
	if err != nil {
		return nil, refusal(n, "the first of its parts has no fixed length")
	}
	before, err := l.build(first.Ref, at)
	if err != nil {
		return nil, err
	}
	if before.kind != isNumber {
		return nil, refusal(n, "expected a constant and a tensor")
	}
	return l.behind(n, second.Ref, at, dim, length, before)
}

// behind is a tensor that begins `length` further on along an axis, with a constant before it.
func (l *lowering) behind(n *Node, name string, at place, dim, length int, before *value) (*value, error) {
	if size, err := l.graph.size(string(n.Shape[dim])); err != nil || size > mostIndex {
		return nil, refusal(n, "of %s numbers: expected at most %d", texts(n.Shape)[dim], mostIndex)
	}
	to := slices.Clone(at)
	to[dim] = l.shifted(at[dim], 1, -length)
	v, err := l.build(name, to)
	if err != nil {
		return nil, err
	}
	return l.op("where", l.op("lt", l.coordinateOf(at[dim]), l.num(float64(length))), before, v), nil
}

// padded has a constant before the last axis, and may leave out its end.
func padded(l *lowering, n *Node, at place) (*value, error) {
	a, _ := n.option(1, "pad")
	if len(a.List) != 2 || len(n.Shape) == 0 || n.Args[0].kind != 'r' {
		return nil, refusal(n, "expected padding of the last axis")
	}
	left, okLeft := a.List[0].Value.(float64)
	right, okRight := a.List[1].Value.(float64)
	if !okLeft || !okRight || left < 0 || right > 0 || left != float64(int(left)) {
		return nil, refusal(n, "expected padding before the last axis")
	}
	fill, err := n.number(len(n.Args)-1, "value", 0)
	if err != nil || len(n.Args) < 3 {
		fill = 0
	}
	return l.behind(n, n.Args[0].Ref, at, len(n.Shape)-1, int(left), l.num(fill))
}

// axisOf is an axis among the arguments.
func (l *lowering) axisOf(n *Node, i, rank int) (int, error) {
	v, err := n.number(i, "dim", 0)
	if v < 0 {
		v += float64(rank)
	}
	if err != nil || v != float64(int(v)) || v < 0 || int(v) >= rank {
		return 0, refusal(n, "an axis is no axis")
	}
	return int(v), nil
}
