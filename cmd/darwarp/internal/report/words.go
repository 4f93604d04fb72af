package report

import (
	"regexp"
	"slices"
	"strings"
)

// OrDash is a text, or a dash in place of an empty one.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// summaryWidth is in characters: what stands behind a champion's figures on a line of 120.
const summaryWidth = 72

// Summary is the first sentence of a text for people, or as many of its words as fit.
func Summary(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if end := sentenceRE.FindStringIndex(text); end != nil {
		text = text[:end[0]+1]
	}
	short := []rune(text)
	if len(short) <= summaryWidth {
		return text
	}
	short = short[:summaryWidth-4]
	if at := strings.LastIndex(string(short), " "); at > 0 {
		return strings.TrimRight(string(short)[:at], ",;:") + " ..."
	}
	return string(short) + " ..."
}

// sentenceRE finds the end of a sentence: not that of 1.5 or of a name with dots.
var sentenceRE = regexp.MustCompile(`[.!?] +[A-Z]`)

// NonEmpty are the texts that are not empty.
func NonEmpty(ss ...string) []string {
	return slices.DeleteFunc(ss, func(s string) bool { return s == "" })
}
