package expr

import "github.com/expr-lang/expr/ast"

// maxClauses bounds the clauses of a condition: distributing "or" over "and" can multiply them.
const maxClauses = 64

// Clauses splits a condition into conditions that must all hold, each of which reads fewer names:
//
//	a || b && c  into  a || b  and  a || c
//
// An enumeration refuses a point by the first of them that its genes decide, most often long before all of the
// condition is decided. They refuse nothing that the condition allows. But what stands before a clause may have guarded
// it, as in b > 0 && a % b == 0: where it cannot be evaluated it says nothing. Nil: there is nothing to split.
func Clauses(text string, scope Scope) []*Expr {
	tree, err := parse(text)
	if err != nil {
		return nil
	}
	nodes := conjuncts(tree)
	if len(nodes) < 2 || len(nodes) > maxClauses {
		return nil
	}
	var out []*Expr
	for _, n := range nodes {
		if e, err := CompileBool(n.String(), scope); err == nil {
			out = append(out, e)
		}
	}
	return out
}

func conjuncts(n ast.Node) []ast.Node {
	b, ok := n.(*ast.BinaryNode)
	if !ok || b.Operator != "&&" && b.Operator != "||" && b.Operator != "and" && b.Operator != "or" {
		return []ast.Node{n}
	}
	left, right := conjuncts(b.Left), conjuncts(b.Right)
	if b.Operator == "&&" || b.Operator == "and" {
		return append(left, right...)
	}
	if len(left)*len(right) > maxClauses {
		return []ast.Node{n}
	}
	var out []ast.Node
	for _, l := range left {
		for _, r := range right {
			out = append(out, &ast.BinaryNode{Operator: "||", Left: l, Right: r})
		}
	}
	return out
}
