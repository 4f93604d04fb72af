package graph

import (
	"fmt"
	"reflect"
	"slices"
)

// matmul is a product of matrices, of which a program has one: rows of A with columns of B, for each batch. Along says
// that the terms of a row or column are neighbours in memory.
type matmul struct {
	left, right    int // tensors
	AlongA, AlongB bool
	lengths        [4]string
	Triangle       string // triu or tril: what of the result is kept; empty: all
	Diagonal       int

	batchesA, batchesB []batchAxis // which matrix each batch has
}

// tf32 reports whether the operands of a product may be rounded to tf32.
func (p *program) tf32() bool { return p.product != nil && p.graph.TF32 && p.graph.element() == "fp32" }

// Indices of lengths.
const (
	batchesAt = iota
	rowsAt
	colsAt
	termsAt
)

// A and B are the parameters of the kernels.
func (m *matmul) A() string { return inName(m.left) }

// B is the second one.
func (m *matmul) B() string { return inName(m.right) }

// terms says where the terms lie, if their number is a dim.
func (m *matmul) terms(p *program, n *names) []string {
	k := m.lengths[termsAt]
	if p.graph.sizes[k] == 0 {
		return nil
	}
	return []string{fmt.Sprintf("{ tensor = %s, dim = %s }", quoted(n.tensors[m.left]), quoted(n.dims[k]))}
}

// side is a matrix as it lies in memory.
type side struct {
	tensor     int
	shape      []string // as the product sees it
	transposed bool
	batches    []batchAxis // where matrices are repeated
}

// side finds the tensor behind transposes of the last two axes, and behind views in which its numbers stay in order or
// whole matrices are repeated.
func (l *lowering) side(n *Node, arg int) (side, error) {
	shape, err := l.shapeOf(n, arg)
	if err != nil {
		return side{}, err
	}
	s := side{shape: texts(shape)}
	name, viewed := n.Args[arg].Ref, false
	for l.nodes[name] != nil {
		m := l.nodes[name]
		if inOrder := slices.Contains(ordered, m.Op); inOrder && len(m.Args) > 0 {
			viewed = true
		} else if !viewed && l.swaps(m) {
			s.transposed = !s.transposed
		} else if (m.Op == "expand" || m.Op == "expand_as") && l.spread(&s, m) {
			viewed = true
		} else {
			return side{}, refusal(m, "before a product of matrices: expected tensors and their transposes")
		}
		name = m.Args[0].Ref
	}
	s.tensor = l.tensors[name]
	if len(l.graph.Tensors[s.tensor].Strides) > 0 {
		return side{}, fmt.Errorf("tensor %s: it is not contiguous", name)
	}
	return s, nil
}

// ordered are the views in which numbers stay in order.
var ordered = []string{"view", "reshape", "flatten", "unsqueeze", "squeeze", "_unsafe_view", "contiguous", "clone",
	"detach", "alias"}

// swaps reports whether a node exchanges the last two axes and nothing else.
func (l *lowering) swaps(n *Node) bool {
	rank := len(n.Shape)
	if len(n.Args) == 0 || n.Args[0].kind != 'r' || rank < 2 {
		return false
	}
	switch n.Op {
	case "t", "numpy_T", "mT", "matrix_H":
		return rank == 2 || n.Op == "mT"
	case "transpose":
		a, errA := n.number(1, "dim0", 0)
		b, errB := n.number(2, "dim1", 0)
		x, y := (int(a)+rank)%rank, (int(b)+rank)%rank
		return errA == nil && errB == nil && min(x, y) == rank-2 && max(x, y) == rank-1
	case "permute":
		var order []int
		a, _ := n.option(1, "dims")
		for _, e := range a.List {
			v, _ := e.Value.(float64)
			order = append(order, (int(v)+rank)%rank)
		}
		want := allOf(n.Shape)
		want[rank-2], want[rank-1] = rank-1, rank-2
		return slices.Equal(order, want)
	}
	return false
}

// multiplied is the value of a product.
func multiplied(l *lowering, n *Node, at place) (*value, error) {
	if i := l.diagonal(n); i >= 0 {
		return l.timesDiagonal(n, i, at)
	}
	if a, b, ok := l.vector(n); ok {
		return l.timesVector(n, a, b)
	}
	first := map[string]int{"addmm": 1}[n.Op]
	a, err := l.side(n, first)
	if err != nil {
		return nil, err
	}
	b, err := l.side(n, first+1)
	if err != nil {
		return nil, err
	}
	if n.Op == "linear" {
		b.transposed = !b.transposed
		if len(b.shape) == 2 {
			b.shape = []string{b.shape[1], b.shape[0]}
		}
	}
	m, err := pairUp(n, a, b)
	if err != nil {
		return nil, err
	}
	v, err := l.multiply(n, m, at)
	if err != nil {
		return nil, err
	}
	return l.biased(n, v, at)
}

// pairUp finds batches, rows, columns and terms.
func pairUp(n *Node, a, b side) (*matmul, error) {
	m := &matmul{left: a.tensor, right: b.tensor, AlongA: !a.transposed, AlongB: b.transposed}
	if len(b.shape) == 1 && len(a.shape) == 2 { // a vector
		b.shape, m.AlongB = []string{b.shape[0], "1"}, true
	}
	if len(a.shape) < 2 || len(b.shape) < 2 {
		return nil, refusal(n, "of %v and %v: expected matrices", a.shape, b.shape)
	}
	ra, rb := len(a.shape), len(b.shape)
	m.lengths = [4]string{"1", a.shape[ra-2], b.shape[rb-1], a.shape[ra-1]}
	if b.shape[rb-2] != a.shape[ra-1] {
		return nil, refusal(n, "of %v and %v", a.shape, b.shape)
	}
	if rb == 2 && ra > 2 && m.AlongA && len(a.batches) == 0 { // all rows of all batches with one matrix
		m.lengths[rowsAt] = product(a.shape[:ra-1])
		return m, nil
	}
	var batches []string
	if ra > 2 || rb > 2 {
		batches = texts(n.Shape)[:max(len(n.Shape)-2, 0)]
	}
	var okA, okB bool
	m.lengths[batchesAt] = product(batches)
	m.batchesA, okA = a.along(batches)
	m.batchesB, okB = b.along(batches)
	if !okA || !okB {
		return nil, refusal(n, "of %v and %v: expected the same batches", a.shape, b.shape)
	}
	return m, nil
}

// multiply is the value of the one product that a program has.
func (l *lowering) multiply(n *Node, m *matmul, at place) (*value, error) {
	if !l.lies(n, at) {
		return nil, refusal(n, "its result is used along other axes")
	}
	if len(l.sort(true)) > 0 {
		return l.staged(n, m, at)
	}
	if l.scan != nil || l.product != nil && !reflect.DeepEqual(l.product, m) || len(l.stats) > 0 {
		return nil, refusal(n, "a product beside another one: expected one")
	}
	if axes, plain := plainPlace(at); !plain || !slices.Equal(axes, l.allAxes()) {
		return nil, refusal(n, "its result is used along other axes")
	}
	l.product = m
	return l.intern(&value{kind: isAcc, varies: true, key: accKey}), nil
}

// lies reports whether axes of the domain are as long as those of a node that run along them.
func (l *lowering) lies(n *Node, at place) bool {
	for i, axes := range at {
		var lengths []string
		for _, a := range axes {
			if a >= derivedFrom {
				return true // it is looked up
			}
			lengths = append(lengths, l.domain[a].length)
		}
		if len(axes) > 0 && !l.graph.equal(product(lengths), texts(n.Shape)[i]) {
			return false
		}
	}
	return true
}

// staged is the value of a product whose rows are summed afterwards: it is written to memory first, and then read.
func (l *lowering) staged(n *Node, m *matmul, at place) (*value, error) {
	axes, plain := plainPlace(at)
	if l.scan != nil || l.product != nil && !reflect.DeepEqual(l.product, m) || plain && !slices.Equal(axes, l.allAxes()) {
		return nil, refusal(n, "a product beside another one, or used along other axes: expected one")
	}
	l.product = m
	if !plain {
		return l.readAt(stagedTensor, n.Shape, at), nil
	}
	return l.load(stagedTensor, l.allAxes()), nil
}

// stagedTensor stands for the product among the tensors that are read.
const stagedTensor = -1

// staged reports whether a product is written to memory before its rows are summed.
func (p *program) staged() bool { return p.product != nil && len(p.stats) > 0 }

// biased adds what linear and addmm have besides.
func (l *lowering) biased(n *Node, v *value, at place) (*value, error) {
	i := map[string]int{"linear": 2, "addmm": 0}
	where, ok := i[n.Op]
	if !ok {
		return v, nil
	}
	for _, name := range []string{"alpha", "beta"} {
		if x, err := n.number(-1, name, 1); err != nil || x != 1 {
			return nil, refusal(n, "%s: expected 1", name)
		}
	}
	a, ok := n.option(where, "bias")
	if !ok {
		return v, nil
	}
	b, err := l.operand(n, a, at)
	if err != nil {
		return nil, err
	}
	return l.op("add", v, b), nil
}

// triangle keeps one side of the diagonal of a product.
func (l *lowering) triangle(n *Node, at place) (*value, error) {
	from := l.operandNode(n)
	if from == nil || reducers[from.Op] == nil || reducers[from.Op].place == nil || from.Op == "linear" ||
		from.Op == "addmm" {
		return l.triangular(n, at)
	}
	diagonal, err := n.number(1, "diagonal", 0)
	if err != nil {
		return nil, err
	}
	v, err := l.build(n.Args[0].Ref, at)
	if err != nil {
		return nil, err
	}
	if v.kind != isAcc || l.product == nil || l.product.Triangle != "" {
		return l.triangular(n, at)
	}
	l.product.Triangle, l.product.Diagonal = n.Op, int(diagonal)
	return v, nil
}
