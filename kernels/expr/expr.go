// Package expr is the language of rules and launch plans: one expression over genes, lets, dims and the device. All
// arithmetic is on integers, and "/" divides as integers do. What an expression may consist of is in grammar.go;
// docs/manual/problems.md is the manual. The parser and the machine are those of github.com/expr-lang/expr.
package expr

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	lang "github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"
)

// Expr is one compiled expression.
type Expr struct {
	Text    string
	program *vm.Program
	names   []string // the variables it reads, in order of first use
	kind    string   // of what it gives: int, bool or string
}

// Names lists the variables the expression reads; "device" stands for all of its fields.
func (e *Expr) Names() []string { return e.names }

// Kind is what the expression gives: "int", "bool" or "string".
func (e *Expr) Kind() string { return e.kind }

// Scope says which names an expression may use and of which kind they are: the value is an example (0, "", false,
// or, as "device", a struct whose fields have an `expr:"NAME"` tag).
type Scope map[string]any

// With returns the scope with more names in it.
func (s Scope) With(more Scope) Scope {
	out := Scope{}
	maps.Copy(out, s)
	maps.Copy(out, more)
	return out
}

// Env gives names their values: int, string, bool, and under "device" a struct of the scope's type.
type Env map[string]any

// maxLength bounds an expression: a user's file cannot make the parser work for ever.
const maxLength = 2000

// unexpectedRE is what the parser would take and a rule must not have. A comment would hide the end of a rule: comments
// belong around the expression.
var unexpectedRE = regexp.MustCompile(`//|/\*|[#;$]`)

// check refuses a text before it is parsed.
func check(text string) error {
	switch {
	case text == "":
		return &Error{text, -1, "empty: expected an expression, as 2 * m * n"}
	case len(text) > maxLength:
		return &Error{text[:40] + "...", -1, fmt.Sprintf("expression longer than %d characters", maxLength)}
	case !utf8.ValidString(text):
		return &Error{fmt.Sprintf("%+q", text), -1, "not valid UTF-8"}
	}
	if at := unexpectedRE.FindStringIndex(text); at != nil {
		return &Error{text, utf8.RuneCountInString(text[:at[0]]), fmt.Sprintf("unexpected %q", text[at[0]:at[1]])}
	}
	return nil
}

// CompileInt compiles an integer expression.
func CompileInt(text string, scope Scope) (*Expr, error) { return compile(text, scope, "int") }

// CompileBool compiles a condition.
func CompileBool(text string, scope Scope) (*Expr, error) { return compile(text, scope, "bool") }

// CompileAny compiles an expression that gives an integer, a truth value or a string.
func CompileAny(text string, scope Scope) (*Expr, error) {
	return compile(text, scope, "int", "bool", "string")
}

// compile compiles an expression that gives one of the wanted kinds.
func compile(text string, scope Scope, wanted ...string) (*Expr, error) {
	text = oneLine(text)
	if err := check(text); err != nil {
		return nil, err
	}
	opts := append([]lang.Option{
		lang.Env(map[string]any(scope)),
		lang.DisableAllBuiltins(),
		lang.Optimize(false), // the tree is checked and its names are read after compiling
		lang.MaxNodes(maxLength),
		lang.Patch(integerDivision{}),
	}, functions...)
	p, err := lang.Compile(text, opts...)
	if err != nil {
		return nil, newError(text, err, scope)
	}
	g := &grammar{scope: scope, text: text}
	root := p.Node()
	ast.Walk(&root, g)
	if g.refused != nil {
		return nil, g.refused
	}
	kind := kindOf(root)
	if !slices.Contains(wanted, kind) {
		return nil, &Error{text, -1, fmt.Sprintf("gives %s: expected %s", kindNames[kind], kindNames[wanted[0]])}
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

// Value evaluates an expression of any kind to an int, string or bool.
func (e *Expr) Value(env Env) (any, error) {
	out, err := lang.Run(e.program, map[string]any(env))
	if err != nil {
		return nil, newError(e.Text, err, nil)
	}
	return out, nil
}

// Machine evaluates expressions one after the other without a new machine for each. It is for one goroutine.
type Machine struct{ vm vm.VM }

// Value is Expr.Value.
func (m *Machine) Value(e *Expr, env Env) (any, error) {
	out, err := m.vm.Run(e.program, map[string]any(env))
	if err != nil {
		return nil, newError(e.Text, err, nil)
	}
	return out, nil
}

// Int evaluates an integer expression.
func (e *Expr) Int(env Env) (int, error) {
	v, err := e.Value(env)
	if err != nil {
		return 0, err
	}
	i, ok := v.(int)
	if !ok {
		return 0, &Error{e.Text, -1, fmt.Sprintf("gives %v, not an integer", v)}
	}
	return i, nil
}

// Bool evaluates a condition.
func (e *Expr) Bool(env Env) (bool, error) {
	v, err := e.Value(env)
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, &Error{e.Text, -1, fmt.Sprintf("gives %v, not true or false", v)}
	}
	return b, nil
}
