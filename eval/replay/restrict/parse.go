// Package restrict reads conditions on parameters as Kernel Tuner, pyATF and T1 files write them, and
// lists the configurations that meet them.
package restrict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"darwarp/kernels/expr"
)

// Expr is an expression of Python over parameters. It means what it means there: comparisons chain, /
// gives a fraction, // and % round towards minus infinity, and and or give one of their sides.
type Expr struct {
	Text  string
	names []string
	eval  node
}

// node computes a float64, string, bool, nil or []any from the parameters' values.
type node func(env map[string]any) (any, error)

// maxLength bounds an expression in bytes: a file from elsewhere cannot make the parser work for ever.
const maxLength = 10_000

// Parse reads an expression over the named parameters. Its error is a *expr.Error.
func Parse(text string, names []string) (*Expr, error) {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxLength {
		return nil, &expr.Error{Text: text[:40] + "...", Column: -1,
			Message: fmt.Sprintf("expression longer than %d characters", maxLength)}
	}
	if !utf8.ValidString(text) {
		return nil, &expr.Error{Text: fmt.Sprintf("%+.40q", text), Column: -1, Message: "not valid UTF-8"}
	}
	p := &parser{text: text, known: names}
	if err := p.scan(); err != nil {
		return nil, err
	}
	n, err := p.ternary()
	if err == nil && p.token().text != "" {
		err = p.errorf("unexpected %q", p.token().text)
	}
	if err != nil {
		return nil, err
	}
	return &Expr{Text: text, names: p.used, eval: n}, nil
}

// Names lists the parameters that the expression reads, in the order of first use.
func (e *Expr) Names() []string { return e.names }

// Value evaluates the expression to a float64, string, bool, nil or []any. Parameters are float64,
// int, string, bool or nil. What raises an exception in Python is an error.
func (e *Expr) Value(params map[string]any) (any, error) {
	v, err := e.eval(params)
	if err != nil {
		return nil, &expr.Error{Text: e.Text, Column: -1, Message: err.Error()}
	}
	return v, nil
}

// Holds reports whether the expression is true as Python has it: not zero, not empty.
func (e *Expr) Holds(params map[string]any) (bool, error) {
	v, err := e.Value(params)
	return truth(v), err
}

// take consumes the next token when it is one of these operators or words.
func (p *parser) take(any ...string) string {
	if t := p.token(); (t.kind == 'o' || t.kind == 'i') && slices.Contains(any, t.text) {
		p.tokens = p.tokens[1:]
		return t.text
	}
	return ""
}

func (p *parser) want(op string) error {
	if p.take(op) == "" {
		return p.errorf("expected %q", op)
	}
	return nil
}

func binary(op string, left, right node) node {
	return func(env map[string]any) (any, error) {
		a, err := numberOf(left, env)
		if err != nil {
			return nil, err
		}
		b, err := numberOf(right, env)
		if err != nil {
			return nil, err
		}
		return arithmetic(op, a, b)
	}
}

func (p *parser) primary() (node, error) {
	t := p.token()
	switch {
	case t.kind == 'n':
		p.tokens = p.tokens[1:]
		v, err := strconv.ParseFloat(strings.ReplaceAll(t.text, "_", ""), 64)
		if i, e := strconv.ParseInt(t.text, 0, 53); e == nil {
			v, err = float64(i), nil
		}
		if err != nil {
			return nil, &expr.Error{Text: p.text, Column: t.at, Message: fmt.Sprintf("%s is not a number", t.text)}
		}
		return constant(v), nil
	case t.kind == 's':
		p.tokens = p.tokens[1:]
		return constant(t.text[1 : len(t.text)-1]), nil
	case p.take("(") != "":
		return p.list(")")
	case p.take("[") != "":
		return p.list("]")
	case t.kind == 'i':
		p.tokens = p.tokens[1:]
		return p.name(t)
	}
	return nil, p.errorf("expected a number, a name or a bracket, found %q", t.text)
}

func constant(v any) node { return func(map[string]any) (any, error) { return v, nil } }

// list reads up to the closing bracket: one value in parentheses is that value.
func (p *parser) list(end string) (node, error) {
	items, comma, err := p.items(end)
	if err != nil {
		return nil, err
	}
	if end == ")" && len(items) == 1 && !comma {
		return items[0], nil
	}
	return func(env map[string]any) (any, error) { return all(items, env) }, nil
}

func (p *parser) items(end string) (items []node, comma bool, err error) {
	for p.take(end) == "" {
		item, err := p.ternary()
		if err != nil {
			return nil, comma, err
		}
		items = append(items, item)
		if p.take(",") != "" {
			comma = true
			continue
		}
		if err := p.want(end); err != nil {
			return nil, comma, err
		}
		break
	}
	return items, comma, nil
}

func all(items []node, env map[string]any) ([]any, error) {
	out := make([]any, len(items))
	for i, item := range items {
		v, err := item(env)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// name is a parameter, a constant or a call of one of functions.
func (p *parser) name(t token) (node, error) {
	at := slices.Index(p.known, t.text)
	switch t.text {
	case "True", "False":
		return constant(t.text == "True"), nil
	case "None":
		return constant(nil), nil
	}
	if fn := functions[t.text]; fn != nil && at < 0 {
		if err := p.want("("); err != nil {
			return nil, err
		}
		args, _, err := p.items(")")
		return func(env map[string]any) (any, error) {
			v, err := all(args, env)
			if err != nil {
				return nil, err
			}
			return fn(v)
		}, err
	}
	if at < 0 {
		return nil, &expr.Error{Text: p.text, Column: t.at,
			Message: fmt.Sprintf("unknown name %s: expected a parameter, or one of the functions abs, all, any, ceil, floor, "+
				"int, len, max, min, round, sum", t.text)}
	}
	if !slices.Contains(p.used, t.text) {
		p.used = append(p.used, t.text)
	}
	return func(env map[string]any) (any, error) {
		v, ok := env[t.text]
		if i, isInt := v.(int); isInt {
			return float64(i), nil
		}
		if !ok {
			return nil, fmt.Errorf("%s has no value", t.text)
		}
		return v, nil
	}, nil
}
