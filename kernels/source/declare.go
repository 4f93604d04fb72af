package source

import "slices"

// declarations reads a source's declarations, each only so far as to tell whose code it is.
type declarations struct {
	tokens []token
	match  []int // of an opening bracket: the place of its end
	c      int   // blocks of extern "C" around
	out    *Source
}

var closing = map[string]string{"(": ")", "[": "]", "{": "}"}

func newDeclarations(tokens []token, out *Source) (*declarations, error) {
	d := &declarations{tokens: tokens, match: make([]int, len(tokens)), out: out}
	var open []int
	for i, t := range tokens {
		switch {
		case t.kind != mark:
		case closing[t.text] != "":
			open = append(open, i)
		case t.text == ")" || t.text == "]" || t.text == "}":
			if len(open) == 0 || closing[tokens[open[len(open)-1]].text] != t.text {
				return nil, refuse(t.line, "%s without its beginning", t.text)
			}
			d.match[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t := tokens[open[len(open)-1]]
		return nil, refuse(t.line, "%s without its end", t.text)
	}
	return d, nil
}

// is reports whether the token at a place is one of some.
func (d *declarations) is(at int, texts ...string) bool {
	return at < len(d.tokens) && slices.ContainsFunc(texts, d.tokens[at].is)
}

// list reads the declarations from one place to another: those of a namespace, or of the class of that name.
func (d *declarations) list(at, to int, class string) (err error) {
	for at < to {
		if at, err = d.one(at, to, class); err != nil {
			return err
		}
	}
	return nil
}

// one reads a declaration and returns where it ends.
func (d *declarations) one(at, to int, class string) (int, error) {
	switch {
	case d.is(at, ";"):
		return at + 1, nil
	case class != "" && d.is(at, "public", "private", "protected") && d.is(at+1, ":"):
		return at + 2, nil
	case d.is(at, "namespace"), d.is(at, "inline") && d.is(at+1, "namespace"):
		return d.namespace(at, to)
	case d.is(at, "extern") && at+2 < to && d.tokens[at+1].text == `"C"` && d.is(at+2, "{"):
		d.c++
		defer func() { d.c-- }()
		return d.match[at+2] + 1, d.list(at+3, d.match[at+2], class)
	case d.is(at, "using", "static_assert"):
		return d.statement(at, to)
	}
	h := head{class: class, line: d.tokens[at].line, from: at}
	at, err := d.templates(at, to, &h)
	if err != nil {
		return 0, err
	}
	if d.is(at, "using") {
		return d.statement(at, to)
	}
	if place, ok := d.classKey(at, to); ok {
		if next, ok, err := d.classBody(place, to, &h); ok || err != nil {
			return next, err
		}
	}
	at, err = d.scan(at, to, &h)
	if err != nil {
		return 0, err
	}
	return at, d.decide(&h, at)
}

func (d *declarations) namespace(at, to int) (int, error) {
	for i := at; i < to; i++ {
		switch {
		case d.is(i, "{"):
			return d.match[i] + 1, d.list(i+1, d.match[i], "")
		case d.is(i, "="):
			return d.statement(i, to)
		case d.tokens[i].kind != word && !d.is(i, "::"):
			return 0, refuse(d.tokens[i].line, "%s: expected the name of a namespace", d.tokens[i].text)
		}
	}
	return 0, refuse(d.tokens[at].line, "a namespace without its declarations")
}

// statement skips to the end of a declaration that has no code.
func (d *declarations) statement(at, to int) (int, error) {
	for i := at; i < to; i++ {
		switch {
		case d.is(i, ";"):
			return i + 1, nil
		case d.is(i, "("), d.is(i, "["):
			if err := d.quiet(i); err != nil {
				return 0, err
			}
			i = d.match[i]
		case d.is(i, "{"), d.is(i, assembly...):
			return 0, refuse(d.tokens[i].line, "%s is not expected here", d.tokens[i].text)
		}
	}
	return 0, refuse(d.tokens[at].line, "a declaration without its end")
}

// assembly begins statements for an assembler. In a declaration it names what the assembler sees, which could be
// more than a name.
var assembly = []string{"asm", "__asm", "__asm__"}

// quiet refuses statements within parentheses or brackets outside of functions: what looks like a call could be a macro
// of a header's that makes declarations of them.
func (d *declarations) quiet(at int) error {
	for i := at + 1; i < d.match[at]; i++ {
		if d.is(i, ";") || d.is(i, "{") && !d.is(i+1, "}") || d.is(i, assembly...) {
			return refuse(d.tokens[i].line, "%s is not expected within %s", d.tokens[i].text, d.tokens[at].text)
		}
	}
	return nil
}

// attributes are those in brackets that have no effect on what code there is.
var attributes = []string{"maybe_unused", "nodiscard", "noreturn", "deprecated", "likely", "unlikely", "fallthrough"}

// brackets skips an array's size or an attribute.
func (d *declarations) brackets(at int) (int, error) {
	if d.is(at+1, "[") {
		inner := d.match[at+1]
		if inner != at+3 || !slices.Contains(attributes, d.tokens[at+2].text) || d.match[at] != inner+1 {
			return 0, refuse(d.tokens[at].line, "an attribute: expected one of %v", attributes)
		}
	}
	return d.match[at], d.quiet(at)
}

// templates skips the parameters of templates. They end where angle brackets say so, and not beyond the declaration:
// whatever a compiler makes of them, the words that decide come behind.
func (d *declarations) templates(at, to int, h *head) (int, error) {
	for d.is(at, "template") {
		if at++; !d.is(at, "<") {
			h.explicit = true
			return at, nil
		}
		depth := 0
		for ; at < to; at++ {
			switch {
			case d.is(at, "<"):
				depth++
			case d.is(at, ">"):
				depth--
			case d.is(at, ">>"):
				depth -= 2
			case d.is(at, "("), d.is(at, "["):
				if err := d.quiet(at); err != nil {
					return 0, err
				}
				at = d.match[at]
			case d.is(at, "{"), d.is(at, ";"), d.is(at, "__device__", "__global__"):
				return 0, refuse(d.tokens[at].line, "%s among a template's parameters", d.tokens[at].text)
			}
			if depth <= 0 {
				break
			}
		}
		if at++; depth < 0 || at > to {
			return 0, refuse(h.line, "a template's parameters: expected >")
		}
	}
	return at, nil
}
