package llm

import (
	"iter"
	"regexp"
	"strings"
)

// tokenRE is enough of C++'s grammar of tokens to find its comments. A directive is one token, for its
// end of line counts.
var tokenRE = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?(?:\*/|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|` +
	`[A-Za-z_][A-Za-z0-9_]*|\.?[0-9](?:[eEpP][+-]|[A-Za-z0-9_.'])*|\s+|<<=|>>=|->|::|\+\+|--|<<|>>|[<>=!&|+*/%^-]=|&&|` +
	`\|\||##|.`)

// tokens yields what a compiler reads of a source, but for comments and blanks. The end of a directive's
// line is a token.
func tokens(source string) iter.Seq[string] {
	return func(yield func(string) bool) {
		directive := false
		for _, t := range tokenRE.FindAllString(source, -1) {
			switch {
			case isComment(t):
				continue
			case strings.TrimSpace(t) == "":
				if !directive || !strings.Contains(t, "\n") {
					continue
				}
				t, directive = "\n", false
			case t == "#":
				directive = true
			}
			if !yield(t) {
				return
			}
		}
	}
}

func isComment(t string) bool { return strings.HasPrefix(t, "//") || strings.HasPrefix(t, "/*") }

// StripComments takes the comments out of a source: a model is shown code, and not what another one
// wrote between its lines. Lines that held nothing else vanish.
func StripComments(source string) string {
	var b strings.Builder
	for _, t := range tokenRE.FindAllString(source, -1) {
		if isComment(t) {
			b.WriteString(gone + strings.Repeat("\n", strings.Count(t, "\n")))
			continue
		}
		b.WriteString(t)
	}
	var out []string
	for _, l := range strings.Split(b.String(), "\n") {
		bare := strings.TrimRight(strings.ReplaceAll(l, gone, " "), " \t")
		if bare == "" && strings.Contains(l, gone) {
			continue
		}
		out = append(out, bare)
	}
	return strings.Join(out, "\n")
}

// gone stands where a comment was; no source that is checked has it.
const gone = "\x00"
