package source

import (
	"slices"
	"strings"
)

// macro is one that the source defines. Its body names no macro that is defined later, nor itself, so expanding it
// ends.
type macro struct {
	params   []string
	function bool
	body     []token
}

// mostTokens bounds what macros expand to, with all steps on the way.
const mostTokens = 1 << 19

// preprocessor carries out directives and expands the source's own macros.
type preprocessor struct {
	macros map[string]*macro
	seen   map[string]int // words that were not macros, with the line of the first
	groups []group        // of conditionals that are open
	tokens []token        // what is left, before macros are expanded in it
	result []token
	open   int // brackets of the result that are open
	work   int // tokens that macros have expanded to
	out    *Source
}

// group is a conditional: whether the tokens in it count, and whether one of its branches did.
type group struct{ on, done bool }

func (p *preprocessor) on() bool {
	return !slices.ContainsFunc(p.groups, func(g group) bool { return !g.on })
}

// run is the source's tokens with macros expanded and without directives.
func (p *preprocessor) run(tokens []token) ([]token, error) {
	p.seen = map[string]int{}
	for len(tokens) > 0 {
		t := tokens[0]
		if t.kind == hash {
			size := slices.IndexFunc(tokens, func(t token) bool { return t.kind == end })
			if err := p.directive(t.line, tokens[1:size]); err != nil {
				return nil, err
			}
			tokens = tokens[size+1:]
			continue
		}
		if p.on() {
			p.tokens = append(p.tokens, t)
			p.see(t)
		}
		tokens = tokens[1:]
	}
	if len(p.groups) > 0 {
		return nil, refuse(1, "an #if without #endif")
	}
	return p.result, p.flush()
}

func (p *preprocessor) see(t token) {
	if _, known := p.seen[t.text]; t.kind == word && p.macros[t.text] == nil && !known {
		p.seen[t.text] = t.line
	}
}

// flush expands what has come since the last directive that matters.
func (p *preprocessor) flush() error {
	expanded, err := p.expand(p.tokens, 0)
	if err != nil {
		return err
	}
	p.tokens = nil
	for _, t := range expanded {
		if why := strange(t); why != "" {
			return refuse(t.line, "%s", why)
		}
		switch {
		case t.kind == mark && strings.Contains("([{", t.text):
			p.open++
		case t.kind == mark && strings.Contains(")]}", t.text):
			p.open--
		}
	}
	p.result = append(p.result, expanded...)
	return nil
}

func (p *preprocessor) directive(line int, tokens []token) error {
	if len(tokens) == 0 {
		return nil
	}
	name, rest := tokens[0].text, tokens[1:]
	switch name {
	case "if", "ifdef", "ifndef", "elif", "else", "endif":
		return p.conditional(line, name, rest)
	}
	if !p.on() {
		return nil
	}
	switch name {
	case "include":
		return p.include(line, rest)
	case "define":
		return p.define(line, rest)
	case "pragma":
		return pragma(line, rest)
	}
	return refuse(line, "#%s is not allowed", name)
}

// include stands between declarations, ahead of the source's macros, which would otherwise be those of the header too.
func (p *preprocessor) include(line int, rest []token) error {
	if err := p.flush(); err != nil {
		return err
	}
	last := token{kind: mark, text: ";"}
	if len(p.result) > 0 {
		last = p.result[len(p.result)-1]
	}
	switch {
	case len(rest) != 1 || rest[0].kind != path:
		return refuse(line, "#include takes <NAME>")
	case len(p.macros) > 0:
		return refuse(line, "#include comes before the source's own macros")
	case p.open != 0 || !last.is(";") && !last.is("}"):
		return refuse(line, "#include stands between declarations")
	}
	if name := strings.Trim(rest[0].text, "<>"); !slices.Contains(p.out.Includes, name) {
		p.out.Includes = append(p.out.Includes, name)
	}
	return nil
}

// pragma knows those that say how a loop is unrolled, and those about warnings.
func pragma(line int, rest []token) error {
	if len(rest) > 0 && (slices.Contains([]string{"unroll", "nounroll", "once"}, rest[0].text) ||
		strings.HasPrefix(rest[0].text, "nv_diag_")) {
		return nil
	}
	return refuse(line, "#pragma is for unroll, nounroll, once and nv_diag_...")
}

func (p *preprocessor) define(line int, rest []token) error {
	if len(rest) == 0 || rest[0].kind != word {
		return refuse(line, "#define takes a name")
	}
	name, m := rest[0].text, &macro{}
	switch {
	case reserved(name) || slices.Contains(keywords, name):
		return refuse(line, "#define %s: the name is the language's own", name)
	case p.macros[name] != nil:
		return refuse(line, "#define %s: it is defined already", name)
	case p.seen[name] > 0:
		return refuse(line, "#define %s: line %d has used it", name, p.seen[name])
	}
	var err error
	if m.body, err = m.head(line, name, rest[1:]); err != nil {
		return err
	}
	for _, t := range m.body {
		switch {
		case t.is("#"), t.is("##"), t.is("__VA_ARGS__"):
			return refuse(line, "#define %s: %s is not allowed", name, t.text)
		case t.kind == word && t.text == name:
			return refuse(line, "#define %s: it names itself", name)
		case !slices.Contains(m.params, t.text):
			p.see(t)
		}
	}
	p.macros[name], p.out.Macros = m, append(p.out.Macros, name)
	return nil
}

// head reads parameters, which a macro has if a parenthesis touches its name.
func (m *macro) head(line int, name string, rest []token) (body []token, err error) {
	if len(rest) == 0 || !rest[0].is("(") || !rest[0].touches {
		return rest, nil
	}
	m.function = true
	for at := 1; at < len(rest); at += 2 {
		if at == 1 && rest[at].is(")") {
			return rest[2:], nil
		}
		if rest[at].kind != word || at+1 == len(rest) || !rest[at+1].is(",") && !rest[at+1].is(")") {
			break
		}
		m.params = append(m.params, rest[at].text)
		if rest[at+1].is(")") {
			return rest[at+2:], nil
		}
	}
	return nil, refuse(line, "#define %s: expected parameters (a, b)", name)
}

// spell is the beginning of a text of tokens.
func spell(tokens []token) string {
	var words []string
	for _, t := range tokens[:min(len(tokens), 12)] {
		words = append(words, t.text)
	}
	return strings.Join(words, " ")
}
