package graph

import (
	"cmp"
	"slices"
)

// parted cuts a graph at a node: what it is made of, as a stage that a family takes, and the rest. The stage gives what
// else the graph results in or the rest multiplies again of what it has on the way, where it can. nil: there is no such
// stage, or one of the results would need a product of matrices that the rest computes again.
func (g *Graph) parted(at *Node) (first, rest *Graph) {
	first = g.part(nil, []string{at.Name})
	if _, err := first.program(); err != nil || len(first.Nodes) == len(g.Nodes) {
		return nil, nil
	}
	first = g.giving(first, g.Outputs)
	if rest = g.behind(first.Outputs); first.multipliesAgain(rest) {
		first = g.giving(first, first.usedIn(rest))
		rest = g.behind(first.Outputs)
	}
	if len(rest.Outputs) == 0 || slices.Contains(g.Outputs, at.Name) && first.multipliesAgain(rest) {
		return nil, nil
	}
	return first, rest
}

// giving is a stage that gives some of its nodes besides, if a family takes it: else the stage as it is.
func (g *Graph) giving(first *Graph, names []string) *Graph {
	outputs := slices.Clone(first.Outputs)
	for _, name := range names {
		if first.node(name) != nil && !slices.Contains(outputs, name) {
			outputs = append(outputs, name)
		}
	}
	if len(outputs) > len(first.Outputs) {
		more := g.part(nil, outputs)
		if _, err := more.program(); err == nil {
			return more
		}
	}
	return first
}

// usedIn are the nodes with numbers that a graph computes again for others of its own.
func (g *Graph) usedIn(rest *Graph) (names []string) {
	for _, n := range rest.Nodes {
		if g.node(n.Name) != nil {
			continue
		}
		for _, ref := range n.refs() {
			if of := g.node(ref); of != nil && slices.Contains(floats, of.DType) {
				names = append(names, ref)
			}
		}
	}
	return names
}

// multipliesAgain reports whether two graphs have a product of matrices in common.
func (g *Graph) multipliesAgain(other *Graph) bool {
	return slices.ContainsFunc(g.Nodes, func(n Node) bool {
		return slices.Contains(products, canonical(n.Op)) && other.node(n.Name) != nil
	})
}

// node is a node by its name; nil: there is none.
func (g *Graph) node(name string) *Node {
	for i := range g.Nodes {
		if g.Nodes[i].Name == name {
			return &g.Nodes[i]
		}
	}
	return nil
}

// cuts are the nodes whose numbers may be handed on through memory: those with the fewest numbers first, and of equal
// ones the last. Of several results each may be what a stage gives.
func (g *Graph) cuts() (list []*Node) {
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		n := &g.Nodes[i]
		if slices.Contains(floats, n.DType) && (len(g.Outputs) > 1 || g.Outputs[0] != n.Name) {
			list = append(list, n)
		}
	}
	numbers := map[*Node]int{}
	for _, n := range list {
		numbers[n], _ = g.size(product(texts(n.Shape)))
	}
	slices.SortStableFunc(list, func(a, b *Node) int { return cmp.Compare(numbers[a], numbers[b]) })
	return list
}

// behind is what remains of a graph if the numbers of some nodes are given.
func (g *Graph) behind(given []string) *Graph {
	var tensors []Tensor
	for _, name := range given {
		n := g.node(name)
		tensors = append(tensors, Tensor{Name: n.Name, Kind: "input", DType: n.DType, Shape: n.Shape})
	}
	others := slices.DeleteFunc(slices.Clone(g.Outputs), func(o string) bool { return slices.Contains(given, o) })
	return g.part(tensors, others)
}

// part is what some outputs need, where some nodes are given.
func (g *Graph) part(given []Tensor, outputs []string) *Graph {
	needed := map[string]bool{}
	for _, o := range outputs {
		needed[o] = true
	}
	out := *g
	out.Outputs, out.Nodes, out.Tensors, out.staged = outputs, nil, nil, true
	for _, n := range slices.Backward(g.Nodes) {
		isGiven := slices.ContainsFunc(given, func(t Tensor) bool { return t.Name == n.Name })
		if !needed[n.Name] || isGiven {
			continue
		}
		out.Nodes = append(out.Nodes, n)
		for _, ref := range n.refs() {
			needed[ref] = true
		}
	}
	slices.Reverse(out.Nodes)
	for _, t := range slices.Concat(g.Tensors, given) {
		if needed[t.Name] {
			out.Tensors = append(out.Tensors, t)
		}
	}
	return &out
}
