package graph

import "slices"

// viewing is an operator that moves no number: where its argument lies, given where it lies, and the other way.
type viewing struct {
	backward func(l *lowering, n *Node, from []Extent, at place) (place, error)
	forward  func(l *lowering, n, from *Node, at place) (place, error)
}

var views map[string]*viewing

func init() {
	same := &viewing{sameBackward, sameForward}
	through := &viewing{reshapeBackward, reshapeForward}
	views = map[string]*viewing{"clone": same, "contiguous": same, "detach": same, "alias": same, "dropout": same,
		"unsqueeze": through, "squeeze": through, "view": through, "reshape": through, "flatten": through,
		"_unsafe_view": through, "expand": {expandBackward, sameForward}, "expand_as": {expandBackward, sameForward}}
	for _, name := range []string{"slice", "narrow", "select"} {
		views[name] = &viewing{cutBackward, noForward}
	}
	for _, name := range []string{"permute", "transpose"} {
		views[name] = &viewing{turnedBackward, noForward}
	}
	for _, name := range []string{"to", "_to_copy", "type_as", "float"} {
		views[name] = same
	}
}

// view is the value of what a view looks at.
func (l *lowering) view(n *Node, at place) (*value, error) {
	if len(n.Args) == 0 || n.Args[0].kind != 'r' {
		return nil, refusal(n, "expected a tensor")
	}
	if n.Op == "dropout" {
		if train, err := n.flag(2, "train", true); err != nil || train {
			return nil, refusal(n, "it draws random numbers")
		}
	}
	to, err := l.viewing(n).backward(l, n, l.shape(n.Args[0].Ref), at)
	if err != nil {
		return nil, err
	}
	return l.build(n.Args[0].Ref, to)
}

func sameBackward(_ *lowering, n *Node, from []Extent, at place) (place, error) {
	if !same(n.Shape, from) {
		return nil, refusal(n, "its shape is not that of its argument")
	}
	return at, nil
}

func sameForward(_ *lowering, n, from *Node, at place) (place, error) {
	if !same(n.Shape, from.Shape) {
		return nil, refusal(n, "its shape is not that of its argument")
	}
	return at, nil
}

func expandBackward(l *lowering, n *Node, from []Extent, at place) (place, error) {
	return l.broadcast(n, from, at)
}

func reshapeBackward(l *lowering, n *Node, from []Extent, at place) (place, error) {
	return l.regroup(n, texts(n.Shape), texts(from), at)
}

func reshapeForward(l *lowering, n, from *Node, at place) (place, error) {
	return l.regroup(n, texts(from.Shape), texts(n.Shape), at)
}

// regroup carries places over from one shape to another with the same numbers in the same order: axes are the same but
// for some of length 1, or some of the one shape are as many numbers as some of the other.
func (l *lowering) regroup(n *Node, from, to []string, at place) (place, error) {
	out := make(place, len(to))
	i, j := 0, 0
	for i < len(from) || j < len(to) {
		switch {
		case i < len(from) && from[i] == "1":
			i++
		case j < len(to) && to[j] == "1":
			j++
		case i < len(from) && j < len(to) && from[i] == to[j]:
			out[j] = at[i]
			i, j = i+1, j+1
		default:
			endFrom, endTo, ok := l.graph.alike(from, to, i, j)
			if !ok {
				return nil, refusal(n, "%v as %v", from, to)
			}
			copy(out[j:], l.divided(l.combined(at[i:endFrom], from[i:endFrom]), to[j:endTo]))
			i, j = endFrom, endTo
		}
	}
	return out, nil
}

// divided are the places of several axes of a node that are one: axes of the domain where these are as long.
func (l *lowering) divided(axes []int, lengths []string) place {
	if slices.ContainsFunc(axes, func(a int) bool { return a >= derivedFrom }) {
		return l.pieces(axes, lengths)
	}
	out, k := make(place, len(lengths)), 0
	for i, length := range lengths {
		if length == "1" {
			continue
		}
		begin := k
		for k++; k <= len(axes); k++ {
			var own []string
			for _, a := range axes[begin:k] {
				own = append(own, l.domain[a].length)
			}
			if l.graph.equal(product(own), length) {
				break
			}
		}
		if k > len(axes) {
			return l.pieces(axes, lengths)
		}
		out[i] = axes[begin:k]
	}
	return out
}

// alike finds the fewest axes of two shapes from there on that are as many numbers.
func (g *Graph) alike(from, to []string, i, j int) (endFrom, endTo int, ok bool) {
	for endFrom, endTo = i+1, j+1; endFrom <= len(from) && endTo <= len(to); {
		a, b := product(from[i:endFrom]), product(to[j:endTo])
		if g.equal(a, b) {
			return endFrom, endTo, true
		}
		m, errA := g.size(a)
		n, errB := g.size(b)
		if errA != nil || errB != nil {
			return 0, 0, false
		}
		if m <= n {
			endFrom++
		} else {
			endTo++
		}
	}
	return 0, 0, false
}

// equal reports whether two lengths are the same: by their texts, or at the graph's sizes and some multiples of them.
func (g *Graph) equal(a, b string) bool {
	for factor := 1; a != b && factor <= 3; factor++ {
		other := Graph{sizes: map[string]int{}}
		for i, d := range g.Dims {
			other.sizes[d.Name] = g.sizes[d.Name] * (1 + (factor-1)*(i+1))
		}
		m, errA := other.size(a)
		n, errB := other.size(b)
		if errA != nil || errB != nil || m != n {
			return false
		}
	}
	return true
}
