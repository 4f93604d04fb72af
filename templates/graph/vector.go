package graph

import "slices"

// A product with a vector is a sum along rows: the families of rows have more threads for it than tiles would.

// vector reports whether a product is one of a matrix, not transposed, with a vector, and finds both.
func (l *lowering) vector(n *Node) (a, b side, ok bool) {
	if n.Op == "addmm" || n.Op == "linear" || l.diagonal(n) >= 0 {
		return a, b, false
	}
	a, errA := l.side(n, 0)
	b, errB := l.side(n, 1)
	if errA != nil || errB != nil || a.transposed || len(a.shape) != 2 || len(b.shape) > 2 || len(b.shape) == 0 {
		return a, b, false
	}
	last := b.shape[len(b.shape)-1]
	return a, b, (len(b.shape) == 1 || last == "1") && b.shape[0] == a.shape[1] && a.shape[1] != "1"
}

// frameProduct makes the domain of a product: its result, or for a vector the matrix, whose rows are summed.
func frameProduct(l *lowering, n *Node) error {
	l.base = n.Shape
	if a, _, ok := l.vector(n); ok {
		l.base = []Extent{Extent(a.shape[0]), Extent(a.shape[1])}
		l.axesOf([]int{1})
		return nil
	}
	l.axesOf(nil)
	return nil
}

// productPlace is where the result of a product lies.
func (l *lowering) productPlace(n *Node) place {
	if _, _, ok := l.vector(n); ok {
		return place{l.places[0], nil}[:len(n.Shape)]
	}
	return l.places
}

// timesVector is the sum of a row's numbers times the vector's.
func (l *lowering) timesVector(n *Node, a, b side) (*value, error) {
	if l.product != nil || l.scan != nil || !same(l.base, []Extent{Extent(a.shape[0]), Extent(a.shape[1])}) ||
		len(l.sort(true)) != 1 {
		return nil, refusal(n, "a product beside another operator of its kind: expected one")
	}
	var all []int
	for _, at := range l.places {
		all = append(all, at...)
	}
	return l.part(l.stat(sumOf, l.op("mul", l.load(a.tensor, all), l.load(b.tensor, l.places[1]))), 0), nil
}

// diagonal is which factor of a product is a vector as a diagonal, -1: none is. Such a product is a map.
func (l *lowering) diagonal(n *Node) int {
	if n.Op != "mm" && n.Op != "matmul" || len(n.Args) != 2 {
		return -1
	}
	return slices.IndexFunc(n.Args, func(a Arg) bool {
		from := l.nodes[a.Ref]
		if from == nil || !slices.Contains([]string{"diag", "diag_embed", "diagflat"}, from.Op) || len(from.Args) != 1 {
			return false
		}
		shape, err := l.shapeOf(from, 0)
		return err == nil && len(shape) == 1 && len(n.Shape) == 2
	})
}

// timesDiagonal multiplies rows, or columns, with the numbers of a diagonal.
func (l *lowering) timesDiagonal(n *Node, i int, at place) (*value, error) {
	vector, err := l.build(l.nodes[n.Args[i].Ref].Args[0].Ref, at[i:i+1])
	if err != nil {
		return nil, err
	}
	other, err := l.build(n.Args[1-i].Ref, at)
	if err != nil {
		return nil, err
	}
	return l.op("mul", vector, other), nil
}
