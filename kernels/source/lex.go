package source

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind byte

const (
	word kind = iota + 1 // identifiers and keywords
	number
	text // strings and characters
	mark // punctuation
	hash // the # that begins a directive
	end  // of a directive's line
	path // <...> behind #include
)

type token struct {
	kind    kind
	text    string
	line    int
	touches bool // nothing is between it and the token before
}

func (t token) is(text string) bool { return t.text == text && (t.kind == mark || t.kind == word) }

// Compilers differ in what they make of these: trigraphs, raw strings (which undo spliced lines), other spellings of
// punctuation, a backslash that is not quite at the end of its line.
var (
	trigraph = regexp.MustCompile(`\?\?[=/'()!<>-]`)
	loose    = regexp.MustCompile(`\\[ \t\r]+\n`)
)

// marks are the punctuation of several characters, the longest first; digraphs are other spellings of some.
var (
	marks = strings.Fields(`<<= >>= ... ->* :: -> << >> <= >= == != && || ++ -- += -= *= /= %= &= |= ^= ##`)

	digraphs = strings.Fields(`<% %> %: :> <:`)
)

// lexer cuts a source into tokens.
type lexer struct {
	text   string
	at     int
	last   int // where the last token ended
	line   int
	out    []token
	fresh  bool // nothing but blanks and comments on this line yet
	inside bool // of a directive
}

func lex(text string) ([]token, error) {
	if err := characters(text); err != nil {
		return nil, err
	}
	l := lexer{text: text, line: 1, fresh: true}
	for l.at < len(l.text) {
		if err := l.step(); err != nil {
			return nil, err
		}
	}
	l.newline()
	return l.out, nil
}

// characters refuses what is not printable, also in comments: a reader must see what a compiler sees.
func characters(text string) error {
	line := 1
	for at, r := range text {
		switch _, size := utf8.DecodeRuneInString(text[at:]); {
		case r == '\n':
			line++
		case r == '\r' && strings.HasPrefix(text[at:], "\r\n"), r == '\t':
		case r == utf8.RuneError && size == 1, !unicode.IsPrint(r):
			return refuse(line, "the character %U: expected printable text", r)
		}
	}
	for _, re := range []*regexp.Regexp{trigraph, loose} {
		if m := re.FindStringIndex(text); m != nil {
			return refuse(1+strings.Count(text[:m[0]], "\n"), "%q: compilers read it in different ways", text[m[0]:m[1]])
		}
	}
	return nil
}

// newline ends a line, and the directive on it.
func (l *lexer) newline() {
	if l.inside {
		l.out = append(l.out, token{kind: end, line: l.line})
	}
	l.inside, l.fresh = false, true
}

func (l *lexer) put(k kind, size int) {
	l.out = append(l.out, token{k, l.text[l.at : l.at+size], l.line, l.at == l.last})
	l.at += size
	l.last = l.at
	l.fresh = false
}

func (l *lexer) step() error {
	rest := l.text[l.at:]
	switch c := rest[0]; {
	case c == '\n':
		l.newline()
		l.at++
		l.line++
	case c == ' ', c == '\t', c == '\r':
		l.at++
	case c == '\\':
		return l.splice(rest)
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"):
		return l.comment(rest)
	case c == '#' && l.fresh:
		l.put(hash, 1)
		l.inside = true
	case c == '<' && l.including():
		line, _, _ := strings.Cut(rest, "\n")
		n := strings.IndexByte(line, '>')
		if n < 0 || strings.ContainsAny(line[:n], "\"'\\") {
			return refuse(l.line, "#include takes <NAME>")
		}
		l.put(path, n+1)
	default:
		return l.token(rest)
	}
	return nil
}

// including reports whether a header's name comes next.
func (l *lexer) including() bool {
	n := len(l.out)
	return n > 1 && l.out[n-1].is("include") && l.out[n-2].kind == hash
}

// splice joins two lines of a directive, between its words.
func (l *lexer) splice(rest string) error {
	blank := func(s string) bool { return strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\t") }
	if !strings.HasPrefix(rest, "\\\n") || !l.inside || !blank(l.text[l.at-1:]) && !blank(rest[2:]) {
		return refuse(l.line, "a backslash: it may end a line of a macro, after a blank")
	}
	l.at += 2
	l.line++
	return nil
}

func (l *lexer) comment(rest string) error {
	if rest[1] == '/' {
		line, _, _ := strings.Cut(rest, "\n")
		if strings.HasSuffix(line, `\`) {
			return refuse(l.line, "a comment ends in a backslash")
		}
		l.at += len(line)
		return nil
	}
	size := strings.Index(rest[2:], "*/")
	if size < 0 {
		return refuse(l.line, "a comment without an end")
	}
	lines := strings.Count(rest[:size+4], "\n")
	if lines > 0 && l.inside || strings.Contains(rest[:size+4], "\\\n") {
		return refuse(l.line, "a comment within a directive, or with a backslash at the end of a line")
	}
	l.at += size + 4
	l.line += lines
	return nil
}

func (l *lexer) token(rest string) error {
	c := rest[0]
	switch {
	case letter(c):
		n := 1
		for n < len(rest) && (letter(rest[n]) || digit(rest[n])) {
			n++
		}
		if rest[n-1] == 'R' && strings.HasPrefix(rest[n:], `"`) {
			return refuse(l.line, "a raw string is not allowed")
		}
		l.put(word, n)
		return nil
	case digit(c), c == '.' && len(rest) > 1 && digit(rest[1]):
		l.put(number, numeral(rest))
		return nil
	case c == '"', c == '\'':
		return l.quoted(rest, c)
	}
	return l.punctuation(rest)
}

// punctuation takes a mark. Digraphs are refused: compilers that do not know them read something else.
func (l *lexer) punctuation(rest string) error {
	for _, m := range digraphs {
		qualified := strings.HasPrefix(rest, "<::") && !strings.HasPrefix(rest, "<:::") // a<::b>
		if strings.HasPrefix(rest, m) && (m != "<:" || !qualified) {
			return refuse(l.line, "%q: write punctuation as it is", m)
		}
	}
	for _, m := range marks {
		if strings.HasPrefix(rest, m) {
			l.put(mark, len(m))
			return nil
		}
	}
	if strings.IndexByte("+-*/%&|^~!=<>?:;,.()[]{}#", rest[0]) >= 0 {
		l.put(mark, 1)
		return nil
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return refuse(l.line, "the character %q: expected C++", r)
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

// numeral is the length of a number as preprocessors read one: signs behind an exponent belong to it, and quotes before
// a letter or a digit.
func numeral(rest string) int {
	n := 1
	for n < len(rest) {
		c := rest[n]
		sign := (c == '+' || c == '-') && strings.IndexByte("eEpP", rest[n-1]) >= 0
		quote := c == '\'' && n+1 < len(rest) && (letter(rest[n+1]) || digit(rest[n+1]))
		if !letter(c) && !digit(c) && c != '.' && !sign && !quote {
			break
		}
		n++
	}
	return n
}

// quoted reads a string or a character, which end on their line.
func (l *lexer) quoted(rest string, quote byte) error {
	for n := 1; n < len(rest) && rest[n] != '\n'; n++ {
		switch {
		case rest[n] == quote:
			l.put(text, n+1)
			return nil
		case rest[n] == '\\' && n+1 < len(rest) && rest[n+1] != '\n':
			n++
		}
	}
	return refuse(l.line, "%c without its end on the line", quote)
}
