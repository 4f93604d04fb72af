package graph

import (
	"math"
	"slices"
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

// countedValue reports whether an operator makes whole numbers of coordinates and of lengths alone, as of distances.
func countedValue(name string, args []*value) bool {
	return slices.Contains([]string{"add", "sub", "neg", "abs"}, name) && !slices.ContainsFunc(args, func(a *value) bool {
		switch a.kind {
		case isPlace, isLength:
			return false
		case isNumber:
			return a.number != math.Trunc(a.number)
		case isOp:
			return !countedValue(a.op.Name, a.args)
		}
		return true
	})
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
		if a, ok := n.option(at, "fill_value"); ok && a.Value == true {
			return l.num(1), nil
		} else if ok && a.Value == false {
			return l.num(0), nil
		}
		v, err := n.number(at, "fill_value", x)
		return l.num(v), err
	}
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
