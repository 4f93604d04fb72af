// Lengths refuses what is too long to read: Go lines above 120 columns, functions above 45 lines, structs of more than
// 15 fields, and lines of Markdown above 160 columns. It reads the files that git tracks below the current folder and
// prints a line for each finding; any finding is exit status 1. With -count it prints how many there are in each folder
// instead.
//
// A tab is one column. What cannot be wrapped does not count:
//   - lines of a raw string that spans lines (prompts, CUDA, golden text), for columns and for the length of a
//     function;
//   - //go: directives, and rows of a Markdown table, for columns;
//   - in _test.go files, lines of a composite literal that spans lines (tables of cases), for the length of a function.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxColumns  = 120 // of a Go line
	maxFunction = 45  // lines, the first and the last among them
	maxFields   = 15  // of a struct
	maxDocs     = 160 // columns of a line of Markdown
)

type finding struct {
	file string
	line int
	kind string // the heading of -count
	text string
}

func main() {
	count := flag.Bool("count", false, "print the number of findings per folder")
	flag.Parse()
	var found []finding
	for _, name := range tracked() {
		text, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		switch path.Ext(name) {
		case ".go":
			found = append(found, source(name, string(text))...)
		case ".md":
			found = append(found, docs(name, string(text))...)
		}
	}
	if *count {
		perFolder(found)
		return
	}
	for _, f := range found {
		fmt.Printf("%s:%d: %s\n", f.file, f.line, f.text)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

// tracked are the Go and Markdown files below the current folder.
func tracked() []string {
	out, err := exec.Command("git", "ls-files", "*.go", "*.md").Output()
	if err != nil {
		log.Fatal("git ls-files: ", err)
	}
	return strings.Fields(string(out))
}

func docs(name, text string) []finding {
	var found []finding
	for n, line := range strings.Split(text, "\n") {
		if columns := utf8.RuneCountInString(line); columns > maxDocs && !strings.HasPrefix(line, "|") {
			found = append(found, finding{name, n + 1, "docs", fmt.Sprintf("line of %d columns", columns)})
		}
	}
	return found
}

func source(name, text string) []finding {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments)
	if err != nil {
		log.Fatal(err)
	}
	line := func(p token.Pos) int { return files.Position(p).Line }
	raw := rawLines(file, line)
	found := structs(name, file, line)
	for n, s := range strings.Split(text, "\n") {
		if columns := utf8.RuneCountInString(s); columns > maxColumns && !raw[n+1] && !strings.HasPrefix(s, "//go:") {
			found = append(found, finding{name, n + 1, "lines", fmt.Sprintf("line of %d columns", columns)})
		}
	}
	exempt := raw
	if strings.HasSuffix(name, "_test.go") {
		exempt = maps.Clone(raw)
		maps.Copy(exempt, tableLines(file, line))
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		length := 0
		for n := line(f.Pos()); n <= line(f.End()); n++ {
			if !exempt[n] {
				length++
			}
		}
		if length > maxFunction {
			text := fmt.Sprintf("function %s of %d lines", f.Name.Name, length)
			found = append(found, finding{name, line(f.Pos()), "functions", text})
		}
	}
	return found
}

// rawLines are the lines of raw strings that span lines.
func rawLines(file *ast.File, line func(token.Pos) int) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && line(s.Pos()) < line(s.End()) {
			mark(lines, line(s.Pos()), line(s.End()))
		}
		return true
	})
	return lines
}

// tableLines are the lines of composite literals that span lines, without those of functions within them.
func tableLines(file *ast.File, line func(token.Pos) int) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if line(n.Pos()) < line(n.End()) {
				mark(lines, line(n.Pos()), line(n.End()))
			}
		case *ast.FuncLit:
			for l := line(n.Body.Lbrace) + 1; l < line(n.Body.Rbrace); l++ {
				delete(lines, l)
			}
		}
		return true
	})
	return lines
}

func mark(lines map[int]bool, from, to int) {
	for n := from; n <= to; n++ {
		lines[n] = true
	}
}

func perFolder(found []finding) {
	kinds := []string{"lines", "functions", "structs", "docs"}
	counts := map[string]map[string]int{}
	for _, f := range found {
		for _, folder := range []string{path.Dir(f.file), "all"} {
			if counts[folder] == nil {
				counts[folder] = map[string]int{}
			}
			counts[folder][f.kind]++
		}
	}
	for _, kind := range kinds {
		fmt.Printf("%9s ", kind)
	}
	fmt.Println(" folder")
	for _, folder := range slices.Sorted(maps.Keys(counts)) {
		for _, kind := range kinds {
			fmt.Printf("%9d ", counts[folder][kind])
		}
		fmt.Println("", folder)
	}
}
