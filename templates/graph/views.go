package graph

import (
	"slices"
	"strings"
)

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

func reshapeBackward(_ *lowering, n *Node, from []Extent, at place) (place, error) {
	return regroup(n, texts(n.Shape), texts(from), at)
}

func reshapeForward(_ *lowering, n, from *Node, at place) (place, error) {
	return regroup(n, texts(from.Shape), texts(n.Shape), at)
}

// regroup carries places over from one shape to another with the same numbers in the same order: axes are the same but
// for some of length 1, or several of one shape make one of the other.
func regroup(n *Node, from, to []string, at place) (place, error) {
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
			var ok bool
			if i, j, ok = joined(from, to, at, out, i, j); !ok {
				return nil, refusal(n, "%v as %v", from, to)
			}
		}
	}
	return out, nil
}

// joined takes several axes of the one shape that are one of the other, told by the text of their product.
func joined(from, to []string, at, out place, i, j int) (int, int, bool) {
	if j >= len(to) || i >= len(from) {
		return i, j, false
	}
	for end := i + 2; end <= len(from); end++ {
		if plain(product(from[i:end])) == plain(to[j]) {
			for _, a := range at[i:end] {
				out[j] = append(slices.Clone(out[j]), a...)
			}
			return end, j + 1, true
		}
	}
	return i, j, false
}

// plain is a product's text by which it can be compared with another.
func plain(text string) string {
	factors := strings.Split(strings.NewReplacer(" ", "", "(", "", ")", "").Replace(text), "*")
	slices.Sort(factors)
	return strings.Join(factors, "*")
}
