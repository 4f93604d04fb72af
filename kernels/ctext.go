package kernels

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// CText writes the expression in C++, with the names that known has replaced by their values; the others,
// the dims, are members of d. Integers are long long; div, mod, ceil_div, round_up, and abs are functions
// of two or one of them, least and most fold any number.
func (e *Expr) CText(known Env) (string, error) {
	return ctext(e.program.Node(), known)
}

// cNames are the functions of expressions whose names C++ has taken.
var cNames = map[string]string{"min": "least", "max": "most"}

func ctext(n ast.Node, known Env) (string, error) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return literal(n.Value)
	case *ast.BoolNode:
		return literal(n.Value)
	case *ast.StringNode:
		return literal(n.Value)
	case *ast.IdentifierNode:
		if v, ok := known[n.Value]; ok {
			return literal(v)
		}
		return "d." + n.Value, nil
	case *ast.MemberNode:
		return deviceText(n, known)
	case *ast.UnaryNode:
		op := map[string]string{"not": "!"}[n.Operator]
		if op == "" {
			op = n.Operator
		}
		return format("("+op+"%s)", known, n.Node)
	case *ast.ConditionalNode:
		return format("(%s ? %s : %s)", known, n.Cond, n.Exp1, n.Exp2)
	case *ast.CallNode:
		return callText(n, known)
	case *ast.BinaryNode:
		return binaryText(n, known)
	}
	return "", fmt.Errorf("%T cannot be written in C++", n)
}

// format fills in the texts of nodes.
func format(text string, known Env, nodes ...ast.Node) (string, error) {
	parts := make([]any, len(nodes))
	for i, n := range nodes {
		s, err := ctext(n, known)
		if err != nil {
			return "", err
		}
		parts[i] = s
	}
	return fmt.Sprintf(text, parts...), nil
}

func literal(v any) (string, error) {
	switch v := v.(type) {
	case int:
		return fmt.Sprintf("%dLL", v), nil
	case bool:
		return strconv.FormatBool(v), nil
	case string:
		return fmt.Sprintf("std::string_view(%q)", v), nil
	}
	return "", fmt.Errorf("%T has no literal in C++", v)
}

// deviceText is a field of the device, which is known.
func deviceText(n *ast.MemberNode, known Env) (string, error) {
	dev, ok := known["device"].(Device)
	field, isName := n.Property.(*ast.StringNode)
	if !ok || !isName {
		return "", fmt.Errorf("the device is not known")
	}
	v := reflect.ValueOf(dev)
	for f := range v.Type().Fields() {
		if f.Tag.Get("expr") == field.Value || f.Name == field.Value {
			return literal(v.FieldByIndex(f.Index).Interface())
		}
	}
	return "", fmt.Errorf("the device has no field %s", field.Value)
}

func callText(n *ast.CallNode, known Env) (string, error) {
	name := n.Callee.(*ast.IdentifierNode).Value
	if c := cNames[name]; c != "" {
		name = c
	}
	text := name + "(" + strings.TrimSuffix(strings.Repeat("%s, ", len(n.Arguments)), ", ") + ")"
	if name == "least" || name == "most" {
		text = name + "({" + strings.TrimSuffix(strings.Repeat("%s, ", len(n.Arguments)), ", ") + "})"
	}
	return format(text, known, n.Arguments...)
}

func binaryText(n *ast.BinaryNode, known Env) (string, error) {
	list, ok := n.Right.(*ast.ArrayNode)
	if !ok {
		op := map[string]string{"and": "&&", "or": "||"}[n.Operator]
		if op == "" {
			op = n.Operator
		}
		return format("(%s "+op+" %s)", known, n.Left, n.Right)
	}
	text, nodes := []string{"false"}, []ast.Node{}
	for _, x := range list.Nodes {
		text, nodes = append(text, "%s == %s"), append(nodes, n.Left, x)
	}
	return format("("+strings.Join(text, " || ")+")", known, nodes...)
}

// CPlan is a launch plan as C++ texts over the dims, in the order of the plan.
type CPlan struct {
	Scratch  []CScratch
	Launches []CLaunch
}

// CScratch is a scratch buffer with its bytes as a text.
type CScratch struct {
	ScratchSpec
	Bytes string
}

// CLaunch is a launch with its numbers as texts; When is empty where it is always done.
type CLaunch struct {
	Entry                string
	When, Smem           string
	Grid, Block, Cluster [3]string
	Maps                 []CTensorMap
	Args                 []CArg
	Window               []string // first and last of the tensors that L2 is asked to keep; nil: none
	WindowWhen           string   // where it is asked; empty: always
}

// CTensorMap is a tensor map with its numbers as texts, the box's innermost dimension last.
type CTensorMap struct {
	Name, Tensor string
	Box          []string
	Swizzle      string
}

// CArg is a buffer's name, a tensor map's name, or a number as a text.
type CArg struct{ Buffer, Map, Value string }

// CText writes the plan in C++ with the names that known has replaced by their values.
func (p *Plan) CText(known Env) (c CPlan, err error) {
	text := func(e *Expr, none string) string {
		if e == nil {
			return none
		}
		s, fault := e.CText(known)
		if fault != nil && err == nil {
			err = fmt.Errorf("%s: %w", e.Text, fault)
		}
		return s
	}
	three := func(es []*Expr) (out [3]string) {
		for i := range out {
			out[i] = "1LL"
			if i < len(es) {
				out[i] = text(es[i], "1LL")
			}
		}
		return out
	}
	for i, e := range p.scratch {
		c.Scratch = append(c.Scratch, CScratch{p.Spec.Scratch[i], text(e, "0LL")})
	}
	for i, l := range p.launches {
		when, never := text(l.when, ""), false
		if on, fault := l.settled(known); fault == nil {
			when, never = "", !on
		}
		if never {
			continue
		}
		out := CLaunch{Entry: p.Spec.Launches[i].Entry, When: when, Smem: text(l.smem, "0LL"), Grid: three(l.grid), Block: three(l.block), Cluster: three(l.cluster)}
		if w := p.Spec.Launches[i].L2Window; w != nil {
			out.Window, out.WindowWhen = []string{w.Tensors[0], w.Tensors[len(w.Tensors)-1]}, text(l.window, "")
		}
		for j, m := range l.maps {
			out.Maps = append(out.Maps, m.ctext(p.Spec.Launches[i].TensorMaps[j], text))
		}
		for _, a := range l.args {
			out.Args = append(out.Args, a.ctext(text))
		}
		c.Launches = append(c.Launches, out)
	}
	return c, err
}

func (m mapExprs) ctext(spec TensorMapSpec, text func(*Expr, string) string) CTensorMap {
	out := CTensorMap{Name: spec.Name, Tensor: spec.Tensor, Swizzle: text(m.swizzle, "0LL")}
	for _, e := range m.box {
		out.Box = append(out.Box, text(e, "1LL"))
	}
	return out
}

func (a argExpr) ctext(text func(*Expr, string) string) CArg {
	switch a.kind {
	case "i32":
		return CArg{Value: text(a.value, "0LL")}
	case "tensor_map":
		return CArg{Map: a.name}
	}
	return CArg{Buffer: a.name}
}

// settled reports whether a launch is done, where no dim decides that.
func (l launchExprs) settled(known Env) (bool, error) {
	if l.when == nil {
		return true, nil
	}
	for _, name := range l.when.Names() {
		if _, ok := known[name]; !ok {
			return false, fmt.Errorf("%s is not known", name)
		}
	}
	return l.when.Bool(known)
}
