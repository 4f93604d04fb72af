package source

import (
	"slices"
	"strings"
)

// Signature is what a kernel takes.
type Signature struct {
	Line   int
	Params []Param
}

// Param is a parameter of a kernel.
type Param struct {
	Text    string // as written: const float * x
	Words   []string
	Pointer bool
}

// Is reports whether a word is part of the parameter's type, or its name.
func (p Param) Is(word string) bool { return slices.Contains(p.Words, word) }

// signature reads the parameters between parentheses. Commas within brackets, such as those of a type's arguments,
// end none.
func (d *declarations) signature(line int, list [2]int) Signature {
	s := Signature{Line: line}
	var p []token
	flush := func() {
		if len(p) > 0 && !(len(p) == 1 && p[0].is("void")) {
			s.Params = append(s.Params, param(p))
		}
		p = nil
	}
	depth := 0
	for _, t := range d.tokens[list[0]+1 : list[1]] {
		switch {
		case t.is("<"), t.is("("), t.is("["):
			depth++
		case t.is(">"), t.is(")"), t.is("]"):
			depth--
		case t.is(">>"):
			depth -= 2
		case t.is(",") && depth == 0:
			flush()
			continue
		}
		p = append(p, t)
	}
	flush()
	return s
}

func param(tokens []token) (p Param) {
	var texts []string
	for _, t := range tokens {
		texts = append(texts, t.text)
		if t.kind == word {
			p.Words = append(p.Words, t.text)
		}
		p.Pointer = p.Pointer || t.is("*") || t.is("[")
	}
	p.Text = strings.ReplaceAll(strings.Join(texts, " "), " *", "*")
	return p
}
