package compile

import (
	"fmt"
	"regexp"
	"strings"

	"darwarp/kernels/source"
)

// The preprocessor reads files. Lexing exactly as the compiler does would be error-prone, so a directive is
// recognised wherever its letters stand, also in comments and strings.
var (
	splice    = regexp.MustCompile(`\\[ \t\r\f\v]*\n|\\\r`)
	directive = regexp.MustCompile(`(?:#|%:|\?\?=)` + between + `([A-Za-z_]\w*)` + between + `([^\n]*)`)
	angled    = regexp.MustCompile(`^<([^>]*)>`)
	asking    = regexp.MustCompile(`__has_(?:include|embed)\w*`)
	// marker is #line without its name, as preprocessors write it, where a line begins.
	marker = regexp.MustCompile(`(?:^|[\n\r])` + between + `(?:#|%:|\?\?=)` + between + `\d`)
)

// between is what may stand around the sign of a directive: comments as well.
const between = `(?:[ \t\r\f\v]|/\*(?s:.*?)\*/)*`

// refused are directives that read files or falsify the positions in messages.
var refused = map[string]bool{"include_next": true, "import": true, "embed": true, "line": true}

// Check looks at a source before it is compiled: it may include CUDA's arithmetic headers and those
// of the include library, and read no other file. The answer is empty, or what to tell the author.
func Check(text string, headers map[string][]byte) string {
	if len(text) > maxSource {
		return fmt.Sprintf("source of %d bytes: at most %d", len(text), maxSource)
	}
	if at := strings.IndexByte(text, 0); at >= 0 {
		return fmt.Sprintf("line %d: NUL byte", lineOf(text, at))
	}
	for _, text := range []string{text, splice.ReplaceAllString(text, "")} {
		if m := asking.FindStringIndex(text); m != nil {
			return fmt.Sprintf("line %d: %s is not allowed", lineOf(text, m[0]), text[m[0]:m[1]])
		}
		if m := marker.FindStringIndex(text); m != nil {
			return fmt.Sprintf("line %d: a number of a line after # is not allowed", lineOf(text, m[1]))
		}
		for _, m := range directive.FindAllStringSubmatchIndex(text, -1) {
			if complaint := checkDirective(text[m[2]:m[3]], text[m[4]:m[5]], headers); complaint != "" {
				return fmt.Sprintf("line %d: %s", lineOf(text, m[0]), complaint)
			}
		}
	}
	return ""
}

func checkDirective(name, rest string, headers map[string][]byte) string {
	if strings.HasPrefix(rest, `\u`) || strings.HasPrefix(rest, `\U`) {
		return "no escaped characters in directives"
	}
	if refused[name] {
		return fmt.Sprintf("#%s is not allowed", name)
	}
	if name != "include" {
		return ""
	}
	if m := angled.FindStringSubmatch(rest); m != nil {
		if _, ok := headers[m[1]]; ok {
			return ""
		}
		for _, h := range source.Headers {
			if m[1] == h {
				return ""
			}
		}
	}
	return fmt.Sprintf("only <%s> and <darwarp/...> may be included", strings.Join(source.Headers, ">, <"))
}

func lineOf(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }
