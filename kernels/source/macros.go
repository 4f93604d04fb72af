package source

import (
	"slices"
	"strconv"
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

// expand replaces the macros in tokens.
func (p *preprocessor) expand(tokens []token, depth int) (out []token, err error) {
	for len(tokens) > 0 {
		t := tokens[0]
		tokens = tokens[1:]
		m := p.macros[t.text]
		if t.kind != word || m == nil {
			out = append(out, t)
			continue
		}
		body := m.body
		if m.function {
			var args [][]token
			if args, tokens, err = arguments(t, tokens, len(m.params)); err != nil {
				return nil, err
			}
			if body, err = p.fill(m, args, depth); err != nil {
				return nil, err
			}
		}
		if body, err = p.expand(at(body, t.line), depth+1); err != nil {
			return nil, err
		}
		out = append(out, body...)
		if p.work += len(body); p.work > mostTokens || depth > 100 {
			return nil, refuse(t.line, "%s expands to more than %d words", t.text, mostTokens)
		}
	}
	return out, nil
}

// at is the tokens of a macro as those of the line that uses it.
func at(tokens []token, line int) []token {
	tokens = slices.Clone(tokens)
	for i := range tokens {
		tokens[i].line = line
	}
	return tokens
}

// fill puts the arguments, expanded, in the place of parameters.
func (p *preprocessor) fill(m *macro, args [][]token, depth int) (out []token, err error) {
	for i := range args {
		if args[i], err = p.expand(args[i], depth+1); err != nil {
			return nil, err
		}
	}
	for _, t := range m.body {
		if i := slices.Index(m.params, t.text); t.kind == word && i >= 0 {
			out = append(out, args[i]...)
		} else {
			out = append(out, t)
		}
		if len(out) > mostTokens {
			return nil, refuse(t.line, "a macro expands to more than %d words", mostTokens)
		}
	}
	return out, nil
}

// arguments reads those of a macro.
func arguments(name token, tokens []token, want int) (args [][]token, rest []token, err error) {
	if len(tokens) == 0 || !tokens[0].is("(") {
		return nil, nil, refuse(name.line, "the macro %s without its arguments", name.text)
	}
	depth, arg := 0, []token{}
	for i, t := range tokens {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
		switch {
		case depth == 0:
			if args = append(args, arg); want == 0 && len(args) == 1 && len(arg) == 0 {
				args = nil
			}
			if len(args) != want {
				return nil, nil, refuse(name.line, "the macro %s takes %d arguments", name.text, want)
			}
			return args, tokens[i+1:], nil
		case depth == 1 && t.is(","):
			args, arg = append(args, arg), []token{}
		case i > 0:
			arg = append(arg, t)
		}
	}
	return nil, nil, refuse(name.line, "the macro %s: expected )", name.text)
}

// conditional opens, turns or closes a group.
func (p *preprocessor) conditional(line int, name string, rest []token) error {
	last := len(p.groups) - 1
	switch {
	case name != "if" && name != "ifdef" && name != "ifndef" && last < 0:
		return refuse(line, "#%s without #if", name)
	case name == "endif":
		p.groups = p.groups[:last]
		return nil
	case name == "else":
		g := &p.groups[last]
		g.on, g.done = !g.done, true
		return nil
	}
	value := false
	if outer := p.groups[:max(0, last)]; name != "elif" && p.on() ||
		name == "elif" && !p.groups[last].done && (&preprocessor{groups: outer}).on() {
		var err error
		if value, err = p.condition(line, name, rest); err != nil {
			return err
		}
	}
	if name == "elif" {
		p.groups[last].on, p.groups[last].done = value && !p.groups[last].done, p.groups[last].done || value
		return nil
	}
	p.groups = append(p.groups, group{value, value})
	return nil
}

// condition is a number, a number compared with another, or whether the source defines a name, which it must.
func (p *preprocessor) condition(line int, name string, rest []token) (bool, error) {
	unknown := func(name string) error {
		return refuse(line, "#if on %s, which the source does not define: what is judged must be what every compiler sees; "+
			"write the branch that is meant, or use if constexpr", name)
	}
	if name == "ifdef" || name == "ifndef" {
		if len(rest) != 1 || p.macros[rest[0].text] == nil {
			return false, unknown(spell(rest))
		}
		return name == "ifdef", nil
	}
	tokens, err := p.expand(rest, 0)
	if err != nil {
		return false, err
	}
	not := len(tokens) > 1 && tokens[0].is("!")
	if not {
		tokens = tokens[1:]
	}
	var n []int64
	for i := 0; i < len(tokens); i += 2 {
		v, err := strconv.ParseInt(strings.TrimRight(tokens[i].text, "uUlL"), 0, 64)
		if err != nil || tokens[i].kind != number {
			return false, unknown(spell(tokens))
		}
		n = append(n, v)
	}
	switch {
	case len(tokens) == 1:
		return (n[0] != 0) != not, nil
	case len(tokens) == 3 && !not:
		if value, ok := compare(n[0], tokens[1].text, n[1]); ok {
			return value, nil
		}
	}
	return false, refuse(line, "#if %s: expected a number, or two that are compared", spell(tokens))
}

func compare(a int64, op string, b int64) (value, ok bool) {
	switch op {
	case "==":
		return a == b, true
	case "!=":
		return a != b, true
	case "<":
		return a < b, true
	case ">":
		return a > b, true
	case "<=":
		return a <= b, true
	case ">=":
		return a >= b, true
	}
	return false, false
}

// spell is the beginning of a text of tokens.
func spell(tokens []token) string {
	var words []string
	for _, t := range tokens[:min(len(tokens), 12)] {
		words = append(words, t.text)
	}
	return strings.Join(words, " ")
}
