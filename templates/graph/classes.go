package graph

import "slices"

// Losses over classes, and distances of rows: sums along one axis, and then over all rows.

// classAxis is the axis of the classes.
const classAxis = 1

func frameClasses(l *lowering, n *Node) error {
	if len(l.base) < 2 {
		return refusal(n, "expected classes after a batch")
	}
	l.axesOf([]int{classAxis})
	return nil
}

// rowsPlace is where a loss over rows lies: one number, or one of each row where it is not added up.
func rowsPlace(reduction int) func(l *lowering, n *Node) (place, error) {
	return func(l *lowering, n *Node) (place, error) {
		if how, err := n.number(reduction, "reduction", 1); reduction >= 0 && (err != nil || how != 0) {
			return make(place, len(n.Shape)), err
		}
		return l.placeOfRows(len(n.Shape)), nil
	}
}

// picked is the loss of classes: minus the logarithm of the probability of each row's class. logits says that the
// logarithms are to be made of what is there.
func picked(logits bool) func(*lowering, *Node, place) (*value, error) {
	return func(l *lowering, n *Node, at place) (*value, error) {
		if err := l.sameFrame(n); err != nil {
			return nil, err
		}
		x, err := l.input(n)
		if err != nil {
			return nil, err
		}
		how, err := n.number(3, "reduction", 1)
		if err != nil || len(n.Args) < 2 {
			return nil, refusal(n, "its arguments are no prediction and target")
		}
		if same(l.shape(n.Args[1].Ref), l.base) {
			for i, name := range map[int]string{2: "weight", 5: "label_smoothing"} {
				if a, ok := n.option(i, name); ok && a.Value != 0. {
					return nil, refusal(n, "%s with targets that are probabilities: expected none", name)
				}
			}
			return l.soft(n, x, how)
		}
		return l.hard(n, x, how, logits)
	}
}

// soft is the loss where targets are probabilities of all classes.
func (l *lowering) soft(n *Node, x *value, how float64) (*value, error) {
	t, err := l.build(n.Args[1].Ref, l.places)
	if err != nil {
		return nil, err
	}
	logs := logSum(l, x)
	rows := l.part(l.stat(sumOf, l.op("mul", t, l.op("sub", logs, x))), 0)
	return l.reduced(n, rows, how, product(texts(slices.Delete(slices.Clone(l.base), classAxis, classAxis+1))))
}

// hard is the loss where targets are indices of classes. Rows of one of them do not count.
func (l *lowering) hard(n *Node, x *value, how float64, logits bool) (*value, error) {
	ignored, err := n.number(4, "ignore_index", -100)
	if err != nil {
		return nil, err
	}
	if err := l.classesOf(n, n.Args[1], texts(l.base)[classAxis]); err != nil {
		return nil, err
	}
	target, err := l.build(n.Args[1].Ref, slices.Delete(slices.Clone(l.places), classAxis, classAxis+1))
	if err != nil {
		return nil, err
	}
	var logs *value
	if logits {
		logs = logSum(l, x)
	}
	here := l.op("eq", l.coordinateOf(l.places[classAxis]), target)
	row := l.op("neg", l.ofClass(here, x))
	if logits {
		row = l.op("add", row, logs)
	}
	counts := l.op("ne", target, l.num(ignored))
	weight, err := l.classWeight(n)
	if err != nil {
		return nil, err
	}
	own := l.num(1)
	if weight != nil {
		own = l.ofClass(here, weight)
		row = l.op("mul", row, own)
	}
	if row, err = l.smoothed(n, row, x, logs, weight); err != nil {
		return nil, err
	}
	row = l.op("where", counts, row, l.num(0))
	if how == 1 {
		return l.op("div", l.totalOf(row), l.totalOf(l.weighed(counts, weight, own))), nil
	}
	return l.reduced(n, row, how, "1")
}

// ofClass is a row's number of its own class.
func (l *lowering) ofClass(here, x *value) *value {
	return l.part(l.stat(sumOf, l.op("where", here, x, l.num(0))), 0)
}

// weighed is what a row counts for in a mean.
func (l *lowering) weighed(counts, weight, own *value) *value {
	if weight == nil {
		return counts
	}
	return l.op("where", counts, own, l.num(0))
}

// classWeight is the weight of each class, nil: there is none. Those of a tensor are taken to be positive, as those of
// all modules are: of others the mean may be of nothing.
func (l *lowering) classWeight(n *Node) (*value, error) {
	a, ok := n.option(2, "weight")
	if !ok {
		return nil, nil
	}
	if a.kind != 'r' || !same(l.shape(a.Ref), l.base[classAxis:classAxis+1]) {
		return nil, refusal(n, "its weight: expected a number of each class")
	}
	if l.nodes[a.Ref] == nil {
		l.spreads[a.Ref] = true
	}
	return l.build(a.Ref, l.places[classAxis:classAxis+1])
}

// smoothed mixes the loss of a row with that of all its classes alike.
func (l *lowering) smoothed(n *Node, row, x, logs, weight *value) (*value, error) {
	share, err := n.number(5, "label_smoothing", 0)
	if err != nil || share == 0 || logs == nil {
		return row, err
	}
	sum := func(v *value) *value { return l.part(l.stat(sumOf, v), 0) }
	classes := l.length(texts(l.base)[classAxis])
	every := l.op("sub", logs, l.op("div", sum(x), classes))
	if weight != nil {
		every = l.op("div", l.op("sub", l.op("mul", logs, sum(weight)), sum(l.op("mul", weight, x))), classes)
	}
	return l.op("add", l.op("mul", row, l.num(1-share)), l.op("mul", every, l.num(share))), nil
}

// classesOf says what classes are less than: those of an input of whole numbers, or of a view of one. Those that are
// counted are known.
func (l *lowering) classesOf(n *Node, a Arg, below string) error {
	for at := l.nodes[a.Ref]; at != nil; at = l.nodes[a.Ref] {
		if at.Op == "arange" {
			return nil
		}
		if l.viewing(at) == nil || len(at.Args) == 0 {
			break
		}
		a = at.Args[0]
	}
	return l.index(n, a, below)
}

// hot is 1 at the place of each class, and 0 elsewhere.
func hot(l *lowering, n *Node, at place) (*value, error) {
	last := len(n.Shape) - 1
	if len(n.Args) < 2 || n.Args[0].kind != 'r' || len(l.shape(n.Args[0].Ref)) != last {
		return nil, refusal(n, "expected indices and a number of classes")
	}
	if err := l.countable(n, last, at[last]); err != nil {
		return nil, err
	}
	if err := l.classesOf(n, n.Args[0], texts(n.Shape)[last]); err != nil {
		return nil, err
	}
	target, err := l.build(n.Args[0].Ref, at[:last])
	if err != nil {
		return nil, err
	}
	return l.op("eq", l.coordinateOf(at[last]), target), nil
}

func logSum(l *lowering, x *value) *value {
	s := l.stat(expSum, x)
	return l.op("add", l.part(s, 0), l.op("log", l.part(s, 1)))
}

// pairs are the arguments of a distance of rows, of one shape.
func (l *lowering) pairs(n *Node, count int) (x []*value, err error) {
	if err := l.sameFrame(n); err != nil {
		return nil, err
	}
	for i := range count {
		shape, err := l.shapeOf(n, i)
		if err != nil {
			return nil, err
		}
		if !same(shape, l.base) {
			return nil, refusal(n, "an argument of shape %v for one of %v", texts(shape), texts(l.base))
		}
		v, err := l.build(n.Args[i].Ref, l.places)
		if err != nil {
			return nil, err
		}
		x = append(x, v)
	}
	return x, nil
}

func frameLastAxis(l *lowering, n *Node) error {
	if len(l.base) < 1 {
		return refusal(n, "expected rows")
	}
	l.axesOf([]int{len(l.base) - 1})
	return nil
}

// distance is the length of the difference of two rows.
func (l *lowering) distance(n *Node, a, b *value, orderAt int) (*value, error) {
	order, err := n.number(orderAt, "p", 2)
	if err != nil {
		return nil, err
	}
	eps, err := n.number(orderAt+1, "eps", 1e-6)
	if err != nil {
		return nil, err
	}
	return normOf(l, n, l.op("add", l.op("sub", a, b), l.num(eps)), order)
}

func pairwise(l *lowering, n *Node, _ place) (*value, error) {
	x, err := l.pairs(n, 2)
	if err != nil {
		return nil, err
	}
	return l.distance(n, x[0], x[1], 2)
}

func triplet(l *lowering, n *Node, _ place) (*value, error) {
	x, err := l.pairs(n, 3)
	if err != nil {
		return nil, err
	}
	margin, err := n.number(3, "margin", 1)
	if err != nil {
		return nil, err
	}
	if swap, err := n.flag(6, "swap", false); err != nil || swap {
		return nil, refusal(n, "swap: expected false")
	}
	near, err := l.distance(n, x[0], x[1], 4)
	if err != nil {
		return nil, err
	}
	far, err := l.distance(n, x[0], x[2], 4)
	if err != nil {
		return nil, err
	}
	how, err := n.number(7, "reduction", 1)
	if err != nil {
		return nil, err
	}
	rows := product(texts(l.base)[:len(l.base)-1])
	return l.reduced(n, l.op("relu", l.op("add", l.op("sub", near, far), l.num(margin))), how, rows)
}

func cosine(l *lowering, n *Node, _ place) (*value, error) {
	x, err := l.pairs(n, 2)
	if err != nil {
		return nil, err
	}
	eps, err := n.number(3, "eps", 1e-8)
	if err != nil {
		return nil, err
	}
	length := func(v *value) *value {
		return l.op("maximum", l.op("sqrt", l.part(l.stat(sumOf, l.op("mul", v, v)), 0)), l.num(eps))
	}
	dot := l.part(l.stat(sumOf, l.op("mul", x[0], x[1])), 0)
	return l.op("div", dot, l.op("mul", length(x[0]), length(x[1]))), nil
}

// frameCosine makes the domain of a similarity: its axis is the third argument.
func frameCosine(l *lowering, n *Node) error {
	axis, err := n.number(2, "dim", 1)
	if axis < 0 {
		axis += float64(len(l.base))
	}
	if err != nil || axis != float64(int(axis)) || axis < 0 || int(axis) >= len(l.base) {
		return refusal(n, "an axis is no axis of %v", texts(l.base))
	}
	l.axesOf([]int{int(axis)})
	return nil
}
