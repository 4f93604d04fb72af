package llm

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// named are the characters of a key that HTML has names for.
var named = map[string]byte{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

// unescape reads the first character of a text that is not empty, in whatever way it is written, and the number of
// bytes that takes: as it is, %41, \u0041, \x41, \/, &#65; or &#x41;.
func unescape(text []byte) (c byte, n int) {
	switch text[0] {
	case '%':
		return coded(text, 1, 2)
	case '&':
		return entity(text)
	case '\\':
		if len(text) == 1 {
			break
		}
		switch text[1] {
		case 'u':
			return coded(text, 2, 4)
		case 'x':
			return coded(text, 2, 2)
		case 'n', 'r', 't':
			return ' ', 2
		}
		if !isWord(text[1]) {
			return text[1], 2
		}
	}
	return text[0], 1
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// coded reads an ASCII character that stands in so many hexadecimal digits behind a mark.
func coded(text []byte, mark, digits int) (c byte, n int) {
	if len(text) >= mark+digits {
		if v, err := strconv.ParseUint(string(text[mark:mark+digits]), 16, 32); err == nil && v < utf8.RuneSelf {
			return byte(v), mark + digits
		}
	}
	return text[0], 1
}

// entity reads a character of HTML.
func entity(text []byte) (c byte, n int) {
	name, _, ok := strings.Cut(string(text[1:min(len(text), 12)]), ";")
	if !ok {
		return text[0], 1
	}
	if c, ok := named[name]; ok {
		return c, len(name) + 2
	}
	digits, base := strings.TrimPrefix(name, "#"), 10
	if rest, ok := strings.CutPrefix(strings.ToLower(digits), "x"); ok {
		digits, base = rest, 16
	}
	if v, err := strconv.ParseUint(digits, base, 32); err == nil && v < utf8.RuneSelf && name[0] == '#' {
		return byte(v), len(name) + 2
	}
	return text[0], 1
}

// unseen is the length of a leading character that is blank, or that is not shown.
func unseen(text []byte) int {
	r, n := utf8.DecodeRune(text)
	if r <= ' ' || unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
		return n
	}
	return 0
}

// lower is a text with its ASCII letters in lower case.
func lower(text []byte) []byte {
	out := make([]byte, len(text))
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		out[i] = c
	}
	return out
}
