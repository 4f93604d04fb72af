package report

import (
	"strings"

	"darwarp/kernels"
)

// Cause is why a candidate failed, in one line, and a key that is the same for details that differ only
// in their numbers: which element was wrong and by how much, which size of shared memory was too large.
func Cause(o kernels.Outcome, detail string) (key, text string) {
	text = FirstLine(detail)
	switch {
	case o == kernels.Duplicate:
		text = "same machine code and launches as another" // of which is no cause
	case text == "":
		text = o.String()
	}
	return o.String() + " " + withoutNumbers(text), text
}

// withoutNumbers writes # for each word that begins with a digit, or is no finite number, with its sign.
func withoutNumbers(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n := wordLen(s[i:])
		switch word := s[i : i+n]; {
		case n == 0:
			n = 1
			if sign := s[i] == '-' || s[i] == '+'; !sign || i+1 == len(s) || !number(s[i+1:i+1+wordLen(s[i+1:])]) {
				b.WriteByte(s[i])
			}
		case number(word):
			b.WriteByte('#')
		default:
			b.WriteString(word)
		}
		i += n
	}
	return strings.ReplaceAll(b.String(), "##", "#") // 1e-05 is two words
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.'
}

func wordLen(s string) int {
	n := 0
	for n < len(s) && wordByte(s[n]) {
		n++
	}
	return n
}

func number(word string) bool {
	if word == "" {
		return false
	}
	return word[0] >= '0' && word[0] <= '9' || word == "NaN" || word == "Inf"
}
