package kernels

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	kind    string   // of what it gives: int, bool or string
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
	Column  int    // in characters, 0-based; -1 unknown
	Message string
}

func (e *ExprError) Error() string {
	if e.Text == "" {
		return e.Message
	}
	if e.Column < 0 || e.Column > len(e.Text) {
		return fmt.Sprintf("%s\n    %s", e.Message, e.Text)
	}
	return fmt.Sprintf("%s\n    %s\n    %s^", e.Message, e.Text, strings.Repeat(" ", e.Column))
}

var deviceFieldRE = regexp.MustCompile(`^type kernels\.Device has no (?:field|method) (\w+)$`)

func exprError(text string, err error) error {
	var fe *file.Error
	if errors.As(err, &fe) {
		return &ExprError{text, fe.Column, deviceFieldRE.ReplaceAllString(strings.TrimSpace(fe.Message), "the device has no field $1: expected "+strings.Join(deviceFields(), ", "))}
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return &ExprError{text, -1, first}
}

// maxExprLength bounds an expression: a user's file cannot make the parser work for ever.
const maxExprLength = 2000

var strangerRE = regexp.MustCompile(`//|/\*|[#;$]`)

// compileExpr compiles an expression that gives one of the wanted kinds.
func compileExpr(text string, scope Scope, wanted ...string) (*Expr, error) {
	text = oneLine(text)
	switch {
	case text == "":
		return nil, &ExprError{text, -1, "empty expression"}
	case len(text) > maxExprLength:
		return nil, &ExprError{text[:40] + "...", -1, fmt.Sprintf("expression longer than %d characters", maxExprLength)}
	case !utf8.ValidString(text):
		return nil, &ExprError{fmt.Sprintf("%+q", text), -1, "not valid UTF-8"}
	}
	// A comment would hide the end of a rule: they belong around the expression.
	if at := strangerRE.FindStringIndex(text); at != nil {
		return nil, &ExprError{text, utf8.RuneCountInString(text[:at[0]]), fmt.Sprintf("unexpected %q", text[at[0]:at[1]])}
	}
	opts := append([]expr.Option{
		expr.Env(map[string]any(scope)),
		expr.DisableAllBuiltins(),
		expr.Optimize(false), // the tree is checked and its names are read after compiling
		expr.MaxNodes(maxExprLength),
		expr.Patch(integerDivision{}),
	}, functions...)
	p, err := expr.Compile(text, opts...)
	if err != nil {
		return nil, exprError(text, err)
	}
	g := &grammar{scope: scope, text: text}
	root := p.Node()
	ast.Walk(&root, g)
	if g.refused != nil {
		return nil, g.refused
	}
	kind := kindOf(root)
	if !slices.Contains(wanted, kind) {
		return nil, &ExprError{text, -1, fmt.Sprintf("gives %s: expected %s", kindNames[kind], kindNames[wanted[0]])}
	}
	return &Expr{Text: text, program: p, names: g.names, kind: kind}, nil
}

// oneLine lets a long rule be written over several lines, and keeps the caret below its place.
func oneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, text))
}

var kindNames = map[string]string{
	"int":    "an integer",
	"bool":   "true or false",
	"string": "a string",
	"":       "neither an integer, nor true or false, nor a string",
}

func kindOf(n ast.Node) string {
	if t := n.Type(); t != nil {
		switch t.Kind() {
		case reflect.Int:
			return "int"
		case reflect.Bool:
			return "bool"
		case reflect.String:
			return "string"
		}
	}
	return ""
}

// CompileInt compiles an integer expression.
func CompileInt(text string, scope Scope) (*Expr, error) { return compileExpr(text, scope, "int") }

// CompileBool compiles a condition.
func CompileBool(text string, scope Scope) (*Expr, error) { return compileExpr(text, scope, "bool") }

// CompileAny compiles an expression that gives an integer, a truth value or a string.
func CompileAny(text string, scope Scope) (*Expr, error) {
	return compileExpr(text, scope, "int", "bool", "string")
}

// Env gives names their values: int, string, bool, and Device under "device".
type Env map[string]any

// baseScope and baseEnv are what every expression of a family sees besides genes and lets.
func baseScope() Scope { return Scope{"device": Device{}, "elem": 0, "dtype": ""} }

func baseEnv(dev Device, t DType) Env {
	return Env{"device": dev, "elem": t.Size(), "dtype": string(t)}
}

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
