package graph

import "strings"

// lossOf is a loss that is a function of two numbers or three of one place, added up or averaged over everything. The
// numbers are where its arguments have how to reduce, and a weight, which must not be there (-1: it has none).
type lossOf struct {
	inputs, reduction, weight int
	term                      func(l *lowering, n *Node, x []*value) (*value, error)
}

var lossTable = map[string]lossOf{
	"mse_loss":                         {2, 2, -1, squareLoss},
	"l1_loss":                          {2, 2, -1, distanceLoss},
	"smooth_l1_loss":                   {2, 2, -1, bentLoss},
	"huber_loss":                       {2, 2, -1, bentLoss},
	"kl_div":                           {2, 2, -1, klLoss},
	"binary_cross_entropy":             {2, 3, 2, entropyLoss},
	"binary_cross_entropy_with_logits": {2, 4, 2, logitsLoss},
	"soft_margin_loss":                 {2, 2, -1, softMarginLoss},
	"hinge_embedding_loss":             {2, 3, -1, hingeLoss},
	"margin_ranking_loss":              {3, 4, -1, rankingLoss},
}

// how is what a loss does with its terms: 0 nothing, 1 it averages them, 2 it adds them up.
func (n *Node) how() (float64, error) {
	return n.number(lossTable[strings.TrimSuffix(n.Op, each)].reduction, "reduction", 1)
}

// frameLoss makes the domain of a loss: all of it is summed, or nothing.
func frameLoss(l *lowering, n *Node) error {
	if _, err := n.how(); err != nil {
		return err
	}
	return frameAll(l, n)
}

// loss is a map of prediction and target, summed or averaged over everything, or as it is.
func loss(l *lowering, n *Node, at place) (*value, error) {
	entry := lossTable[strings.TrimSuffix(n.Op, each)]
	how, err := n.how()
	if err != nil {
		return nil, err
	}
	if _, ok := n.option(entry.weight, "weight"); ok {
		return nil, refusal(n, "a weight: expected none")
	}
	if how != 0 {
		at = l.places
	}
	var x []*value
	for i := range entry.inputs {
		shape, err := l.shapeOf(n, i)
		if err != nil {
			return nil, err
		}
		if !same(shape, l.shape(n.Args[0].Ref)) || how != 0 && !same(shape, l.base) {
			return nil, refusal(n, "an argument of shape %v for one of %v", texts(shape), texts(l.base))
		}
		v, err := l.build(n.Args[i].Ref, at)
		if err != nil {
			return nil, err
		}
		x = append(x, v)
	}
	term, err := entry.term(l, n, x)
	if err != nil || how == 0 {
		return term, err
	}
	return l.addedUp(n, term, how)
}

// addedUp is what is made of a number of each place: 1 the mean, 2 the sum.
func (l *lowering) addedUp(n *Node, term *value, how float64) (*value, error) {
	sum := l.part(l.stat(sumOf, term), 0)
	switch {
	case len(l.sort(false)) > 0:
		return l.reduced(n, sum, how, product(texts(l.base)))
	case how == 1:
		return l.op("div", sum, l.count()), nil
	case how == 2:
		return sum, nil
	}
	return nil, refusal(n, "reduction is %g: expected 0 (none), 1 (mean) or 2 (sum)", how)
}

func squareLoss(l *lowering, _ *Node, x []*value) (*value, error) {
	d := l.op("sub", x[0], x[1])
	return l.op("mul", d, d), nil
}

func distanceLoss(l *lowering, _ *Node, x []*value) (*value, error) {
	return l.op("abs", l.op("sub", x[0], x[1])), nil
}

// bentLoss is quadratic near 0.
func bentLoss(l *lowering, n *Node, x []*value) (*value, error) {
	bend, err := n.number(3, map[string]string{"smooth_l1_loss": "beta", "huber_loss": "delta"}[n.Op], 1)
	if err != nil {
		return nil, err
	}
	if bend <= 0 {
		return nil, refusal(n, "its bend is at %g: expected more than 0", bend)
	}
	v := l.op("smooth_l1", l.op("sub", x[0], x[1]), l.num(bend))
	if n.Op == "huber_loss" {
		v = l.op("mul", v, l.num(bend))
	}
	return v, nil
}

func klLoss(l *lowering, n *Node, x []*value) (*value, error) {
	logs, err := n.flag(3, "log_target", false)
	if err != nil {
		return nil, err
	}
	if logs {
		return l.op("mul", l.op("exp", x[1]), l.op("sub", x[1], x[0])), nil
	}
	return l.op("sub", l.op("xlogy", x[1], x[1]), l.op("mul", x[1], x[0])), nil
}

// entropyLoss has logarithms of -100 at least, as PyTorch has them.
func entropyLoss(l *lowering, _ *Node, x []*value) (*value, error) {
	log := func(v *value) *value { return l.op("maximum", l.op("log", v), l.num(-100)) }
	one := l.num(1)
	part := l.op("mul", l.op("sub", x[1], one), log(l.op("sub", one, x[0])))
	return l.op("sub", part, l.op("mul", x[1], log(x[0]))), nil
}

// logitsLoss is that of sigmoid(x): (1 - t) x + softplus(-x).
func logitsLoss(l *lowering, n *Node, x []*value) (*value, error) {
	if _, ok := n.option(3, "pos_weight"); ok {
		return nil, refusal(n, "pos_weight: expected none")
	}
	soft := l.op("softplus", l.op("neg", x[0]), l.num(1), l.num(80))
	return l.op("add", l.op("mul", l.op("sub", l.num(1), x[1]), x[0]), soft), nil
}

func softMarginLoss(l *lowering, _ *Node, x []*value) (*value, error) {
	return l.op("softplus", l.op("neg", l.op("mul", x[0], x[1])), l.num(1), l.num(80)), nil
}

func hingeLoss(l *lowering, n *Node, x []*value) (*value, error) {
	margin, err := n.number(2, "margin", 1)
	if err != nil {
		return nil, err
	}
	if !exactValue(x[1]) {
		return nil, refusal(n, "its target is computed: expected a tensor")
	}
	apart := l.op("relu", l.op("sub", l.num(margin), x[0]))
	return l.op("add", l.op("where", l.op("ne", x[1], l.num(1)), apart, l.num(0)),
		l.op("where", l.op("ne", x[1], l.num(-1)), x[0], l.num(0))), nil
}

func rankingLoss(l *lowering, n *Node, x []*value) (*value, error) {
	margin, err := n.number(3, "margin", 0)
	if err != nil {
		return nil, err
	}
	return l.op("relu", l.op("sub", l.num(margin), l.op("mul", x[2], l.op("sub", x[0], x[1])))), nil
}
