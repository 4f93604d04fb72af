package export

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"darwarp/kernels"
	"darwarp/kernels/expr"
)

// ctext writes an expression in C++, with the names that known has replaced by their values; the others, the dims, are
// members of d. Integers are long long; div, mod, ceil_div, round_up, and abs are functions of two or one of them,
// least and most fold any number: dispatch.h.tmpl has them.
func ctext(text string, known expr.Env) (code, error) {
	tree, err := expr.Parse(text)
	if err != nil {
		return "", err
	}
	return nodeText(tree, known)
}

// cNames are the functions of expressions whose names C++ has taken.
var cNames = map[string]string{"min": "least", "max": "most"}

func nodeText(n ast.Node, known expr.Env) (code, error) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return constant(n.Value)
	case *ast.BoolNode:
		return constant(n.Value)
	case *ast.StringNode:
		return constant(n.Value)
	case *ast.IdentifierNode:
		if v, ok := known[n.Value]; ok {
			return constant(v)
		}
		if !namesRE.MatchString(n.Value) {
			return "", fmt.Errorf("%q cannot be a name in C++", n.Value)
		}
		return code("d." + n.Value), nil
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
func format(text string, known expr.Env, nodes ...ast.Node) (code, error) {
	parts := make([]any, len(nodes))
	for i, n := range nodes {
		s, err := nodeText(n, known)
		if err != nil {
			return "", err
		}
		parts[i] = s
	}
	return code(fmt.Sprintf(text, parts...)), nil
}

func constant(v any) (code, error) {
	switch v := v.(type) {
	case int:
		return code(fmt.Sprintf("%dLL", v)), nil
	case bool:
		return code(strconv.FormatBool(v)), nil
	case string:
		return code("std::string_view(" + cxxQuote(v) + ")"), nil
	}
	return "", fmt.Errorf("%T has no literal in C++", v)
}

// deviceText is a field of the device, which is known.
func deviceText(n *ast.MemberNode, known expr.Env) (code, error) {
	v, err := deviceValue(n, known)
	if err != nil {
		return "", err
	}
	return constant(v)
}

func deviceValue(n *ast.MemberNode, known expr.Env) (any, error) {
	dev, ok := known["device"].(kernels.Device)
	field, isName := n.Property.(*ast.StringNode)
	if !ok || !isName {
		return nil, fmt.Errorf("the device is not known")
	}
	v := reflect.ValueOf(dev)
	for f := range v.Type().Fields() {
		if f.Tag.Get("expr") == field.Value || f.Name == field.Value {
			return v.FieldByIndex(f.Index).Interface(), nil
		}
	}
	return nil, fmt.Errorf("the device has no field %s", field.Value)
}

func callText(n *ast.CallNode, known expr.Env) (code, error) {
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

func binaryText(n *ast.BinaryNode, known expr.Env) (code, error) {
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
