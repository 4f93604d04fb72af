package restrict

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"darwarp/kernels/expr"
)

type token struct {
	kind rune // i identifier, n number, s string, o operator, 0 end
	text string
	at   int
}

// parser is a recursive descent over Python's grammar of expressions, tightest last.
type parser struct {
	text   string
	known  []string
	used   []string
	tokens []token
	depth  int
}

// maxDepth bounds nesting: a file from elsewhere cannot exhaust the stack.
const maxDepth = 100

func (p *parser) token() token { return p.tokens[0] }

func (p *parser) errorf(format string, args ...any) error {
	return &expr.Error{Text: p.text, Column: p.token().at, Message: fmt.Sprintf(format, args...)}
}

var operators = []string{"**", "//", "<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", ",",
	"&", "|", "^"}

func (p *parser) scan() error {
	for at := 0; ; {
		for at < len(p.text) && p.text[at] == ' ' {
			at++
		}
		rest := p.text[at:]
		first, _ := utf8.DecodeRuneInString(rest)
		n, kind := 0, 'o'
		switch {
		case rest == "":
			p.tokens = append(p.tokens, token{0, "", at})
			return nil
		case first == '_' || unicode.IsLetter(first):
			kind, n = 'i', span(rest, func(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) })
		case unicode.IsDigit(first) || first == '.':
			kind, n = 'n', span(rest, func(c rune) bool {
				return c == '.' || unicode.IsDigit(c) || unicode.IsLetter(c) || c == '_'
			})
		case first == '"' || first == '\'':
			if n = strings.IndexByte(rest[1:], rest[0]) + 2; n < 2 {
				return &expr.Error{Text: p.text, Column: at, Message: "the string has no end"}
			}
			kind = 's'
		default:
			i := slices.IndexFunc(operators, func(o string) bool { return strings.HasPrefix(rest, o) })
			if i < 0 {
				return &expr.Error{Text: p.text, Column: at, Message: fmt.Sprintf("unexpected %q", first)}
			}
			n = len(operators[i])
		}
		p.tokens = append(p.tokens, token{kind, rest[:n], at})
		at += n
	}
}

func span(s string, in func(rune) bool) int {
	if n := strings.IndexFunc(s, func(c rune) bool { return !in(c) }); n >= 0 {
		return n
	}
	return len(s)
}
