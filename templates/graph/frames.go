package graph

import (
	"fmt"
	"slices"
)

// frame finds the domain: what the first operator that reduces reads, or else the shape of the output.
func (l *lowering) frame() error {
	if n := l.heaviest(); n != nil {
		in, err := l.shapeOf(n, 0)
		if err != nil {
			return err
		}
		l.base = in
		return reducers[n.Op].frame(l, n)
	}
	out := l.nodes[l.graph.Outputs[0]]
	if out == nil {
		return fmt.Errorf("output %s: no operator makes it", l.graph.Outputs[0])
	}
	l.base = out.Shape
	l.axesOf(nil)
	return nil
}

// heaviest is the operator that makes the domain: the first that sums rows, or else the first product or pooling.
func (l *lowering) heaviest() (found *Node) {
	for i := range l.graph.Nodes {
		n := &l.graph.Nodes[i]
		r, ok := reducers[n.Op]
		switch {
		case !ok || !l.used(n) || l.viewing(n) != nil || poolRank[n.Op] > 0 && l.inner(n):
		case r.place == nil:
			return n
		case found == nil:
			found = n
		}
	}
	return found
}

// used reports whether an output depends on a node.
func (l *lowering) used(n *Node) bool {
	seen := map[string]bool{}
	list := slices.Clone(l.graph.Outputs)
	for len(list) > 0 {
		name := list[0]
		list = list[1:]
		if name == n.Name {
			return true
		}
		if at := l.nodes[name]; at != nil && !seen[name] {
			seen[name] = true
			list = append(list, at.refs()...)
		}
	}
	return false
}

func (n *Node) refs() []string {
	args := slices.Clone(n.Args)
	for _, a := range n.Kwargs {
		args = append(args, a)
	}
	return refs(args)
}

// axesOf makes the domain of the base shape, with these axes reduced.
func (l *lowering) axesOf(reduced []int) {
	l.places = nil
	for i, e := range texts(l.base) {
		if e == "1" {
			l.places = append(l.places, nil)
			continue
		}
		l.places = append(l.places, []int{len(l.domain)})
		l.domain = append(l.domain, axis{e, slices.Contains(reduced, i)})
	}
	if len(l.domain) == 0 {
		l.domain = []axis{{"1", len(reduced) > 0}}
	}
}

func (l *lowering) shapeOf(n *Node, arg int) ([]Extent, error) {
	if arg >= len(n.Args) || n.Args[arg].kind != 'r' {
		return nil, refusal(n, "expected a tensor as argument %d", arg)
	}
	return l.shape(n.Args[arg].Ref), nil
}

func (l *lowering) shape(name string) []Extent {
	if n := l.nodes[name]; n != nil {
		return n.Shape
	}
	return l.graph.Tensors[l.tensors[name]].Shape
}

func same(a, b []Extent) bool { return slices.Equal(texts(a), texts(b)) }

// frameAll makes the domain of an operator that adds everything up.
func frameAll(l *lowering, _ *Node) error {
	l.axesOf(allOf(l.base))
	return nil
}

// frameAxis makes that of softmax: its axis is the second argument.
func frameAxis(l *lowering, n *Node) error {
	axes, err := summed(l, n)
	if err == nil && len(axes) != 1 {
		err = refusal(n, "expected one axis")
	}
	if err == nil {
		l.axesOf(axes)
	}
	return err
}

// frameLast makes that of a norm over the last axes, as many as its second argument lists.
func frameLast(l *lowering, n *Node) error {
	a, _ := n.option(1, "normalized_shape")
	if len(a.List) == 0 || len(a.List) > len(l.base) {
		return refusal(n, "normalized_shape is no list of the last axes")
	}
	l.axesOf(allOf(l.base)[len(l.base)-len(a.List):])
	return nil
}

// frameGroups splits the channels into groups.
func frameGroups(l *lowering, n *Node) error {
	groups, err := n.number(1, "num_groups", 0)
	channels := 0
	if len(l.base) > 1 {
		channels, _ = l.graph.size(string(l.base[1]))
	}
	if err != nil || groups < 1 || channels == 0 || channels%int(groups) != 0 {
		return refusal(n, "the channels are no whole number of groups")
	}
	l.axesOf(allOf(l.base)[2:])
	each := texts(l.base)[1]
	at := l.places[1]
	if len(at) == 0 { // one channel
		return nil
	}
	first := axis{length: numeral(int(groups))}
	if groups == 1 {
		l.domain[at[0]] = axis{each, true}
		return nil
	}
	in := axis{"(" + each + ") / " + numeral(int(groups)), true}
	switch {
	case each == numeral(channels):
		in.length = numeral(channels / int(groups))
	case l.graph.sizes[each] == 0:
		return refusal(n, "%s channels: expected a dim, or a number", each)
	default:
		l.steps[each] = int(groups)
	}
	l.domain[at[0]] = first
	l.split(1, in)
	return nil
}

// split gives an axis of the base shape a second axis of the domain, after its first.
func (l *lowering) split(i int, second axis) {
	after := l.places[i][0] + 1
	for j := range l.places {
		for k := range l.places[j] {
			if l.places[j][k] >= after {
				l.places[j][k]++
			}
		}
	}
	l.places[i] = append(l.places[i], after)
	l.domain = slices.Insert(l.domain, after, second)
}

// frameInstance reduces all axes after the channels, frameBatch all but these.
func frameInstance(l *lowering, n *Node) error {
	if len(l.base) < 3 {
		return refusal(n, "expected an axis after the channels")
	}
	l.axesOf(allOf(l.base)[2:])
	return nil
}

func frameBatch(l *lowering, n *Node) error {
	if len(l.base) < 2 {
		return refusal(n, "expected channels")
	}
	l.axesOf(append([]int{0}, allOf(l.base)[2:]...))
	return nil
}

// sameFrame checks that an operator is of the domain that was made.
func (l *lowering) sameFrame(n *Node) error {
	other := &lowering{
		program: &program{
			graph: l.graph,
			made:  map[string]*value{},
			facts: noFacts(),
		},
		nodes:   l.nodes,
		tensors: l.tensors,
	}
	shape, err := l.shapeOf(n, 0)
	if err != nil {
		return err
	}
	other.base = shape
	if err := reducers[n.Op].frame(other, n); err != nil {
		return err
	}
	if !slices.Equal(other.domain, l.domain) {
		return refusal(n, "it reduces other axes than another operator: expected one reduction")
	}
	return nil
}
