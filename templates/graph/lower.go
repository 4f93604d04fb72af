package graph

import (
	"fmt"
	"slices"
	"strings"
)

// lowering builds a program from the outputs backwards.
type lowering struct {
	*program
	nodes   map[string]*Node
	tensors map[string]int
	base    []Extent // shape of what is reduced, or of the output
	places  place    // of that shape
	ready   map[string]*value
	deep    int
}

// refusal says which node is not taken, and why.
func refusal(n *Node, format string, args ...any) error {
	return fmt.Errorf("node %s (%s): %s", n.Name, strings.TrimSuffix(n.Op, each), fmt.Sprintf(format, args...))
}

// lower makes the program of a graph whose heaviest operators are maps and sums along the same axes.
func lower(of *Graph) (*program, error) {
	copied := *of
	g := &copied
	g.Nodes, g.Dims = slices.Clone(of.Nodes), slices.Clone(of.Dims)
	for i := range g.Nodes {
		g.Nodes[i].Op = canonical(g.Nodes[i].Op)
	}
	for i := range g.Nodes {
		if mapping(&g.Nodes[i]) {
			g.Nodes[i].Op += each
		}
	}
	g.Nodes = exclusive(g.Nodes)
	l := &lowering{
		program: &program{graph: g, made: map[string]*value{}, facts: noFacts(), spreads: map[string]bool{}},
		nodes:   map[string]*Node{},
		tensors: map[string]int{},
		ready:   map[string]*value{},
	}
	for i := range g.Nodes {
		l.nodes[g.Nodes[i].Name] = &g.Nodes[i]
	}
	for i, t := range g.Tensors {
		l.tensors[t.Name] = i
	}
	for i := range g.Nodes {
		if !known(&g.Nodes[i]) {
			return nil, refusal(&g.Nodes[i], "%s", unknown(g.Nodes[i].Op))
		}
	}
	if err := l.frame(); err != nil {
		return nil, err
	}
	for _, name := range g.Outputs {
		o, err := l.output(name)
		if err != nil {
			return nil, err
		}
		l.outputs = append(l.outputs, *o)
	}
	return l.program, l.finish()
}

// unknown says why no family takes an operator that none knows.
func unknown(op string) string {
	switch {
	case strings.HasPrefix(op, "adaptive_"):
		return "to lengths that do not divide those of its argument: no family takes windows of several lengths"
	case strings.HasPrefix(op, "conv"):
		return "no family takes this operator, but where its windows have one place or lie side by side, or see one channel"
	case strings.HasPrefix(op, "interpolate") || strings.HasPrefix(op, "upsample_"):
		return "no family takes this operator, but to the nearest by whole factors"
	}
	return "no family takes this operator"
}

// known reports whether an operator is one that families take, wherever it stands.
func known(n *Node) bool {
	others := []string{"flip", "triu", "tril", "diag", "diag_embed", "diagflat", "t", "numpy_T", "mT", "matrix_H"}
	return views[n.Op] != nil || reducers[n.Op] != nil || byTorch[n.Op] != nil || special[n.Op] != nil ||
		slices.Contains(others, n.Op)
}

// each marks operators that reduce otherwise, where they are functions of single numbers: losses that are not added up,
// and norms with the statistics of the module.
const each = " each"

func mapping(n *Node) bool {
	if _, ok := lossTable[n.Op]; ok {
		how, err := n.how()
		return err == nil && how == 0
	}
	own, err := n.flag(5, "training", false)
	return (n.Op == "batch_norm" || n.Op == "instance_norm") && err == nil && !own
}

// output is what a program makes of a node that is one.
func (l *lowering) output(name string) (*output, error) {
	n := l.nodes[name]
	if n == nil {
		return nil, fmt.Errorf("output %s: no operator makes it", name)
	}
	at, err := l.outputPlace(n)
	if err != nil {
		return nil, err
	}
	v, err := l.build(name, at)
	if err != nil {
		return nil, err
	}
	o := &output{name: name, shape: n.Shape, dtype: n.DType, value: v, total: v.total}
	switch {
	case v.total && (!onlyTotals(v) || len(slices.Concat(at...)) > 0):
		return nil, refusal(n, "it needs numbers of rows and sums over all rows")
	case !v.total:
		o.full, err = l.isFull(n, at)
	}
	return o, err
}

// canonical is an operator's name without overload and without the mark of being done in place.
func canonical(op string) string {
	op, _, _ = strings.Cut(strings.TrimPrefix(op, "aten."), ".")
	return strings.TrimSuffix(op, "_")
}

// maxPasses bounds how many times a row is read: each is code of its own.
const maxPasses = 8

// finish checks that the outputs are of the domain or of its rows.
func (l *lowering) finish() error {
	if len(l.loads) == 0 && l.product == nil && l.pool == nil && !l.graph.staged {
		return fmt.Errorf("output %s: no input changes it", l.outputs[0].name)
	}
	if n := l.passes(); n > maxPasses {
		return fmt.Errorf("output %s: %d sums that depend on each other: expected at most %d", l.outputs[0].name, n,
			maxPasses)
	}
	l.merge()
	l.dropDims()
	l.findLeasts()
	return l.checkScan()
}

// dropDims forgets dims that no input has: lengths of windows' results that follow from others.
func (l *lowering) dropDims() {
	used := map[string]bool{}
	for _, t := range l.graph.Tensors {
		for _, text := range texts(t.Shape) {
			for _, name := range word.FindAllString(text, -1) {
				used[name] = true
			}
		}
	}
	for _, text := range l.sizeTexts() {
		for _, name := range word.FindAllString(text, -1) {
			used[name] = true
		}
	}
	l.graph.Dims = slices.DeleteFunc(l.graph.Dims, func(d Dim) bool { return !used[d.Name] })
}

// build is the value of a node or tensor at a place.
func (l *lowering) build(name string, at place) (*value, error) {
	key := name + fmt.Sprint(at)
	if v := l.ready[key]; v != nil {
		return v, nil
	}
	if l.deep++; l.deep > maxNodes {
		return nil, fmt.Errorf("node %s: too many operators one after the other", name)
	}
	defer func() { l.deep-- }()
	v, err := l.make(name, at)
	if err == nil {
		l.ready[key] = v
	}
	return v, err
}

func (l *lowering) make(name string, at place) (*value, error) {
	n := l.nodes[name]
	if n == nil {
		return l.tensor(name, at)
	}
	if len(at) != len(n.Shape) {
		return nil, refusal(n, "it has %d axes where %d are wanted", len(n.Shape), len(at))
	}
	if err := l.checkType(n); err != nil {
		return nil, err
	}
	switch {
	case l.viewing(n) != nil:
		return l.view(n, at)
	case reducers[n.Op] != nil:
		return reducers[n.Op].value(l, n, at)
	case n.Op == "flip":
		return l.flip(n, at)
	case n.Op == "triu" || n.Op == "tril":
		return l.triangle(n, at)
	case byTorch[n.Op] != nil || special[n.Op] != nil:
		return l.pointwise(n, at)
	}
	return nil, refusal(n, "no family takes this operator here")
}

// tensor loads an argument of the module.
func (l *lowering) tensor(name string, at place) (*value, error) {
	i := l.tensors[name]
	t := &l.graph.Tensors[i]
	if len(t.Strides) > 0 {
		return nil, fmt.Errorf("tensor %s: it is not contiguous", name)
	}
	at = l.rejoined(at, texts(t.Shape))
	axes, ok := plainPlace(at)
	if !ok {
		return l.readAt(i, t.Shape, at), nil
	}
	return l.load(i, axes), nil
}

// operand is an argument of a function of numbers.
func (l *lowering) operand(n *Node, a Arg, at place) (*value, error) {
	switch v := a.Value.(type) {
	case float64:
		return l.num(v), nil
	case bool:
		return nil, refusal(n, "a truth value as operand")
	}
	switch {
	case a.kind == 'd':
		return l.length(a.Dim), nil
	case a.kind != 'r':
		return nil, refusal(n, "an operand is a tensor or a number")
	}
	to, err := l.broadcast(n, l.shape(a.Ref), at)
	if err != nil {
		return nil, err
	}
	return l.build(a.Ref, to)
}
