package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestFindings(t *testing.T) {
	long := strings.Repeat("x", 121)
	lines := func(n int, s string) string { return strings.Repeat(s+"\n", n) }
	fields := func(n int) string { return lines(n, "\tf int // of many") }
	for _, tt := range []struct{ name, file, text, want string }{
		{"a comment", "a.go", "package a\n\n// " + long + "\n", "3 lines"},
		{"as long as may be", "a.go", "package a\n\n//" + long[3:] + "\n", ""},
		{"a directive", "a.go", "package a\n\n//go:generate " + long + "\n", ""},
		{"a raw string", "a.go", "package a\n\nconst c = `\n" + long + "\n`\n", ""},
		{"a raw string of one line", "a.go", "package a\n\nconst c = `" + long + "`\n", "3 lines"},
		{"46 lines", "a.go", "package a\n\nfunc f() {\n" + lines(44, "\tf()") + "}\n", "3 functions"},
		{"45 lines", "a.go", "package a\n\nfunc f() {\n" + lines(43, "\tf()") + "}\n", ""},
		{"a table", "a_test.go", "package a\n\nfunc f() {\n\t_ = []int{\n" + lines(60, "\t\t1,") + "\t}\n}\n", ""},
		{"a table elsewhere", "a.go", "package a\n\nfunc f() {\n\t_ = []int{\n" + lines(60, "\t\t1,") + "\t}\n}\n",
			"3 functions"},
		{"functions in a table", "a_test.go",
			"package a\n\nfunc f() {\n\t_ = []func(){\n\t\tfunc() {\n" + lines(60, "\t\t\tf()") +
				"\t\t},\n\t}\n}\n", "3 functions"},
		{"16 fields", "a.go", "package a\n\ntype t struct {\n" + fields(16) + "}\n", "3 structs"},
		{"15 fields", "a.go", "package a\n\ntype t struct {\n" + fields(15) + "}\n", ""},
		{"16 fields of a test", "a_test.go", "package a\n\ntype t struct {\n" + fields(16) + "}\n", "3 structs"},
		{"two of one line", "a.go", "package a\n\ntype t struct {\n\ta, b int\n" + fields(14) + "}\n", "3 structs"},
		{"two of one line among 15", "a.go", "package a\n\ntype t struct {\n\ta, b int\n" + fields(13) + "}\n", ""},
		{"an embedded one", "a.go", "package a\n\ntype t struct {\n\t*u\n" + fields(15) + "}\n", "3 structs"},
		{"an embedded one among 15", "a.go", "package a\n\ntype t struct {\n\tu\n" + fields(14) + "}\n\n" +
			"type u struct {\n" + fields(15) + "}\n", ""},
		{"fields without names", "a.go", "package a\n\ntype t struct {\n" + lines(16, "\t_ int") + "}\n", "3 structs"},
		{"of a type parameter", "a.go", "package a\n\ntype t[T any] struct {\n" + fields(16) + "}\n", "3 structs"},
		{"in a struct", "a.go", "package a\n\ntype t struct {\n\ta struct {\n" + fields(16) + "\t}\n}\n", "4 structs"},
		{"a struct in one of 15", "a.go",
			"package a\n\ntype t struct {\n\ta struct {\n" + fields(15) + "\t}\n" + fields(14) + "}\n", ""},
		{"in a function", "a.go", "package a\n\nfunc f() {\n\t_ = []struct {\n" + fields(16) + "\t}{}\n}\n", "4 structs"},
		{"methods of an interface", "a.go", "package a\n\ntype t interface {\n" + lines(16, "\tf()") + "}\n", ""},
		{"parameters", "a.go", "package a\n\nfunc f(\n" + lines(16, "\t_ int,") + ") {\n}\n", ""},
		{"Markdown", "a.md", "# a\n" + strings.Repeat("x", 161) + "\n", "2 docs"},
		{"a row", "a.md", "| " + strings.Repeat("x", 161) + " |\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			look := source
			if strings.HasSuffix(tt.file, ".md") {
				look = docs
			}
			var got []string
			for _, f := range look(tt.file, tt.text) {
				got = append(got, fmt.Sprint(f.line, " ", f.kind))
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("%q, expected %q", s, tt.want)
			}
		})
	}
}
