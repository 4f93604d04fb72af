package graph

import (
	"fmt"
	"slices"
)

// scan is a running sum or product along the reduced axis.
type scan struct {
	arg              *value
	Product, Reverse bool
}

// scanned is the value of a running sum, of which a program has one.
func (l *lowering) scanned(n *Node, x *value, product, reverse bool) (*value, error) {
	s := &scan{x, product, reverse}
	switch {
	case l.scan != nil && *l.scan != *s:
		return nil, refusal(n, "a second running sum: expected one")
	case len(l.sort(true)) != 1:
		return nil, refusal(n, "along an axis of length 1")
	case x.key == accKey:
		return nil, refusal(n, "a running sum of a running sum: expected one")
	}
	l.scan = s
	return l.intern(&value{kind: isAcc, varies: true, key: accKey}), nil
}

// accKey is the key of the one value that a family works out itself.
const accKey = "acc"

func cumulated(product bool) func(*lowering, *Node, place) (*value, error) {
	return func(l *lowering, n *Node, at place) (*value, error) {
		x, err := l.framed(n, at)
		if err != nil {
			return nil, err
		}
		return l.scanned(n, x, product, false)
	}
}

// flip turns axes around. Flip of cumsum of flip, all along one axis, is a running sum from the end.
func (l *lowering) flip(n *Node, at place) (*value, error) {
	inner := l.operandNode(n)
	if inner == nil || inner.Op != "cumsum" && inner.Op != "cumprod" {
		return l.turnedAround(n, at)
	}
	first := l.operandNode(inner)
	if first == nil || first.Op != "flip" {
		return l.turnedAround(n, at)
	}
	var axes [3]string
	for i, m := range []*Node{n, inner, first} {
		list, err := l.flipAxes(m)
		if err != nil {
			return nil, err
		}
		axes[i] = fmt.Sprint(list)
	}
	if axes[0] != axes[1] || axes[1] != axes[2] {
		return nil, refusal(n, "it turns around other axes than the running sum's")
	}
	if err := l.sameFrame(inner); err != nil {
		return nil, err
	}
	x, err := l.build(first.Args[0].Ref, at)
	if err != nil {
		return nil, err
	}
	return l.scanned(n, x, inner.Op == "cumprod", true)
}

// turnedAround is what a flip reads: from the end of its axes on.
func (l *lowering) turnedAround(n *Node, at place) (*value, error) {
	axes, err := l.flipAxes(n)
	if err != nil {
		return nil, err
	}
	to := slices.Clone(at)
	for _, i := range axes {
		if length := texts(n.Shape)[i]; length != "1" {
			to[i] = l.worked(derived{axes: at[i], scale: -1, shift: -1, start: length})
		}
	}
	return l.build(n.Args[0].Ref, to)
}

// flipAxes are the axes that flip or a running sum goes along.
func (l *lowering) flipAxes(n *Node) ([]int, error) { return summed(l, n) }

// operandNode is the node that is the first argument.
func (l *lowering) operandNode(n *Node) *Node {
	if len(n.Args) == 0 || n.Args[0].kind != 'r' {
		return nil
	}
	return l.nodes[n.Args[0].Ref]
}

// checkScan refuses what a running sum cannot be mixed with.
func (p *program) checkScan() error {
	if p.scan != nil && (len(p.stats) > 0 || p.product != nil) {
		return fmt.Errorf("output %s: a running sum beside another reduction: expected one", p.outputs[0].name)
	}
	for _, o := range p.outputs {
		if p.scan != nil && !o.full {
			return fmt.Errorf("output %s: a number a row beside a running sum", o.name)
		}
	}
	return nil
}
