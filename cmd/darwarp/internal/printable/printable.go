// Package printable makes text of any origin safe to show: what would steer a terminal, hide or turn around what
// stands beside it is written out, as \x1b or \u202e. Names, notes and messages of runs, recordings, folders and
// models may be anything.
package printable

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// invisible are the runes that unicode.IsPrint lets through although they show nothing: fillers and variation
// selectors.
var invisible = []*unicode.RangeTable{unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector}

// isPrintable reports whether a rune can be shown as it is: letters, marks, numbers, punctuation, symbols and the blank
// (unicode.IsPrint); no control or format character, no other blank, nothing that is not assigned.
func isPrintable(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r != 0x7f
	}
	return unicode.IsPrint(r) && !unicode.In(r, invisible...)
}

// Line is s on one line: line breaks and tabs are written out too.
func Line(s string) string { return clean(s, "") }

// Text is s with its line breaks and tabs. A carriage return before a line break is left out.
func Text(s string) string { return clean(s, "\n\t") }

// Block is a text of several lines in which each line after the first begins with the indent, so that no line of
// the text passes for one of the program's.
func Block(s, indent string) string {
	return strings.ReplaceAll(Text(strings.TrimRight(s, "\n")), "\n", "\n"+indent)
}

// clean writes out what cannot be shown, except the ASCII characters in keep.
func clean(s, keep string) string {
	if isClean(s, keep) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch c := s[i]; {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\x` + hex(rune(c), 2))
		case isPrintable(r) || n == 1 && strings.IndexByte(keep, c) >= 0:
			b.WriteString(s[i : i+n])
		case keep != "" && strings.HasPrefix(s[i:], "\r\n"):
		default:
			b.WriteString(written(r))
		}
		i += n
	}
	return b.String()
}

func isClean(s, keep string) bool {
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return false
		}
		if !isPrintable(r) && (r >= utf8.RuneSelf || strings.IndexByte(keep, byte(r)) < 0) {
			return false
		}
	}
	return true
}

// written is a rune as Go writes it in a string.
func written(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r < utf8.RuneSelf:
		return `\x` + hex(r, 2)
	case r < 0x10000:
		return `\u` + hex(r, 4)
	}
	return `\U` + hex(r, 8)
}

func hex(r rune, digits int) string {
	s := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", max(0, digits-len(s))) + s
}

// Width is how many columns a terminal takes for a printable line.
func Width(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// Cut is the beginning of a printable line that fits into so many columns.
func Cut(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	return ansi.Truncate(s, width, "")
}
