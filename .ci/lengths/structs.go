package main

import (
	"fmt"
	"go/ast"
	"go/token"
)

// structs finds structs of too many fields, wherever they are declared: with a name or without, in functions, in other
// structs, in tests. One that is embedded, or is the type of a field, is one field there, and is counted by itself.
func structs(name string, file *ast.File, line func(token.Pos) int) []finding {
	var found []finding
	names := map[*ast.StructType]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec: // comes before its type
			if s, ok := n.Type.(*ast.StructType); ok {
				names[s] = n.Name.Name + " "
			}
		case *ast.StructType:
			if fields := n.Fields.NumFields(); fields > maxFields {
				text := fmt.Sprintf("struct %sof %d fields", names[n], fields)
				found = append(found, finding{name, line(n.Pos()), "structs", text})
			}
		}
		return true
	})
	return found
}
