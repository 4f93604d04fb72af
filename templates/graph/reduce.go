package graph

import (
	"fmt"
	"slices"
)

// reducer is an operator that needs numbers of a whole row. frame makes the domain where it is the first; sums is nil
// where its result has the shape of its argument, else the axes that it sums away.
type reducer struct {
	frame func(l *lowering, n *Node) error
	sums  func(l *lowering, n *Node) ([]int, error)
	value func(l *lowering, n *Node, at place) (*value, error)
	place func(l *lowering, n *Node) place // of the result, where it is not that of the domain
	at    func(l *lowering, n *Node) (place, error)
}

var reducers map[string]*reducer

// products are the operators that multiply matrices.
var products = []string{"mm", "bmm", "matmul", "linear", "addmm", "mv"}

func init() {
	reducers = map[string]*reducer{}
	for name, f := range map[string]func(*lowering, *Node, *value) (*value, error){
		"sum": total, "mean": mean, "amax": partOf(greatest, 0), "amin": partOf(least, 0), "prod": partOf(productOf, 0),
		"max": partOf(greatest, 0), "min": partOf(least, 0), "argmax": whereIs(firstMost), "argmin": whereIs(firstLow),
		"logsumexp": logSumExp, "var": variance, "std": deviation, "linalg_vector_norm": vectorNorm, "norm": vectorNorm,
	} {
		reducers[name] = sumLike(f)
	}
	for name, f := range map[string]func(*lowering, *Node, place) (*value, error){
		"cumsum": cumulated(false), "cumprod": cumulated(true),
		"softmax": softmax, "_softmax": softmax, "log_softmax": softmax, "_log_softmax": softmax,
		safeSoftmax: softmax,
	} {
		reducers[name] = &reducer{frame: frameAxis, value: f}
	}
	for name := range lossTable {
		reducers[name] = &reducer{frame: frameLoss, sums: allAxes, value: loss}
	}
	for _, name := range []string{"nll_loss", "nll_loss_nd", "nll_loss2d", "cross_entropy_loss"} {
		reducers[name] = &reducer{frame: frameClasses, value: picked(name == "cross_entropy_loss"), at: rowsPlace(3)}
	}
	reducers["triplet_margin_loss"] = &reducer{frame: frameLastAxis, value: triplet, at: rowsPlace(7)}
	reducers["pairwise_distance"] = &reducer{frame: frameLastAxis, value: pairwise, at: rowsPlace(-1)}
	reducers["cosine_similarity"] = &reducer{frame: frameCosine, value: cosine, at: rowsPlace(-1)}
	for _, name := range products {
		reducers[name] = &reducer{frame: frameProduct, value: multiplied, place: (*lowering).productPlace}
	}
	for name := range poolRank {
		reducers[name] = &reducer{frame: framePool, value: pooled}
	}
	reducers["layer_norm"] = &reducer{frame: frameLast, value: layerNorm}
	reducers["rms_norm"] = &reducer{frame: frameLast, value: rmsNorm}
	reducers["group_norm"] = &reducer{frame: frameGroups, value: groupNorm}
	reducers["instance_norm"] = &reducer{frame: frameInstance, value: channelNorm}
	reducers["batch_norm"] = &reducer{frame: frameBatch, value: channelNorm}
}

// sumLike reduces along the axes that an argument lists, all where it does not.
func sumLike(f func(*lowering, *Node, *value) (*value, error)) *reducer {
	return &reducer{
		frame: func(l *lowering, n *Node) error {
			axes, err := summed(l, n)
			if err == nil {
				l.axesOf(axes)
			}
			return err
		},
		sums: summed,
		value: func(l *lowering, n *Node, at place) (*value, error) {
			if rows, ok := l.addsRows(n); ok {
				return l.rowsTotal(n, rows)
			}
			if l.addsAll(n) {
				x, err := l.input(n)
				if err != nil {
					return nil, err
				}
				return l.addedUp(n, x, totalling[n.Op])
			}
			want, err := l.keptPlace(n)
			if err != nil {
				return nil, err
			}
			if fmt.Sprint(want) != fmt.Sprint(at) {
				return nil, refusal(n, "its result is used along other axes")
			}
			x, err := l.input(n)
			if err != nil {
				return nil, err
			}
			return f(l, n, x)
		},
	}
}

// input is the argument of what reduces: of the shape of the domain.
func (l *lowering) input(n *Node) (*value, error) {
	shape, err := l.shapeOf(n, 0)
	if err != nil {
		return nil, err
	}
	if !same(shape, l.base) {
		return nil, refusal(
			n,
			"it reduces %v, and another operator %v: expected one reduction",
			texts(shape),
			texts(l.base),
		)
	}
	return l.build(n.Args[0].Ref, l.places)
}

// axisArg is where an operator has the axes that it reduces along.
var axisArg = map[string]int{"linalg_vector_norm": 2, "norm": 2}

// summed lists the axes that an operator sums away.
func summed(l *lowering, n *Node) ([]int, error) {
	shape, err := l.shapeOf(n, 0)
	if err != nil {
		return nil, err
	}
	i, ok := axisArg[n.Op]
	if !ok {
		i = 1
	}
	a, ok := n.option(i, "dim")
	if !ok || a.kind == 'l' && len(a.List) == 0 {
		return allOf(shape), nil
	}
	if a.kind != 'l' {
		a.List = []Arg{a}
	}
	var out []int
	for _, e := range a.List {
		v, ok := e.Value.(float64)
		axis := int(v)
		if axis < 0 {
			axis += len(shape)
		}
		if !ok || axis < 0 || axis >= len(shape) || slices.Contains(out, axis) || v != float64(int(v)) {
			return nil, refusal(n, "an axis is no axis of %v", texts(shape))
		}
		out = append(out, axis)
	}
	return out, nil
}

func allOf(shape []Extent) (out []int) {
	for i := range shape {
		out = append(out, i)
	}
	return out
}

func allAxes(l *lowering, n *Node) ([]int, error) {
	shape, err := l.shapeOf(n, 0)
	return allOf(shape), err
}

// keptPlace is where the result of a sum lies: along what is left of the axes.
func (l *lowering) keptPlace(n *Node) (place, error) {
	axes, err := reducers[n.Op].sums(l, n)
	if err != nil {
		return nil, err
	}
	shape, _ := l.shapeOf(n, 0)
	if !same(shape, l.base) {
		return nil, refusal(
			n,
			"it reduces %v, and another operator %v: expected one reduction",
			texts(shape),
			texts(l.base),
		)
	}
	var out place
	keep := len(n.Shape) == len(shape)
	for i := range shape {
		gone := slices.Contains(axes, i)
		for _, a := range l.places[i] {
			if l.domain[a].reduced != gone {
				return nil, refusal(n, "it reduces other axes than another operator: expected one reduction")
			}
		}
		if !gone {
			out = append(out, l.places[i])
		} else if keep {
			out = append(out, nil)
		}
	}
	if len(out) != len(n.Shape) {
		return nil, refusal(n, "its shape is %v", texts(n.Shape))
	}
	return out, nil
}

func total(l *lowering, _ *Node, x *value) (*value, error) { return l.part(l.stat(sumOf, x), 0), nil }

func mean(l *lowering, n *Node, x *value) (*value, error) {
	return l.op("div", l.part(l.stat(sumOf, x), 0), l.count()), nil
}

func partOf(k statKind, i int) func(*lowering, *Node, *value) (*value, error) {
	return func(l *lowering, _ *Node, x *value) (*value, error) { return l.part(l.stat(k, x), i), nil }
}

// whereIs is the place of a number that is the greatest or the least. Of computed numbers the reference leaves open
// which of those it is that rounding may put in either order: it knows what roundings in fp32 do, and no more.
func whereIs(k statKind) func(*lowering, *Node, *value) (*value, error) {
	return func(l *lowering, n *Node, x *value) (*value, error) {
		if !exactValue(x) && l.graph.TF32 {
			return nil, refusal(n, "of numbers that are computed in TF32: rounding would decide which of them it is")
		}
		return l.part(l.stat(k, x), 1), nil
	}
}

func logSumExp(l *lowering, _ *Node, x *value) (*value, error) {
	s := l.stat(logSumOf, x)
	return l.op("add", l.part(s, 0), l.op("log", l.part(s, 1))), nil
}

func variance(l *lowering, n *Node, x *value) (*value, error) {
	correction, err := n.number(2, "correction", 1)
	if a, ok := n.option(2, "unbiased"); ok {
		if v, is := a.Value.(bool); is && !v {
			correction, err = 0, nil
		} else if is {
			correction, err = 1, nil
		}
	}
	if err != nil {
		return nil, err
	}
	v := l.part(l.stat(momentsOf, x), 1)
	if correction == 0 {
		return v, nil
	}
	return l.op("mul", v, l.op("div", l.count(), l.op("sub", l.count(), l.num(correction)))), nil
}

func deviation(l *lowering, n *Node, x *value) (*value, error) {
	v, err := variance(l, n, x)
	if err != nil {
		return nil, err
	}
	return l.op("sqrt", v), nil
}

// vectorNorm is that of order 1, 2 or inf.
func vectorNorm(l *lowering, n *Node, x *value) (*value, error) {
	order := 2.0
	if a, ok := n.option(1, map[string]string{"norm": "p", "linalg_vector_norm": "ord"}[n.Op]); ok &&
		a.Value != "fro" {
		v, is := a.Value.(float64)
		if !is {
			return nil, refusal(n, "of order %v: expected a number", a.Value)
		}
		order = v
	}
	return normOf(l, n, x, order)
}

// normOf is the norm of a row's numbers.
func normOf(l *lowering, n *Node, x *value, order float64) (*value, error) {
	switch order {
	case 1:
		return l.part(l.stat(sumOf, l.op("abs", x)), 0), nil
	case 2:
		return l.op("sqrt", l.part(l.stat(sumOf, l.op("mul", x, x)), 0)), nil
	case posInf:
		return l.part(l.stat(greatest, l.op("abs", x)), 0), nil
	}
	if !(order > 0) {
		return nil, refusal(n, "of order %g: expected more than 0, or inf", order)
	}
	sum := l.part(l.stat(sumOf, l.op("pow", l.op("abs", x), l.num(order))), 0)
	return l.op("pow", sum, l.num(1/order)), nil
}
