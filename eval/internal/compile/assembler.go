package compile

import "regexp"

// assemblerLine is how a source asks for the assembler's optimisation level: a comment on a line of its own. Being
// text of the source, it is part of the candidate's identity and of what is exported.
var assemblerLine = regexp.MustCompile(`(?m)^// ptxas: (-O[0-3])$`)

// Assembler is the level that a source asks for, such as -O2, or empty for the assembler's own (-O3).
func Assembler(source string) string {
	if m := assemblerLine.FindStringSubmatch(source); m != nil {
		return m[1]
	}
	return ""
}
