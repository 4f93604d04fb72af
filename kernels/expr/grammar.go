package expr

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	lang "github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
)

var errDivideByZero = errors.New("division by zero")

func divide(a, b int) (int, error) {
	if b == 0 {
		return 0, errDivideByZero
	}
	return a / b, nil
}

func ceilDiv(a, b int) (int, error) {
	q, err := divide(a, b)
	if err == nil && a%b != 0 && (a > 0) == (b > 0) {
		q++
	}
	return q, err
}

// functions are all that expressions may call. They are integer functions of integers: the
// language's own builtins (ranges, map, repeat ...) could take any amount of time and memory.
var functions = []lang.Option{
	binary("div", divide), // what "/" and "%" become
	binary("mod", func(a, b int) (int, error) {
		q, err := divide(a, b)
		return a - q*b, err
	}),
	binary("ceil_div", ceilDiv),
	binary("round_up", func(a, b int) (int, error) {
		q, err := ceilDiv(a, b)
		return q * b, err
	}),
	fold("min", func(a, b int) int { return min(a, b) }),
	fold("max", func(a, b int) int { return max(a, b) }),
	lang.Function("abs", func(p ...any) (any, error) { return max(p[0].(int), -p[0].(int)), nil }, new(func(int) int)),
}

func binary(name string, f func(a, b int) (int, error)) lang.Option {
	return lang.Function(name, func(p ...any) (any, error) { return f(p[0].(int), p[1].(int)) }, new(func(int, int) int))
}

func fold(name string, f func(a, b int) int) lang.Option {
	return lang.Function(name, func(p ...any) (any, error) {
		out := p[0].(int)
		for _, x := range p[1:] {
			out = f(out, x.(int))
		}
		return out, nil
	}, new(func(int, ...int) int))
}

var (
	functionNames = []string{"div", "mod", "ceil_div", "round_up", "min", "max", "abs"}
	keywords      = []string{"true", "false", "nil", "and", "or", "not", "in", "let", "if", "else",
		"contains", "startsWith", "endsWith", "matches"}

	// Reserved are the words that may not name a gene, a let or a dimension.
	Reserved = slices.Concat(functionNames, keywords)
)

// integerDivision turns "/" and "%" into calls, so that 7/2 is 3 and a zero divisor is an error.
type integerDivision struct{}

func (integerDivision) Visit(n *ast.Node) {
	// the checker does not look again at a call whose type it knows, nor at its arguments
	if c, ok := (*n).(*ast.CallNode); ok {
		c.SetType(reflect.TypeFor[any]())
	}
	b, ok := (*n).(*ast.BinaryNode)
	if !ok {
		return
	}
	if name := map[string]string{"/": "div", "%": "mod"}[b.Operator]; name != "" {
		call := &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: []ast.Node{b.Left, b.Right}}
		call.SetLocation(b.Location())
		ast.Patch(n, call)
	}
}

// operators are those that expressions may use; "in" takes a list on its right.
var operators = map[string]bool{
	"+": true, "-": true, "*": true, "/": true, "%": true,
	"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true,
	"&&": true, "||": true, "and": true, "or": true, "!": true, "not": true, "in": true,
}

// grammar gathers the variables that a compiled expression reads, and the first thing in it that is
// not part of the language of rules: integers, truth values, names and words, no more.
type grammar struct {
	scope   Scope
	text    string
	names   []string
	refused *Error
}

func (g *grammar) refuse(n ast.Node, format string, args ...any) {
	if g.refused == nil {
		g.refused = &Error{g.text, n.Location().From, fmt.Sprintf(format, args...)}
	}
}

// Visit implements ast.Visitor; children come first.
func (g *grammar) Visit(p *ast.Node) {
	switch n := (*p).(type) {
	case *ast.IntegerNode, *ast.BoolNode, *ast.StringNode, *ast.ConditionalNode, *ast.ArrayNode:
	case *ast.CallNode:
		g.call(n)
	case *ast.IdentifierNode:
		g.name(n)
	case *ast.MemberNode:
		if id, ok := n.Node.(*ast.IdentifierNode); !ok || id.Value != "device" || n.Optional {
			g.refuse(n, "only the device has fields, as in device.sms")
		}
	case *ast.FloatNode:
		g.refuse(n, "%v is not an integer: all arithmetic is on integers", n.Value)
	case *ast.UnaryNode:
		g.operator(n, n.Operator)
	case *ast.BinaryNode:
		g.operator(n, n.Operator)
		g.binary(n)
	default:
		g.refuse(n, "not usable here: an expression has integers, names, words, comparisons, arithmetic and a ? b : c")
	}
}

func (g *grammar) call(n *ast.CallNode) {
	if _, ok := n.Callee.(*ast.IdentifierNode); !ok {
		g.refuse(n, "not a function: expected one of %s", strings.Join(functionNames[2:], ", "))
	}
	for _, a := range n.Arguments {
		if kindOf(a) != "int" {
			g.refuse(a, "not an integer")
		}
	}
}

func (g *grammar) name(n *ast.IdentifierNode) {
	if _, ok := g.scope[n.Value]; !ok {
		if !slices.Contains(functionNames, n.Value) {
			g.refuse(n, "unknown name %s", n.Value) // the compiler overlooks those in arguments of functions
		}
		return
	}
	if !slices.Contains(g.names, n.Value) {
		g.names = append(g.names, n.Value)
	}
}

func (g *grammar) operator(n ast.Node, op string) {
	if !operators[op] {
		g.refuse(n, "operator %s is not available", op)
	}
}

func (g *grammar) binary(n *ast.BinaryNode) {
	_, isList := n.Right.(*ast.ArrayNode)
	switch {
	case n.Operator == "in" && !isList:
		g.refuse(n, "in needs a list on its right, as in x in [1, 2, 4]")
	case n.Operator == "+" && kindOf(n) == "string":
		g.refuse(n, "strings cannot be joined")
	case n.Operator != "in" && isList:
		g.refuse(n, "a list is only usable on the right of in")
	}
}
