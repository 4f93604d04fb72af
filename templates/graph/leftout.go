package graph

import "slices"

// classLosses are the operators that leave out rows of one class.
var classLosses = []string{"cross_entropy_loss", "nll_loss", "nll_loss_nd", "nll_loss2d"}

// leftOut is the class of the rows that do not count: targets may have it though it is none of the classes. It is not
// ok where a tensor is anything but the targets of losses that leave out the same one.
func (g *Graph) leftOut(tensor string) (class int, ok bool) {
	for i := range g.Nodes {
		n, its, known := &g.Nodes[i], 0, false
		switch at := slices.Index(n.refs(), tensor); {
		case at < 0:
			continue
		case slices.Contains(classLosses, n.Op):
			its, known = n.leavesOut(tensor)
		case views[n.Op] != nil && len(n.Args) > 0 && n.Args[0].Ref == tensor:
			its, known = g.leftOut(n.Name)
		}
		if !known || ok && its != class {
			return 0, false
		}
		class, ok = its, true
	}
	return class, ok && !slices.Contains(g.Outputs, tensor)
}

// leavesOut is the class that a loss leaves out, where a tensor is its targets and nothing else of it.
func (n *Node) leavesOut(tensor string) (class int, ok bool) {
	others := slices.Concat(n.Args[:1], n.Args[min(2, len(n.Args)):])
	for _, a := range n.Kwargs {
		others = append(others, a)
	}
	v, err := n.number(4, "ignore_index", -100)
	return int(v), err == nil && v == float64(int32(v)) && !slices.Contains(refs(others), tensor)
}
