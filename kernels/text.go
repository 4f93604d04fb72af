package kernels

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of text from files that others wrote, in bytes.
const (
	MaxName  = 128 // an identifier, a label, a word
	MaxLine  = 300 // one line that is shown: an idea, the name of a device
	MaxAbout = 400 // what a problem, a family or a gene says of itself
	maxSize  = 300 // the name of a workload: its dims, where it was typed
)

// deviceArchRE is an architecture as devices tell it, and sizeRE the name of a workload or its sizes, as in m=1,n=2.
var (
	deviceArchRE = regexp.MustCompile(`^(sm_[0-9]{2,4}[a-z]?|cpu)$`)
	sizeRE       = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.,=-]*$`)
)

// CheckIdentifier refuses what is no name of a gene, a dim, a tensor or a kernel: it stands in C and Python as it is.
func CheckIdentifier(s string) error {
	if len(s) > MaxName || !isIdentifier(s) {
		return fmt.Errorf("%s is not an identifier of at most %d letters, digits and '_'", quoted(s), MaxName)
	}
	return nil
}

func isIdentifier(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; s[i] != '_' && (c < 'a' || c > 'z') && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}

// CheckLabel refuses what is no name of a problem, a family or a file: it is part of paths and of commands.
func CheckLabel(s string) error {
	if len(s) > MaxName || !labelRE.MatchString(s) {
		return fmt.Errorf("%s is not a name of at most %d letters, digits, '-', '_' and '.'", quoted(s), MaxName)
	}
	return nil
}

// CheckSize refuses what is no name of a workload.
func CheckSize(s string) error {
	if len(s) > maxSize || !sizeRE.MatchString(s) {
		return fmt.Errorf("%s is not the name of a workload, nor sizes as in m=1,n=2", quoted(s))
	}
	return nil
}

// CheckArch refuses what no compiler takes for an architecture. A recording of another tool has none.
func CheckArch(s string) error {
	if s != "" && !deviceArchRE.MatchString(s) {
		return fmt.Errorf("%s is not an architecture: expected one as in sm_90a, or cpu", quoted(s))
	}
	return nil
}

// CheckLine refuses text that is not one printable line of at most so many bytes. It is for what must stay as it is,
// because something is named by it; what is only shown is cleaned.
func CheckLine(s string, most int) error {
	if len(s) > most || !printable(s) {
		return fmt.Errorf("%s is not one printable line of at most %d bytes", quoted(s), most)
	}
	return nil
}

// CleanLine makes text one printable line of at most so many bytes. A character that could act on a terminal, or
// reorder what is beside it, becomes '?'.
func CleanLine(s string, most int) string {
	if len(s) <= most && printable(s) && s == strings.TrimSpace(s) {
		return s
	}
	s = s[:min(len(s), 4*most)] // no more than this can be left of it
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
	if len(s) <= most {
		return s
	}
	const cut = " ..."
	for most -= len(cut); most > 0 && !utf8.RuneStart(s[most]); most-- {
	}
	return s[:most] + cut
}

// printable reports whether text is valid and has nothing but letters, marks, digits, punctuation and blanks: no
// control and no formatting character, such as those that turn the direction of writing.
func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' {
			return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
		}
	}
	return true
}

// quoted shows a wrong name: as ASCII, and not all of it.
func quoted(s string) string {
	if len(s) > 60 {
		return fmt.Sprintf("%+q...", strings.ToValidUTF8(s[:60], ""))
	}
	return fmt.Sprintf("%+q", s)
}
