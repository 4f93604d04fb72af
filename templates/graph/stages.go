package graph

import (
	"cmp"
	"slices"
)

// mostStages is how many stages a pipeline has at most, and mostCut how many nodes a graph has that is cut.
const (
	mostStages = 3
	mostCut    = 40
)

// stages cuts a graph that no family takes into graphs that families take, in the order in which they are computed.
// Each reads what the ones before it give as tensors of those names. nil: that is not possible in so many.
func (g *Graph) stages(most int) []*Graph {
	if _, err := g.program(); err == nil {
		return []*Graph{g}
	}
	if most < 2 || len(g.Nodes) > mostCut {
		return nil
	}
	var last []*Graph // what remains behind a cut, with a family each
	for _, at := range g.cuts() {
		rest := g.behind(at)
		if _, err := rest.program(); err != nil {
			continue
		}
		if first := g.before(at.Name); len(first.Nodes) < len(g.Nodes) {
			if _, err := first.program(); err == nil {
				return []*Graph{first, rest}
			}
			last = append(last, rest, first)
		}
	}
	for most--; most > 1 && len(last) > 0; last = last[2:] {
		if list := last[1].stages(most); list != nil {
			return append(list, last[0])
		}
	}
	return nil
}

// program is the graph as one family's: an error says why it is none.
func (g *Graph) program() (*program, error) {
	p, err := lower(g)
	if err == nil {
		err = p.checkLengths()
	}
	return p, err
}

// cuts are the nodes whose numbers may be handed on through memory: those with the fewest numbers first, and of equal
// ones the last.
func (g *Graph) cuts() (list []*Node) {
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		n := &g.Nodes[i]
		if slices.Contains(floats, n.DType) && !slices.Contains(g.Outputs, n.Name) {
			list = append(list, n)
		}
	}
	numbers := func(n *Node) int {
		size, _ := g.size(product(texts(n.Shape)))
		return size
	}
	slices.SortStableFunc(list, func(a, b *Node) int { return cmp.Compare(numbers(a), numbers(b)) })
	return list
}

// before is what a node is made of.
func (g *Graph) before(name string) *Graph { return g.part(Tensor{}, []string{name}) }

// behind is what remains of a graph if a node's numbers are given.
func (g *Graph) behind(n *Node) *Graph {
	return g.part(Tensor{Name: n.Name, Kind: "input", DType: n.DType, Shape: n.Shape}, g.Outputs)
}

// part is what some outputs need, where a node is given.
func (g *Graph) part(given Tensor, outputs []string) *Graph {
	needed := map[string]bool{}
	for _, o := range outputs {
		needed[o] = true
	}
	out := *g
	out.Outputs, out.Nodes, out.Tensors = outputs, nil, nil
	for _, n := range slices.Backward(g.Nodes) {
		if !needed[n.Name] || n.Name == given.Name {
			continue
		}
		out.Nodes = append(out.Nodes, n)
		args := slices.Clone(n.Args)
		for _, a := range n.Kwargs {
			args = append(args, a)
		}
		for _, ref := range refs(args) {
			needed[ref] = true
		}
	}
	slices.Reverse(out.Nodes)
	for _, t := range g.Tensors {
		if needed[t.Name] {
			out.Tensors = append(out.Tensors, t)
		}
	}
	if needed[given.Name] {
		out.Tensors = append(out.Tensors, given)
	}
	return &out
}
