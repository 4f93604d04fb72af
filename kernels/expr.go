package kernels

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"
)

// Expr is one compiled expression over genes, lets, dims and the device.
// All arithmetic is on integers; "/" divides as integers do.
type Expr struct {
	Text    string
	program *vm.Program
	names   []string // the variables it reads, in order of first use
	isBool  bool     // gives true or false
}

// Names lists the variables the expression reads; "device" stands for all of its fields.
func (e *Expr) Names() []string { return e.names }

// Scope says which names an expression may use and of which kind they are: the value is an example
// (0, "", false, or Device{}).
type Scope map[string]any

// With returns the scope with more names in it.
func (s Scope) With(more Scope) Scope {
	out := Scope{}
	for k, v := range s {
		out[k] = v
	}
	for k, v := range more {
		out[k] = v
	}
	return out
}

// ExprError is a mistake in an expression, or a failure to evaluate one. Its text has the
// expression and a caret on lines of their own.
type ExprError struct {
	Text    string // the expression
	Column  int    // 0-based, -1 unknown
	Message string
}

func (e *ExprError) Error() string {
	if e.Column < 0 || e.Column > len(e.Text) {
		return fmt.Sprintf("%s\n    %s", e.Message, e.Text)
	}
	return fmt.Sprintf("%s\n    %s\n    %s^", e.Message, e.Text, strings.Repeat(" ", e.Column))
}

func exprError(text string, err error) error {
	var fe *file.Error
	if errors.As(err, &fe) {
		return &ExprError{text, fe.Column, fe.Message}
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return &ExprError{text, -1, first}
}

var errDivideByZero = errors.New("division by zero")

func divide(a, b int) (int, error) {
	if b == 0 {
		return 0, errDivideByZero
	}
	return a / b, nil
}

// functions are what expressions may call besides min, max and abs.
var functions = []expr.Option{
	expr.Function("div", func(p ...any) (any, error) { return divide(p[0].(int), p[1].(int)) }, new(func(int, int) int)),
	expr.Function("mod", func(p ...any) (any, error) {
		if p[1].(int) == 0 {
			return 0, errDivideByZero
		}
		return p[0].(int) % p[1].(int), nil
	}, new(func(int, int) int)),
	expr.Function("ceil_div", func(p ...any) (any, error) { return divide(p[0].(int)+p[1].(int)-1, p[1].(int)) }, new(func(int, int) int)),
	expr.Function("round_up", func(p ...any) (any, error) {
		q, err := divide(p[0].(int)+p[1].(int)-1, p[1].(int))
		return q * p[1].(int), err
	}, new(func(int, int) int)),
}

// integerDivision turns "/" and "%" into calls, so that 7/2 is 3 and a zero divisor is an error.
type integerDivision struct{}

func (integerDivision) Visit(n *ast.Node) {
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

// nameCollector gathers the variables that an expression reads.
type nameCollector struct {
	scope Scope
	seen  map[string]bool
	names []string
}

func (c *nameCollector) Visit(n *ast.Node) {
	id, ok := (*n).(*ast.IdentifierNode)
	if !ok || c.seen[id.Value] {
		return
	}
	if _, ok := c.scope[id.Value]; ok {
		c.seen[id.Value] = true
		c.names = append(c.names, id.Value)
	}
}

// maxExprLength bounds an expression: a user's file cannot make the parser work for ever.
const maxExprLength = 2000

func compileExpr(text string, scope Scope, kind expr.Option) (*Expr, error) {
	if strings.TrimSpace(text) == "" {
		return nil, &ExprError{text, -1, "empty expression"}
	}
	if len(text) > maxExprLength {
		return nil, &ExprError{text[:40] + "...", -1, fmt.Sprintf("expression longer than %d characters", maxExprLength)}
	}
	names := &nameCollector{scope: scope, seen: map[string]bool{}}
	opts := append([]expr.Option{expr.Env(map[string]any(scope)), expr.Patch(integerDivision{}), expr.Patch(names)}, functions...)
	if kind != nil {
		opts = append(opts, kind)
	}
	p, err := expr.Compile(text, opts...)
	if err != nil {
		return nil, exprError(text, err)
	}
	return &Expr{Text: text, program: p, names: names.names, isBool: isBool(p)}, nil
}

func isBool(p *vm.Program) bool {
	t := p.Node().Type()
	return t != nil && t.Kind() == reflect.Bool
}

// CompileInt compiles an integer expression.
func CompileInt(text string, scope Scope) (*Expr, error) {
	return compileExpr(text, scope, expr.AsInt())
}

// CompileBool compiles a condition.
func CompileBool(text string, scope Scope) (*Expr, error) {
	return compileExpr(text, scope, expr.AsBool())
}

// CompileAny compiles an expression of any kind.
func CompileAny(text string, scope Scope) (*Expr, error) { return compileExpr(text, scope, nil) }

// Env gives names their values: int, string, bool, and Device under "device".
type Env map[string]any

func (e *Expr) eval(env Env) (any, error) {
	out, err := expr.Run(e.program, map[string]any(env))
	if err != nil {
		return nil, exprError(e.Text, err)
	}
	return out, nil
}

// Int evaluates an integer expression.
func (e *Expr) Int(env Env) (int, error) {
	v, err := e.eval(env)
	if err != nil {
		return 0, err
	}
	i, ok := v.(int)
	if !ok {
		return 0, &ExprError{e.Text, -1, fmt.Sprintf("gives %v, not an integer", v)}
	}
	return i, nil
}

// Bool evaluates a condition.
func (e *Expr) Bool(env Env) (bool, error) {
	v, err := e.eval(env)
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, &ExprError{e.Text, -1, fmt.Sprintf("gives %v, not true or false", v)}
	}
	return b, nil
}

// Value evaluates an expression of any kind to an int, string or bool.
func (e *Expr) Value(env Env) (any, error) { return e.eval(env) }
