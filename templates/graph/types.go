package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// floats are the types that are computed with, wholes those of indices, masks and bytes, by their names in C++; ranged
// are those whose numbers are known by their type.
var (
	floats = []string{"fp32", "fp16", "bf16"}
	wholes = map[string]string{"int64": "long long", "int32": "int", "bool": "bool", "int8": "signed char",
		"uint8": "unsigned char"}
	ranged = []string{"bool", "int8", "uint8"}
)

// element is the type of the tensors that are computed with: that of the first which has no whole numbers, or where all
// have, of the first output.
func (g *Graph) element() string {
	for _, t := range g.Tensors {
		if wholes[t.DType] == "" {
			return t.DType
		}
	}
	for _, n := range g.Nodes {
		if slices.Contains(g.Outputs, n.Name) && slices.Contains(floats, n.DType) {
			return n.DType
		}
	}
	return ""
}

// element is a tensor's type in C++. A staged product is of floats, as T is where there is one.
func (p *program) element(tensor int) string {
	if tensor == stagedTensor || wholes[p.graph.Tensors[tensor].DType] == "" {
		return "T"
	}
	return wholes[p.graph.Tensors[tensor].DType]
}

// hasWholes reports whether there are indices or masks.
func (p *program) hasWholes() bool {
	return slices.ContainsFunc(p.graph.Tensors, func(t Tensor) bool { return wholes[t.DType] != "" })
}

// dtype is that of all tensors but indices and masks.
func (p *program) dtype() (string, error) {
	dtype := p.graph.element()
	for _, t := range p.graph.Tensors {
		switch {
		case wholes[t.DType] != "":
			if err := p.checkWhole(t); err != nil {
				return "", err
			}
		case !slices.Contains(floats, t.DType):
			return "", fmt.Errorf("tensor %s: of %s: expected fp32, fp16 or bf16", t.Name, cut(t.DType))
		case dtype != t.DType:
			return "", fmt.Errorf("tensor %s: of %s, and others of %s: expected one type", t.Name, t.DType, dtype)
		}
	}
	if dtype == "" {
		return "", fmt.Errorf("tensor %s: of %s, and no other: expected one of fp32, fp16 or bf16",
			p.graph.Tensors[0].Name, p.graph.Tensors[0].DType)
	}
	if p.staged() && dtype != "fp32" {
		return "", fmt.Errorf("a product of %s whose rows are summed: expected fp32", dtype)
	}
	for _, o := range p.outputs {
		if o.dtype != dtype && !o.ints() {
			return "", fmt.Errorf("output %s: of %s, and tensors of %s: expected one type", o.name, cut(o.dtype), dtype)
		}
	}
	return dtype, nil
}

// checkWhole refuses whole numbers of which it is not known what they may be.
func (p *program) checkWhole(t Tensor) error {
	if !slices.Contains(ranged, t.DType) && p.below[t.Name] == "" && t.Range == nil {
		return unknownRange(t)
	}
	return nil
}

// unknownRange refuses a tensor of whole numbers that index nothing and are not drawn from a range.
func unknownRange(t Tensor) error {
	return fmt.Errorf("tensor %s: of %s, and what its numbers may be is not known: draw them by torch.randint in "+
		"get_inputs()", t.Name, t.DType)
}

// mostRange bounds the whole numbers of a range: floats hold them, and sums and differences of a few.
const mostRange = 1 << 22

// checkRange refuses ranges that are none.
func (g *Graph) checkRange(t Tensor) error {
	if t.Range == nil {
		return nil
	}
	if len(t.Range) != 2 || wholes[t.DType] == "" || slices.Contains(ranged, t.DType) {
		return fmt.Errorf("%s: a range has two ends, and is of int32 or int64", t.Name)
	}
	var ends [2]int
	for i, e := range t.Range {
		v, err := g.size(string(e))
		if err != nil || !arithmeticOnly.MatchString(string(e)) || max(v, -v) > mostRange {
			return fmt.Errorf("%s: %q is no end of a range in terms of the dims, from -%d to %d", t.Name, cut(string(e)),
				mostRange, mostRange)
		}
		ends[i] = v
	}
	if ends[0] > ends[1] {
		return fmt.Errorf("%s: the range from %d to %d has no number", t.Name, ends[0], ends[1])
	}
	return nil
}

// spans are how many numbers the ranges have that inputs are drawn from, as expressions: one at least, at all sizes.
func (p *program) spans() (list []string) {
	for _, t := range p.graph.Tensors {
		if t.Range != nil && p.below[t.Name] == "" {
			list = append(list, fmt.Sprintf("%s - (%s) + 1", t.Range[1], t.Range[0]))
		}
	}
	return list
}

// wholeNumbers writes the type of an index or mask, and its bound; and that of variances, which are positive.
func (p *program) wholeNumbers(b *strings.Builder, n *names, tensor int) {
	t := p.graph.Tensors[tensor]
	if p.spreads[t.Name] {
		b.WriteString("range = [0.25, 4] # variances, or weights of classes\n")
	}
	if wholes[t.DType] == "" {
		return
	}
	fmt.Fprintf(b, "dtype = %s\n", quoted(t.DType))
	switch {
	case p.below[t.Name] == "":
		b.WriteString(t.rangeLine(n))
	case !slices.Contains(ranged, t.DType):
		fmt.Fprintf(b, "range = [0, %s]\n", quoted("("+n.one(p.below[t.Name])+") - 1"))
		if class, ok := p.graph.leftOut(t.Name); ok {
			fmt.Fprintf(b, "also = %d # of rows that do not count\n", class)
		}
	}
}

// rangeLine is the range that a tensor's numbers are drawn from, none where it has none.
func (t *Tensor) rangeLine(n *names) string {
	if t.Range == nil {
		return ""
	}
	return fmt.Sprintf("range = [%s]\n", quotedList(n.all(texts(t.Range))))
}

// index says that the numbers of a tensor are less than a length.
func (l *lowering) index(n *Node, a Arg, below string) error {
	i, ok := l.tensors[a.Ref]
	if a.kind != 'r' || !ok || l.nodes[a.Ref] != nil || wholes[l.graph.Tensors[i].DType] == "" ||
		slices.Contains(ranged, l.graph.Tensors[i].DType) {
		return refusal(n, "its classes or indices: expected an input of int64")
	}
	if old := l.below[a.Ref]; old != "" && old != below {
		return refusal(n, "its classes or indices are %s and %s", old, below)
	}
	if size, err := l.graph.size(below); err != nil || size > mostIndex {
		return refusal(n, "of %s classes: expected at most %d", below, mostIndex)
	}
	l.below[a.Ref] = below
	return nil
}

// truthValues are the operators that give truth values.
var truthValues = []string{"eq", "ne", "lt", "le", "gt", "ge", "logical_not", "logical_and", "logical_or",
	"bitwise_not", "bitwise_and", "bitwise_or", "bitwise_xor"}

// constants are the operators that make truth values of no others, or leave some out.
var constants = []string{"ones", "ones_like", "new_ones", "zeros", "zeros_like", "new_zeros", "full", "full_like",
	"triu", "tril", "cat", "constant_pad_nd", "pad"}

// checkType refuses nodes that compute with whole numbers: those wrap around and round down.
func (l *lowering) checkType(n *Node) error {
	switch {
	case slices.Contains(floats, n.DType):
		return nil
	case n.DType == "bool" && (slices.Contains(truthValues, n.Op) || slices.Contains(constants, n.Op)):
		return nil
	case n.Op == "arange" || n.Op == "one_hot" || l.counts(n):
		return nil
	case l.viewing(n) != nil && n.DType == l.typeOf(n.Args[0].Ref):
		return nil
	case strings.HasPrefix(n.Op, "arg"):
		return nil
	}
	return refusal(n, "it gives %s: expected floating point", cut(n.DType))
}

// countedOn are the operators on whole numbers that stay small where those that are counted are.
var countedOn = []string{"add", "sub", "rsub", "neg", "abs", "maximum", "minimum", "clamp", "clamp_min", "clamp_max"}

// counts reports whether a node is made of whole numbers that are counted, by differences and the like.
func (l *lowering) counts(n *Node) bool {
	if n == nil || wholes[n.DType] == "" || n.DType == "bool" {
		return false
	}
	if n.Op == "arange" {
		return true
	}
	if !slices.Contains(countedOn, n.Op) && l.viewing(n) == nil {
		return false
	}
	for _, a := range n.Args {
		if a.kind == 'r' && !l.counts(l.nodes[a.Ref]) && !l.hasRange(a.Ref) {
			return false
		}
		if v, ok := a.Value.(float64); ok && math.Abs(v) > mostIndex {
			return false
		}
	}
	return true
}

// hasRange reports whether a name is that of a tensor of whole numbers that are drawn from a range.
func (l *lowering) hasRange(name string) bool {
	i, ok := l.tensors[name]
	return ok && l.nodes[name] == nil && l.graph.Tensors[i].Range != nil
}

// typeOf is the type of a node or tensor.
func (l *lowering) typeOf(name string) string {
	if n := l.nodes[name]; n != nil {
		return n.DType
	}
	return l.graph.Tensors[l.tensors[name]].DType
}
