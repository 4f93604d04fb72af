package restrict

// ternary is "a if c else b".
func (p *parser) ternary() (node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.errorf("nested too deeply")
	}
	defer func() { p.depth-- }()
	yes, err := p.or()
	if err != nil || p.take("if") == "" {
		return yes, err
	}
	cond, err := p.or()
	if err != nil {
		return nil, err
	}
	if err := p.want("else"); err != nil {
		return nil, err
	}
	no, err := p.ternary()
	return func(env map[string]any) (any, error) {
		c, err := cond(env)
		if err != nil {
			return nil, err
		}
		if truth(c) {
			return yes(env)
		}
		return no(env)
	}, err
}

func (p *parser) or() (node, error) { return p.logic("or", true, p.and) }

func (p *parser) and() (node, error) { return p.logic("and", false, p.not) }

// logic gives the first side whose truth is as stop says, else the last.
func (p *parser) logic(word string, stop bool, next func() (node, error)) (node, error) {
	left, err := next()
	for err == nil && p.take(word) != "" {
		a := left
		var b node
		b, err = next()
		left = func(env map[string]any) (any, error) {
			if v, err := a(env); err != nil || truth(v) == stop {
				return v, err
			}
			return b(env)
		}
	}
	return left, err
}

func (p *parser) not() (node, error) {
	n := 0
	for p.take("not") != "" {
		n++
	}
	a, err := p.comparison()
	if err != nil || n == 0 {
		return a, err
	}
	return func(env map[string]any) (any, error) {
		v, err := a(env)
		return truth(v) != (n%2 == 1), err
	}, nil
}

// comparison chains: a < b < c is a < b and b < c.
func (p *parser) comparison() (node, error) {
	first, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	var ops []string
	sides := []node{first}
	for {
		op, err := p.relation()
		if err != nil {
			return nil, err
		}
		if op == "" {
			break
		}
		side, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		ops, sides = append(ops, op), append(sides, side)
	}
	if len(ops) == 0 {
		return first, nil
	}
	return func(env map[string]any) (any, error) { return chained(ops, sides, env) }, nil
}

// relation is the operator of a comparison; empty: there is none.
func (p *parser) relation() (string, error) {
	op := p.take("<=", ">=", "==", "!=", "<", ">", "in", "not")
	if op != "not" {
		return op, nil
	}
	return "not in", p.want("in")
}

// chained says whether each of the operators holds between the sides beside it. As in Python, what is behind one that
// does not hold is not computed.
func chained(ops []string, sides []node, env map[string]any) (any, error) {
	a, err := sides[0](env)
	if err != nil {
		return nil, err
	}
	for i, op := range ops {
		b, err := sides[i+1](env)
		if err != nil {
			return nil, err
		}
		if ok, err := compare(op, a, b); err != nil || !ok {
			return false, err
		}
		a = b
	}
	return true, nil
}

var levels = [][]string{{"|"}, {"^"}, {"&"}, {"+", "-"}, {"*", "/", "//", "%"}}

func (p *parser) binary(level int) (node, error) {
	next := func() (node, error) {
		if level+1 < len(levels) {
			return p.binary(level + 1)
		}
		return p.sign()
	}
	left, err := next()
	for err == nil {
		op := p.take(levels[level]...)
		if op == "" {
			break
		}
		var right node
		right, err = next()
		left = binary(op, left, right)
	}
	return left, err
}

func (p *parser) sign() (node, error) {
	minus := 0
	for op := p.take("-", "+"); op != ""; op = p.take("-", "+") {
		if op == "-" {
			minus++
		}
	}
	a, err := p.power()
	if err != nil || minus%2 == 0 {
		return a, err
	}
	return func(env map[string]any) (any, error) {
		v, err := numberOf(a, env)
		return -v, err
	}, nil
}

// power binds to the right, and tighter than a sign before it.
func (p *parser) power() (node, error) {
	base, err := p.primary()
	if err != nil || p.take("**") == "" {
		return base, err
	}
	if p.depth++; p.depth > maxDepth {
		return nil, p.errorf("nested too deeply")
	}
	defer func() { p.depth-- }()
	exponent, err := p.sign()
	return binary("**", base, exponent), err
}
