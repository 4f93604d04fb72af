package source

import "slices"

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
