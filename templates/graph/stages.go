package graph

import (
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
		first, rest := g.longest()
		if first == nil {
			return nil
		}
		list, g = append(list, first), rest
	}
	return nil
}

// longest is the first stage that computes most, of equal ones the one that hands on the fewest numbers, and the rest.
func (g *Graph) longest() (found, rest *Graph) {
	most := 0
	for _, n := range g.cuts() {
		first, behind := g.parted(n)
		if first == nil {
			continue
		}
		work := first.computed()
		if slices.Contains(g.Outputs, n.Name) {
			work++ // also where it only looks at numbers: it has to be written
		}
		if work > most {
			found, rest, most = first, behind, work
		}
	}
	return found, rest
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
		first, behind := g.parted(at)
		if first == nil {
			continue
		}
		if rest := behind.inStages(most-1, tries); rest != nil {
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
