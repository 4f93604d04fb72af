package export

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Everything that a file of an export says beside the text of its template passes through its language's writer, emit:
// the templates cannot leave it out (pages.go). What a writer makes of a value depends on its type.
type (
	// code is text of the language that the file is in, put together here from names and numbers that were checked.
	code string
	// prose is for people: it stands in a comment, a docstring or a paragraph, and cannot leave it.
	prose string
	// literal becomes a string of the language.
	literal string
)

// language is how values are written in one.
type language struct {
	name  string
	prose func(string) string
	quote func(string) string // nil: it has no strings
	plain *regexp.Regexp      // what a string must be that is none of the above: a name or a number
}

var (
	namesRE = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*|-?[0-9]+(\.[0-9]+)?)$`)
	pathsRE = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*$`)

	inC        = language{"C++", cxxProse, cxxQuote, namesRE}
	inPython   = language{"Python", pythonProse, pythonQuote, namesRE}
	inCMake    = language{"CMake", line, cmakeQuote, pathsRE}
	inTOML     = language{"TOML", line, tomlQuote, pathsRE}
	inNix      = language{"Nix", line, nixQuote, pathsRE}
	inMarkdown = language{"Markdown", markdownProse, nil, nil}
)

// emit writes a value.
func (l language) emit(v any) (string, error) {
	switch v := v.(type) {
	case code:
		return string(v), nil
	case prose:
		return l.prose(string(v)), nil
	case literal:
		if l.quote == nil {
			return l.prose(string(v)), nil
		}
		return l.quote(string(v)), nil
	case int, int64, bool:
		return fmt.Sprint(v), nil
	}
	text := fmt.Sprint(v)
	if l.plain == nil {
		return l.prose(text), nil
	}
	if !l.plain.MatchString(text) {
		return "", fmt.Errorf("%q cannot be a name in %s", text, l.name)
	}
	return text, nil
}

// line is text on one line, of printable characters.
func line(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// cxxProse stays within a comment of either kind: no end of one, no spliced line, no trigraph.
func cxxProse(s string) string {
	s = strings.NewReplacer(`\`, "/", "*", "x", "?", ".").Replace(line(s))
	return s
}

// pythonProse stays within a docstring between triple quotes, and within a comment.
func pythonProse(s string) string {
	return strings.NewReplacer(`\`, "/", `"`, "'").Replace(line(s))
}

// links are what GitHub's Markdown makes links of by itself; leading begins a list, a heading, a quotation or a rule.
var (
	links   = regexp.MustCompile(`(?i)(:)(//)|(www)(\.)`)
	leading = regexp.MustCompile(`^[-+#=>.:)]`)
	ordered = regexp.MustCompile(`^([0-9]+)([.)])(\s|$)`)
)

// markdownProse stays one paragraph without markup. An underline within a word is none.
func markdownProse(s string) string {
	s = strings.TrimSpace(line(s))
	var b strings.Builder
	for i := range len(s) {
		within := s[i] == '_' && i > 0 && i+1 < len(s) && wordByte(s[i-1]) && wordByte(s[i+1])
		if strings.IndexByte("\\`*_{}[]<|~&$@!", s[i]) >= 0 && !within {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	s = links.ReplaceAllString(b.String(), `$1$3\$2$4`)
	s = ordered.ReplaceAllString(s, `$1\$2$3`)
	if leading.MatchString(s) {
		s = `\` + s
	}
	return s
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// escaped replaces each byte that is not harmless in any string.
func escaped(s string, format string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			strings.IndexByte(" _-+=.,:;()[]<>/*", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, format, c)
		}
	}
	return b.String()
}

// cxxQuote writes bytes in octal, which takes three digits and no more.
func cxxQuote(s string) string { return `"` + escaped(s, `\%03o`) + `"` }

func pythonQuote(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteString(escaped(string(r), `\x%02x`))
		} else {
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return `"` + b.String() + `"`
}

func tomlQuote(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteString(escaped(string(r), `\u%04x`))
		} else {
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return `"` + b.String() + `"`
}

func nixQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(line(s)) + `"`
}

func cmakeQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, `@`, `\@`).Replace(line(s)) + `"`
}

var shellRE = regexp.MustCompile(`^[A-Za-z0-9_./=,+:-]+$`)

// shell is a command for a POSIX shell, on one line.
func shell(words ...string) code {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; !shellRE.MatchString(w) {
			out[i] = "'" + strings.ReplaceAll(line(w), "'", `'\''`) + "'"
		}
	}
	return code(strings.Join(out, " "))
}

// span is code within a paragraph of Markdown, between more backticks than it has in a row.
func span(text code) code {
	fence := "`"
	for strings.Contains(string(text), fence) {
		fence += "`"
	}
	s := strings.ReplaceAll(string(text), "|", `\|`) // a table's cell ends at it even here
	if len(fence) > 1 {
		return code(fence + " " + s + " " + fence)
	}
	return code(fence + s + fence)
}

// list writes names or numbers, each behind a text and with commas between.
func list(before code, names []string) (code, error) {
	var out []code
	for _, n := range names {
		if !namesRE.MatchString(n) {
			return "", fmt.Errorf("%q cannot be a name", n)
		}
		out = append(out, before+code(n))
	}
	return join(out, ", "), nil
}

func join(parts []code, between string) code {
	var out code
	for i, p := range parts {
		if i > 0 {
			out += code(between)
		}
		out += p
	}
	return out
}
