package graph

import (
	"fmt"
	"slices"
	"strings"
)

// pool is the greatest number or the mean of windows of a tensor, along its last axes.
type pool struct {
	tensor                          int
	Average                         bool
	CountPadding                    bool // the mean is over places outside of the tensor, too
	Ceil                            bool // a last window may end beyond the padding, if it begins before
	Kernel, Stride, Padding, Spread []int
	outer                           string   // lines before the windows' axes
	lengths                         []string // of the windows' axes in the tensor
}

// In is the parameter of the kernels, Rank how many axes windows have.
func (w *pool) In() string { return inName(w.tensor) }

// Rank is how many axes windows have.
func (w *pool) Rank() int { return len(w.Kernel) }

// Window is the places of one.
func (w *pool) Window() int {
	n := 1
	for _, k := range w.Kernel {
		n *= k
	}
	return n
}

var poolRank = map[string]int{"max_pool1d": 1, "max_pool2d": 2, "max_pool3d": 3, "avg_pool1d": 1, "avg_pool2d": 2,
	"avg_pool3d": 3}

// readPool reads the arguments of a pooling operator.
func readPool(l *lowering, n *Node) (*pool, error) {
	if _, err := l.shapeOf(n, 0); err != nil {
		return nil, err
	}
	if l.nodes[n.Args[0].Ref] != nil {
		return nil, refusal(n, "expected windows of an input, or of a product")
	}
	w, err := readWindow(l, n)
	if err != nil {
		return nil, err
	}
	w.tensor = l.tensors[n.Args[0].Ref]
	return w, nil
}

// readWindow reads what windows are like.
func readWindow(l *lowering, n *Node) (*pool, error) {
	shape, err := l.shapeOf(n, 0)
	if err != nil {
		return nil, err
	}
	rank := poolRank[n.Op]
	if len(shape) < rank+1 || len(shape) != len(n.Shape) {
		return nil, refusal(n, "expected windows along %d axes", rank)
	}
	w := &pool{
		Average: strings.HasPrefix(n.Op, "avg"),
		Spread:  slices.Repeat([]int{1}, rank),
	}
	if w.Kernel, err = n.sizes(1, "kernel_size", rank, nil); err != nil {
		return nil, err
	}
	if w.Stride, err = n.sizes(2, "stride", rank, w.Kernel); err != nil {
		return nil, err
	}
	if w.Padding, err = n.sizes(3, "padding", rank, make([]int, rank)); err != nil {
		return nil, err
	}
	ceilAt := 4
	if !w.Average {
		ceilAt = 5
		if w.Spread, err = n.sizes(4, "dilation", rank, w.Spread); err != nil {
			return nil, err
		}
	}
	if w.Ceil, err = n.flag(ceilAt, "ceil_mode", false); err != nil {
		return nil, err
	}
	if _, ok := n.option(6, "divisor_override"); ok && w.Average {
		return nil, refusal(n, "divisor_override: expected none")
	}
	if w.CountPadding, err = n.flag(5, "count_include_pad", true); err != nil {
		return nil, err
	}
	w.CountPadding = w.CountPadding || !w.Average
	split := len(shape) - rank
	w.outer, w.lengths = product(texts(shape)[:split]), texts(shape)[split:]
	return w, w.usable(n)
}

// usable bounds windows: their loops are unrolled.
func (w *pool) usable(n *Node) error {
	for i, k := range w.Kernel {
		if k < 1 || k > 64 || w.Stride[i] < 1 || w.Stride[i] > 1<<10 || w.Spread[i] < 1 || w.Spread[i] > 1<<10 ||
			w.Padding[i] < 0 || 2*w.Padding[i] > k {
			return refusal(n, "windows of %v by %v: out of range", w.Kernel, w.Stride)
		}
	}
	if w.Window() > 4096 {
		return refusal(n, "windows of %v: expected at most 4096 places", w.Kernel)
	}
	return nil
}

// sizes is a number for each axis of a window: a list, or one for all.
func (n *Node) sizes(i int, name string, rank int, otherwise []int) ([]int, error) {
	a, ok := n.option(i, name)
	if !ok || a.kind == 'l' && len(a.List) == 0 {
		if otherwise == nil {
			return nil, refusal(n, "%s is missing", name)
		}
		return otherwise, nil
	}
	if a.kind == 'v' {
		a.List = []Arg{a}
	}
	if len(a.List) == 1 {
		a.List = slices.Repeat(a.List, rank)
	}
	var out []int
	for _, e := range a.List {
		v, ok := e.Value.(float64)
		if !ok || v != float64(int(v)) {
			return nil, refusal(n, "%s is no list of integers", name)
		}
		out = append(out, int(v))
	}
	if len(out) != rank {
		return nil, refusal(n, "%s has %d numbers: expected %d", name, len(out), rank)
	}
	return out, nil
}

// results are the lengths of the result along the windows' axes. With Ceil the quotient is rounded up, but no window
// begins beyond the tensor and its padding before: which of the two bounds the number does not depend on the length.
func (w *pool) results() (out []string) {
	for i, length := range w.lengths {
		plus, minus := 2*w.Padding[i], w.Spread[i]*(w.Kernel[i]-1)+1
		switch {
		case w.Ceil && w.Stride[i]+w.Padding[i] <= minus:
			plus += w.Stride[i] - 1
		case w.Ceil:
			plus, minus = w.Padding[i], 1
		}
		out = append(out, fmt.Sprintf("(%s + %d - %d) / %d + 1", bracket(length), plus, minus, w.Stride[i]))
	}
	return out
}

// least is the shortest axis that has one window. PyTorch's avg_pool3d wants a whole window in the tensor itself.
func (w *pool) least(i int) int {
	if w.Average && w.Rank() == 3 {
		return w.Kernel[i]
	}
	return max(1, w.Spread[i]*(w.Kernel[i]-1)+1-2*w.Padding[i])
}

// framePool makes the domain of a result: its lengths follow from those of the tensor.
func framePool(l *lowering, n *Node) error {
	w, err := readPool(l, n)
	if err != nil {
		return err
	}
	l.base = slices.Clone(n.Shape)
	l.axesOf(nil)
	split := len(n.Shape) - w.Rank()
	for i, text := range w.results() {
		got, err := l.graph.size(text)
		want, _ := l.graph.size(string(n.Shape[split+i]))
		if err != nil || got != want {
			return refusal(n, "its result has the length %d: expected %d", want, got)
		}
		if at := l.places[split+i]; len(at) > 0 {
			l.domain[at[0]].length = text
			l.made["length "+string(n.Shape[split+i])] = &value{length: text}
		}
		if dim := w.lengths[i]; l.graph.sizes[dim] > 0 {
			l.leasts[dim] = max(l.leasts[dim], w.least(i))
		}
	}
	return nil
}

// pooled is the value of windows, of which a program has one.
func pooled(l *lowering, n *Node, at place) (*value, error) {
	if l.inner(n) {
		return l.windowed(n, at)
	}
	w, err := readPool(l, n)
	if err != nil {
		return nil, err
	}
	if l.pool != nil && l.pool.tensor != w.tensor || l.product != nil || l.scan != nil || len(l.stats) > 0 {
		return nil, refusal(n, "windows beside another operator of its kind: expected one")
	}
	if axes, plain := plainPlace(at); !plain || !slices.Equal(axes, l.allAxes()) {
		return nil, refusal(n, "its result is used along other axes")
	}
	l.pool = w
	return l.intern(&value{kind: isAcc, varies: true, key: accKey}), nil
}

// shapeOf is the shape of an output in terms of the inputs' dims.
func (p *program) outputShape(o output) []Extent {
	out := slices.Clone(o.shape)
	for i, e := range out {
		if v := p.made["length "+string(e)]; v != nil && p.pool != nil && i >= len(out)-p.pool.Rank() {
			out[i] = Extent(v.length)
		}
	}
	return out
}
