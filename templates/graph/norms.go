package graph

import "slices"

// framed is what an operator reads whose result has the shape of its argument.
func (l *lowering) framed(n *Node, at place) (*value, error) {
	if err := l.sameFrame(n); err != nil {
		return nil, err
	}
	x, err := l.input(n)
	if err != nil {
		return nil, err
	}
	for i := range at {
		if !slices.Equal(at[i], l.places[i]) {
			return nil, refusal(n, "its result is used along other axes")
		}
	}
	return x, nil
}

// safeSoftmax is the operator that scaled_dot_product_attention has.
const safeSoftmax = "_safe_softmax"

// softmax is that of rows, or its logarithm. The safe one is 0 in a row of -inf alone, where the other is NaN.
func softmax(l *lowering, n *Node, at place) (*value, error) {
	x, err := l.framed(n, at)
	if err != nil {
		return nil, err
	}
	s := l.stat(expSum, x)
	shifted := l.op("sub", x, l.part(s, 0))
	if n.Op == "log_softmax" || n.Op == "_log_softmax" {
		return l.op("sub", shifted, l.op("log", l.part(s, 1))), nil
	}
	p := l.op("div", l.op("exp", shifted), l.part(s, 1))
	if n.Op == safeSoftmax { // of -inf alone the greatest number is -inf in the truth, and the sum 0 in families
		none := l.op("logical_or", l.op("eq", l.part(s, 0), l.num(negInf)), l.op("eq", l.part(s, 1), l.num(0)))
		return l.op("where", none, l.num(0), p), nil
	}
	return p, nil
}

// normalized is (x - mean) / sqrt(variance + eps).
func (l *lowering) normalized(x *value, eps float64) *value {
	s := l.stat(momentsOf, x)
	return l.op("mul", l.op("center", x, l.part(s, 0)), l.op("rsqrt", l.op("add", l.part(s, 1), l.num(eps))))
}

// affine multiplies with the tensor of one option and adds that of another, where they are there.
func (l *lowering) affine(n *Node, v *value, at place, weight, bias int) (*value, error) {
	for i, name := range []string{"mul", "add"} {
		a, ok := n.option([]int{weight, bias}[i], "")
		if !ok {
			continue
		}
		if a.kind != 'r' {
			return nil, refusal(n, "its weight or bias is no tensor")
		}
		w, err := l.build(a.Ref, at)
		if err != nil {
			return nil, err
		}
		v = l.op(name, v, w)
	}
	return v, nil
}

// withEps is what a norm reads, and what it adds to a variance, as its argument number i says.
func (l *lowering) withEps(n *Node, at place, i int, otherwise float64) (x *value, eps float64, err error) {
	if x, err = l.framed(n, at); err != nil {
		return nil, 0, err
	}
	eps, err = n.number(i, "eps", otherwise)
	return x, eps, err
}

func layerNorm(l *lowering, n *Node, at place) (*value, error) {
	x, eps, err := l.withEps(n, at, 4, 1e-5)
	if err != nil {
		return nil, err
	}
	a, _ := n.option(1, "normalized_shape")
	return l.affine(n, l.normalized(x, eps), l.places[len(l.places)-len(a.List):], 2, 3)
}

func rmsNorm(l *lowering, n *Node, at place) (*value, error) {
	x, eps, err := l.withEps(n, at, 3, 0x1p-23)
	if err != nil {
		return nil, err
	}
	square := l.op("div", l.part(l.stat(sumOf, l.op("mul", x, x)), 0), l.count())
	v := l.op("mul", x, l.op("rsqrt", l.op("add", square, l.num(eps))))
	a, _ := n.option(1, "normalized_shape")
	return l.affine(n, v, l.places[len(l.places)-len(a.List):], 2, -1)
}

func groupNorm(l *lowering, n *Node, at place) (*value, error) {
	x, eps, err := l.withEps(n, at, 4, 1e-5)
	if err != nil {
		return nil, err
	}
	return l.affine(n, l.normalized(x, eps), l.places[1:2], 2, 3)
}

// channelNorm is a batch or instance norm with statistics of the input.
func channelNorm(l *lowering, n *Node, at place) (*value, error) {
	x, eps, err := l.withEps(n, at, 7, 1e-5)
	if err != nil {
		return nil, err
	}
	return l.affine(n, l.normalized(x, eps), l.places[1:2], 1, 2)
}

// moduleNorm is the same with the statistics of the module: a map.
func moduleNorm(l *lowering, n *Node, at place) (*value, error) {
	if len(n.Args) < 5 || n.Args[3].kind != 'r' || n.Args[4].kind != 'r' || len(at) < 2 {
		return nil, refusal(n, "it has no statistics")
	}
	eps, err := n.number(7, "eps", 1e-5)
	if err != nil {
		return nil, err
	}
	var x []*value
	for k, i := range []int{0, 3, 4} {
		v, err := l.build(n.Args[i].Ref, []place{at, at[1:2], at[1:2]}[k])
		if err != nil {
			return nil, err
		}
		x = append(x, v)
	}
	if l.nodes[n.Args[4].Ref] == nil {
		l.spreads[n.Args[4].Ref] = true
	}
	v := l.op("mul", l.op("sub", x[0], x[1]), l.op("rsqrt", l.op("add", x[2], l.num(eps))))
	return l.affine(n, v, at[1:2], 1, 2)
}
