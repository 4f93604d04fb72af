package graph

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// mostStages is how many stages a pipeline has at most, fewStages how many the best cut is looked for of, manyStages
// how many a graph has one by one where that is hopeless, mostCut how many nodes a graph has that is cut so, and
// mostTries how many cuts are tried.
const (
	mostStages = 24
	fewStages  = 5
	manyStages = 7
	mostCut    = 60
	mostTries  = 4000
)

// stages cuts a graph that no family takes into graphs that families take, in the order in which they are computed, as
// few as it finds. Each reads what the ones before it give as tensors of those names. nil: that is not possible in so
// many.
func (g *Graph) stages(most int) []*Graph {
	tries := mostTries
	g = g.once()
	if !g.cuttable() {
		most = 1
	}
	long := g.oneByOne(most)
	if len(long) > manyStages {
		return long
	}
	for n := 1; n <= min(most, fewStages) && len(g.Nodes) <= mostCut; n++ {
		if list := g.inStages(n, &tries); list != nil {
			return list
		}
	}
	return long
}

// oneByOne cuts a graph where the first stage computes as much as one can, and then what remains.
func (g *Graph) oneByOne(most int) (list []*Graph) {
	for len(list) < most {
		if _, err := g.program(); err == nil {
			return append(list, g)
		}
		first, at := g.longest()
		if first == nil {
			return nil
		}
		list, g = append(list, first), g.behind(at)
	}
	return nil
}

// longest is the first stage that computes most, of equal ones the one that hands on the fewest numbers.
func (g *Graph) longest() (found *Graph, at *Node) {
	most := 0
	for _, n := range g.cuts() {
		first := g.before(n.Name)
		if len(first.Nodes) == len(g.Nodes) || first.computed() <= most {
			continue
		}
		if _, err := first.program(); err == nil {
			found, at, most = first, n, first.computed()
		}
	}
	return found, at
}

// computed is how many nodes do more than look at numbers.
func (g *Graph) computed() (n int) {
	for _, node := range g.Nodes {
		if op := canonical(node.Op); views[op] == nil || slices.Contains(moving, op) {
			n++
		}
	}
	return n
}

// moving are the views whose numbers lie in another order.
var moving = []string{"permute", "transpose", "contiguous", "clone"}

// cuttable reports whether families take all operators.
func (g *Graph) cuttable() bool {
	return !slices.ContainsFunc(g.Nodes, func(n Node) bool {
		n.Op = canonical(n.Op)
		return !known(&n)
	})
}

// once is a graph without nodes that are the same as others.
func (g *Graph) once() *Graph {
	out := *g
	out.Nodes = nil
	first, instead := map[string]string{}, map[string]string{}
	for _, n := range g.Nodes {
		n.Args, n.Kwargs = replaced(n.Args, instead), maps.Clone(n.Kwargs)
		for name, a := range n.Kwargs {
			n.Kwargs[name] = replaced([]Arg{a}, instead)[0]
		}
		key := fmt.Sprint(canonical(n.Op), n.DType, n.Shape, n.Args, n.Kwargs)
		if old := first[key]; old != "" && !slices.Contains(g.Outputs, n.Name) {
			instead[n.Name] = old
			continue
		}
		first[key] = n.Name
		out.Nodes = append(out.Nodes, n)
	}
	return &out
}

// replaced has other names in place of some.
func replaced(args []Arg, instead map[string]string) []Arg {
	args = slices.Clone(args)
	for i, a := range args {
		if now := instead[a.Ref]; now != "" {
			args[i].Ref = now
		}
		args[i].List = replaced(a.List, instead)
	}
	return args
}

// inStages takes as the first stage what the fewest numbers are handed on of, as long as the rest can be cut, too.
func (g *Graph) inStages(most int, tries *int) []*Graph {
	if _, err := g.program(); err == nil {
		return []*Graph{g}
	}
	if most < 2 {
		return nil
	}
	for _, at := range g.cuts() {
		if *tries--; *tries < 0 {
			return nil
		}
		first := g.before(at.Name)
		if len(first.Nodes) == len(g.Nodes) {
			continue
		}
		if _, err := first.program(); err != nil {
			continue
		}
		if rest := g.behind(at).inStages(most-1, tries); rest != nil {
			return append([]*Graph{first}, rest...)
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
	numbers := map[*Node]int{}
	for _, n := range list {
		numbers[n], _ = g.size(product(texts(n.Shape)))
	}
	slices.SortStableFunc(list, func(a, b *Node) int { return cmp.Compare(numbers[a], numbers[b]) })
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
	out.Outputs, out.Nodes, out.Tensors, out.staged = outputs, nil, nil, true
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
