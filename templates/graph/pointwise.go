package graph

import (
	"math"
	"slices"
)

// special are operators of ATen whose arguments are not simply those of an operator of the table.
var special map[string]func(l *lowering, n *Node, at place) (*value, error)

func init() {
	special = map[string]func(l *lowering, n *Node, at place) (*value, error){
		"add": scaled("add"), "sub": scaled("sub"), "rsub": reversed,
		"div": division, "gelu": gelu, "leaky_relu": withDefaults("leaky_relu", 0.01),
		"elu": elu, "softplus": withDefaults("softplus", 1, 20), "hardtanh": withDefaults("clamp", -1, 1),
		"clamp": clamp, "clamp_min": clamp, "clamp_max": clamp,
		"relu6":      unary(func(l *lowering, a *value) *value { return l.op("clamp", a, l.num(0), l.num(6)) }),
		"reciprocal": unary(func(l *lowering, a *value) *value { return l.op("div", l.num(1), a) }),
		"square":     unary(func(l *lowering, a *value) *value { return l.op("mul", a, a) }),
		"where":      chosen(0, 1, 2), "masked_fill": chosen(1, 2, 0), "cat": joinedUp,
		"constant_pad_nd": padded, "pad": padded, "arange": counted,
		"embedding": chosenRows, "gather": gathered, "index_select": gathered, "index": indexedBy,
		"one_hot":    hot,
		"zeros_like": constant(0, -1), "zeros": constant(0, -1), "new_zeros": constant(0, -1),
		"ones_like": constant(1, -1), "ones": constant(1, -1), "new_ones": constant(1, -1),
		"full_like": constant(0, 1), "full": constant(0, 1), "scalar_tensor": constant(0, 0),
		"log_sigmoid": unary(func(l *lowering, a *value) *value {
			return l.op("neg", l.op("softplus", l.op("neg", a), l.num(1), l.num(80)))
		}),
	}
	for _, name := range slices.Concat(truthValues, steps) {
		special[name] = compared
	}
	for name := range lossTable {
		special[name+each] = loss
	}
	special["batch_norm"+each], special["instance_norm"+each] = moduleNorm, moduleNorm
}

// unary is a function of one tensor that is made of operators of the table.
func unary(f func(*lowering, *value) *value) func(*lowering, *Node, place) (*value, error) {
	return func(l *lowering, n *Node, at place) (*value, error) {
		a, err := l.arg(n, 0, at)
		if err != nil {
			return nil, err
		}
		return f(l, a), nil
	}
}

// pointwise applies a function of numbers.
func (l *lowering) pointwise(n *Node, at place) (*value, error) {
	if f := special[n.Op]; f != nil {
		return f(l, n, at)
	}
	op := byTorch[n.Op]
	if len(n.Args) != op.Args || len(n.Kwargs) > 0 {
		return nil, refusal(n, "expected %d arguments", op.Args)
	}
	return l.apply(op.Name, n, at, n.Args)
}

func (l *lowering) apply(name string, n *Node, at place, args []Arg) (*value, error) {
	list := make([]*value, len(args))
	for i, a := range args {
		v, err := l.operand(n, a, at)
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return l.op(name, list...), nil
}

// arg is the operand at an index.
func (l *lowering) arg(n *Node, i int, at place) (*value, error) {
	if i >= len(n.Args) {
		return nil, refusal(n, "argument %d is missing", i)
	}
	return l.operand(n, n.Args[i], at)
}

// option is an argument by its place or by its name; ok: it is there and not null.
func (n *Node) option(i int, name string) (Arg, bool) {
	a, ok := n.Kwargs[name]
	if !ok && i >= 0 && i < len(n.Args) {
		a, ok = n.Args[i], true
	}
	return a, ok && !(a.kind == 'v' && a.Value == nil)
}

// number is a plain number among the arguments, or what it is when it is not said.
func (n *Node) number(i int, name string, otherwise float64) (float64, error) {
	a, ok := n.option(i, name)
	if !ok {
		return otherwise, nil
	}
	v, ok := a.Value.(float64)
	if !ok {
		return 0, refusal(n, "%s is no plain number", name)
	}
	return v, nil
}

func (n *Node) flag(i int, name string, otherwise bool) (bool, error) {
	a, ok := n.option(i, name)
	if !ok {
		return otherwise, nil
	}
	v, ok := a.Value.(bool)
	if f, is := a.Value.(float64); is {
		return f != 0, nil
	}
	if !ok {
		return false, refusal(n, "%s is no truth value", name)
	}
	return v, nil
}

// scaled is a sum or difference whose second operand may have a factor.
func scaled(name string) func(*lowering, *Node, place) (*value, error) {
	return func(l *lowering, n *Node, at place) (*value, error) {
		return l.sum(name, n, at, 0, 1)
	}
}

func reversed(l *lowering, n *Node, at place) (*value, error) { return l.sum("sub", n, at, 1, 0) }

func (l *lowering) sum(name string, n *Node, at place, first, second int) (*value, error) {
	a, err := l.arg(n, first, at)
	if err != nil {
		return nil, err
	}
	b, err := l.arg(n, second, at)
	if err != nil {
		return nil, err
	}
	alpha, err := n.number(2, "alpha", 1)
	if err != nil {
		return nil, err
	}
	if alpha != 1 && first == 0 {
		b = l.op("mul", b, l.num(alpha))
	} else if alpha != 1 {
		return nil, refusal(n, "alpha is %g: expected 1", alpha)
	}
	return l.op(name, a, b), nil
}

func division(l *lowering, n *Node, at place) (*value, error) {
	if a, ok := n.option(2, "rounding_mode"); ok {
		return nil, refusal(n, "rounding_mode is %v: expected none", a.Value)
	}
	if len(n.Args) != 2 {
		return nil, refusal(n, "expected 2 arguments")
	}
	return l.apply("div", n, at, n.Args)
}

func gelu(l *lowering, n *Node, at place) (*value, error) {
	a, err := l.arg(n, 0, at)
	if err != nil {
		return nil, err
	}
	if how, ok := n.option(1, "approximate"); ok && how.Value == "tanh" {
		return l.op("gelu_tanh", a), nil
	} else if ok && how.Value != "none" {
		return nil, refusal(n, "approximate is %v: expected none or tanh", how.Value)
	}
	return l.op("gelu", a), nil
}

// withDefaults is a function of a tensor and of plain numbers that need not be said.
func withDefaults(name string, defaults ...float64) func(*lowering, *Node, place) (*value, error) {
	return func(l *lowering, n *Node, at place) (*value, error) {
		a, err := l.arg(n, 0, at)
		if err != nil {
			return nil, err
		}
		args := []*value{a}
		for i, d := range defaults {
			v, err := n.number(i+1, parameters[n.Op][i], d)
			if err != nil {
				return nil, err
			}
			args = append(args, l.num(v))
		}
		return l.op(name, args...), nil
	}
}

// parameters are the names of arguments that may be given by name.
var parameters = map[string][]string{
	"leaky_relu": {"negative_slope"}, "softplus": {"beta", "threshold"}, "hardtanh": {"min_val", "max_val"},
}

func elu(l *lowering, n *Node, at place) (*value, error) {
	for i, name := range []string{"scale", "input_scale"} {
		if v, err := n.number(i+2, name, 1); err != nil || v != 1 {
			return nil, refusal(n, "%s: expected 1", name)
		}
	}
	a, err := l.arg(n, 0, at)
	if err != nil {
		return nil, err
	}
	alpha, err := n.number(1, "alpha", 1)
	if err != nil {
		return nil, err
	}
	return l.op("elu", a, l.num(alpha)), nil
}

// clamp has bounds that are numbers, either of which may be missing.
func clamp(l *lowering, n *Node, at place) (*value, error) {
	a, err := l.arg(n, 0, at)
	if err != nil {
		return nil, err
	}
	lowAt, highAt := 1, 2
	switch n.Op {
	case "clamp_min":
		highAt = -1
	case "clamp_max":
		lowAt, highAt = -1, 1
	}
	low, err := n.number(lowAt, "min", math.Inf(-1))
	if err != nil {
		return nil, err
	}
	high, err := n.number(highAt, "max", math.Inf(1))
	if err != nil {
		return nil, err
	}
	return l.op("clamp", a, l.num(low), l.num(high)), nil
}
