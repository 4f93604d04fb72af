package export

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"darwarp/kernels/expr"
)

// pyText writes an expression over sizes, which are not negative, in Python; names that known has are replaced by their
// values.
func pyText(text string, known expr.Env) (code, error) {
	tree, err := expr.Parse(text)
	if err != nil {
		return "", err
	}
	return pyNode(tree, known)
}

// pyOps are the operators and functions that Python writes in another way.
var pyOps = map[string]code{"&&": "(%s and %s)", "||": "(%s or %s)", "and": "(%s and %s)", "or": "(%s or %s)",
	"div": "(%s // %s)", "mod": "(%s %% %s)", "/": "(%s // %s)", "%": "(%s %% %s)", "ceil_div": "(-(-%s // %s))",
	"round_up": "(-(-%[1]s // %[2]s) * %[2]s)", "!": "(not %s)", "not": "(not %s)"}

func pyNode(n ast.Node, known expr.Env) (code, error) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return code(strconv.Itoa(n.Value)), nil
	case *ast.BoolNode:
		return pyValue(n.Value), nil
	case *ast.StringNode:
		return pyValue(n.Value), nil
	case *ast.IdentifierNode:
		if v, ok := known[n.Value]; ok {
			return pyValue(v), nil
		}
		return list("", []string{n.Value})
	case *ast.MemberNode:
		v, err := deviceValue(n, known)
		return pyValue(v), err
	case *ast.UnaryNode:
		return pyCall(n.Operator, "("+n.Operator+"%s)", known, n.Node)
	case *ast.BinaryNode:
		return pyCall(n.Operator, "(%s "+n.Operator+" %s)", known, n.Left, n.Right)
	case *ast.ConditionalNode:
		return pyCall("", "(%[2]s if %[1]s else %[3]s)", known, n.Cond, n.Exp1, n.Exp2)
	case *ast.ArrayNode:
		return pyCall("", "("+strings.Repeat("%s, ", len(n.Nodes))+")", known, n.Nodes...)
	case *ast.CallNode:
		name := n.Callee.(*ast.IdentifierNode).Value
		return pyCall(name, name+"("+strings.Repeat("%s, ", len(n.Arguments))+")", known, n.Arguments...)
	}
	return "", fmt.Errorf("%T cannot be written in Python", n)
}

// pyCall fills in the form of an operator, or else a given one.
func pyCall(op, form string, known expr.Env, nodes ...ast.Node) (code, error) {
	if own, ok := pyOps[op]; ok {
		form = string(own)
	}
	parts := make([]any, len(nodes))
	for i, n := range nodes {
		s, err := pyNode(n, known)
		if err != nil {
			return "", err
		}
		parts[i] = s
	}
	return code(fmt.Sprintf(form, parts...)), nil
}

func pyValue(v any) code {
	switch v := v.(type) {
	case bool:
		return map[bool]code{true: "True", false: "False"}[v]
	case string:
		return code(pythonQuote(v))
	}
	return code(fmt.Sprint(v))
}
