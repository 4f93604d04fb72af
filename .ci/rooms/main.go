// Command rooms prints a table of a checkout's packages: lines of source and of tests, and the largest struct with its
// fields and methods. docs/design.md has it, before and after.
//
//	go run ./.ci/rooms [FOLDER]
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// room is one folder of Go files.
type room struct {
	files, lines, tests int
	fields, methods     map[string]int // by type
}

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	rooms, err := read(root)
	if err != nil {
		log.Fatal(err)
	}
	var names []string
	for name := range rooms {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Println("| room | files | lines | tests | largest struct | fields | methods |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, name := range names {
		r := rooms[name]
		largest := r.largest()
		fmt.Printf("| `%s` | %d | %d | %d | %s | %d | %d |\n",
			name, r.files, r.lines, r.tests, largest, r.fields[largest], r.methods[largest])
	}
}

func read(root string) (map[string]*room, error) {
	rooms := map[string]*room{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && path != root && strings.HasPrefix(e.Name(), ".") {
			return filepath.SkipDir
		}
		if e.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		name, _ := filepath.Rel(root, filepath.Dir(path))
		if rooms[name] == nil {
			rooms[name] = &room{fields: map[string]int{}, methods: map[string]int{}}
		}
		return rooms[name].add(path)
	})
	return rooms, err
}

func (r *room) add(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := bytes.Count(text, []byte("\n"))
	if strings.HasSuffix(path, "_test.go") {
		r.tests += lines
		return nil
	}
	r.files++
	r.lines += lines
	f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(f, r.count)
	return nil
}

func (r *room) count(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.TypeSpec:
		if s, ok := n.Type.(*ast.StructType); ok {
			r.fields[n.Name.Name] = s.Fields.NumFields()
		}
	case *ast.FuncDecl:
		if n.Recv != nil {
			r.methods[receiver(n.Recv.List[0].Type)]++
		}
	}
	return true
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// largest is the struct with the most fields and methods.
func (r *room) largest() string {
	best := ""
	for name, n := range r.fields {
		is, most := n+r.methods[name], r.fields[best]+r.methods[best]
		if best == "" || is > most || is == most && name < best {
			best = name
		}
	}
	return best
}
