package expr

import (
	lang "github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/parser"
)

// parse reads an expression without looking at its names. Its error is an *Error.
func parse(text string) (ast.Node, error) {
	text = oneLine(text)
	config := conf.CreateNew()
	lang.DisableAllBuiltins()(config) // min and max are functions of our own
	tree, err := parser.ParseWithConfig(text, config)
	if err != nil {
		return nil, newError(text, err, nil)
	}
	return tree.Node, nil
}

// Parse gives the syntax tree of an expression that CompileAny accepts, so that it can be written in another language:
// "/" and "%" are calls of div and mod in it. Its error is an *Error.
func Parse(text string) (ast.Node, error) {
	node, err := parse(text)
	if err != nil {
		return nil, err
	}
	ast.Walk(&node, integerDivision{})
	return node, nil
}

// Substitute writes the expression with the values of env in place of their names; other names stay. Its error is an
// *Error.
func Substitute(text string, env Env) (string, error) {
	node, err := parse(text)
	if err != nil {
		return "", err
	}
	ast.Walk(&node, substitution(env))
	return node.String(), nil
}

type substitution Env

// Visit puts a value in place of its name.
func (s substitution) Visit(node *ast.Node) {
	id, ok := (*node).(*ast.IdentifierNode)
	if !ok {
		return
	}
	switch v := s[id.Value].(type) {
	case int:
		ast.Patch(node, &ast.IntegerNode{Value: v})
	case bool:
		ast.Patch(node, &ast.BoolNode{Value: v})
	case string:
		ast.Patch(node, &ast.StringNode{Value: v})
	}
}
