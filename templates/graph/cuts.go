package graph

import (
	"fmt"
	"slices"
)

// cutBackward is where the argument of a slice lies: shifted along an axis.
func cutBackward(l *lowering, n *Node, from []Extent, at place) (place, error) {
	dim, err := l.axisOf(n, 1, len(from))
	if err != nil {
		return nil, err
	}
	first, _ := n.option(2, "start") // a number, or a length
	start := 0.
	if first.kind != 'd' {
		if start, err = n.number(2, "start", 0); err != nil {
			return nil, err
		}
	}
	step := 1.
	if n.Op == "slice" {
		if step, err = n.number(4, "step", 1); err != nil {
			return nil, err
		}
	}
	if start < 0 || step < 1 || start != float64(int(start)) || step != float64(int(step)) || start > mostIndex {
		return nil, refusal(n, "from %g in steps of %g: expected 0 or more, and 1 or more", start, step)
	}
	if same(n.Shape, from) {
		return at, nil
	}
	out := slices.Clone(at)
	if n.Op == "select" {
		return slices.Insert(out, dim, l.begun(nil, 1, int(start), first.Dim)), nil
	}
	out[dim] = l.begun(at[dim], int(step), int(start), first.Dim)
	if length, whole := texts(n.Shape)[dim], texts(from)[dim]; first.Dim == "" && l.mayExceed(length, whole) {
		d := l.coordinates[out[dim][0]-derivedFrom]
		d.room = fmt.Sprintf("%s - (%s - 1) * %g - %g", bracket(whole), bracket(length), step, start)
		out[dim] = l.worked(d)
	}
	return out, nil
}

// mayExceed reports whether a length follows a dim that another one does not: it may be longer at some sizes.
func (l *lowering) mayExceed(length, whole string) bool {
	own := word.FindAllString(whole, -1)
	return slices.ContainsFunc(word.FindAllString(length, -1), func(name string) bool {
		return l.graph.sizes[name] > 0 && !slices.Contains(own, name)
	})
}

// turnedBackward is where the argument of a transpose lies.
func turnedBackward(l *lowering, n *Node, from []Extent, at place) (place, error) {
	order, err := l.order(n, len(from))
	if err != nil {
		return nil, err
	}
	out := make(place, len(from))
	for i, axis := range order {
		out[axis] = at[i]
	}
	return out, nil
}

// order is which axis of its argument each axis of a transpose is.
func (l *lowering) order(n *Node, rank int) (order []int, err error) {
	order = make([]int, rank)
	for i := range order {
		order[i] = i
	}
	switch n.Op {
	case "permute":
		a, _ := n.option(1, "dims")
		if len(a.List) != rank {
			return nil, refusal(n, "its axes are no list of all")
		}
		seen := map[int]bool{}
		for i, e := range a.List {
			v, ok := e.Value.(float64)
			axis := (int(v) + rank) % rank
			if !ok || axis < 0 || seen[axis] {
				return nil, refusal(n, "its axes are no list of all")
			}
			order[i], seen[axis] = axis, true
		}
	default:
		a, err := l.axisOf(n, 1, rank)
		if err != nil {
			return nil, err
		}
		b, err := l.axisOf(n, 2, rank)
		if err != nil {
			return nil, err
		}
		order[a], order[b] = order[b], order[a]
	}
	return order, nil
}

func noForward(_ *lowering, n, _ *Node, _ place) (place, error) {
	return nil, refusal(n, "a result whose numbers were moved")
}

// exclusive lets zeros before a running sum stand before what is summed: the two are the same.
func exclusive(nodes []Node) []Node {
	byName := map[string]*Node{}
	var out []Node
	for i := range nodes {
		n := nodes[i]
		if sum := shiftedSum(byName, &n); sum != nil {
			inner := n
			inner.Name, inner.Args = n.Name+"_terms", slices.Clone(n.Args)
			if byName[inner.Name] == nil {
				if n.Op == "cat" {
					inner.Args[0] = Arg{kind: 'l', List: []Arg{n.Args[0].List[0], sum.Args[0]}}
				} else {
					inner.Args[0] = sum.Args[0]
				}
				out = append(out, inner)
				n.Op, n.Args, n.Kwargs = sum.Op, append([]Arg{{kind: 'r', Ref: inner.Name}}, sum.Args[1:]...), nil
			}
		}
		out = append(out, n)
		byName[n.Name] = &n
	}
	return out
}

// shiftedSum is the running sum that a node puts zeros before along its axis, nil: it does not.
func shiftedSum(byName map[string]*Node, n *Node) *Node {
	var sum *Node
	rank := len(n.Shape)
	axis := float64(rank - 1)
	switch {
	case n.Op == "cat" && len(n.Args) > 0 && len(n.Args[0].List) == 2:
		zeros := byName[n.Args[0].List[0].Ref]
		if zeros == nil || !slices.Contains([]string{"zeros_like", "zeros", "new_zeros"}, zeros.Op) {
			return nil
		}
		sum = byName[n.Args[0].List[1].Ref]
		axis, _ = n.number(1, "dim", 0)
	case n.Op == "constant_pad_nd" || n.Op == "pad":
		if fill, err := n.number(len(n.Args)-1, "value", 0); len(n.Args) > 2 && (err != nil || fill != 0) {
			return nil
		}
		if len(n.Args) > 0 {
			sum = byName[n.Args[0].Ref]
		}
	}
	if sum == nil || sum.Op != "cumsum" || len(sum.Args) < 2 {
		return nil
	}
	along, err := sum.number(1, "dim", 0)
	if err != nil || int(along+float64(rank))%rank != int(axis+float64(rank))%rank {
		return nil
	}
	return sum
}
