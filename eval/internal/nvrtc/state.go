package nvrtc

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Idle reports whether a program refers to the variable of that name nowhere: its name occurs in the PTX once, where
// it is declared. The machine code has such variables too, with the address of each (constants that the compiler
// folded, for example). Comments and strings count as well, so that nothing can be hidden in text that only looks
// like a comment or a string.
func Idle(ptx []byte, name string) bool {
	n := 0
	for rest := ptx; n < 2; {
		at := bytes.Index(rest, []byte(name))
		if at < 0 {
			break
		}
		end := at + len(name)
		if (at == 0 || !ofName(rest[at-1])) && (end == len(rest) || !ofName(rest[end])) {
			n++
		}
		rest = rest[end:]
	}
	return n == 1
}

// counters are the special registers that tell one call from another: the number of the launch, the graph that it is
// part of, and what performance monitors have counted (PTX ISA, 10, "Special Registers").
var counters = regexp.MustCompile(`%(?:gridid|current_graph_exec|pm[0-7](?:_64)?)\b`)

// Counters lists the special registers in a program that tell one call from another, each once. As in Idle, comments
// and strings count as well.
func Counters(ptx []byte) []string {
	list := strings.Fields(string(bytes.Join(counters.FindAll(ptx, -1), []byte(" "))))
	slices.Sort(list)
	return slices.Compact(list)
}

// ofName reports whether a character can be part of a name of PTX (Parallel Thread Execution ISA, 4.4).
func ofName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '%'
}

var (
	comments = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	// prefixes are a label and the condition of an instruction.
	prefixes = regexp.MustCompile(`^(?:[A-Za-z_$%][\w$]*:\s*)?(?:@!?%?\w+\s+)?`)
	names    = regexp.MustCompile(`[A-Za-z_$%][\w$]*`)
	address  = regexp.MustCompile(`\[[^\]]*\]`) // the first one of a statement is what it writes to
	function = regexp.MustCompile(`^\.(?:\w+\s+\.)*(?:entry|func)\b`)
	writing  = regexp.MustCompile(`^(?:st|atom|red|cp|multimem|sust)\b`)
)

// Written finds those of the variables that an instruction writes to by an address that was visibly computed from
// their name. It is for an early message: an address that went through memory, or through assembly, is not followed.
func Written(ptx []byte, variables []string) map[string]bool {
	written := map[string]bool{}
	if len(variables) == 0 {
		return written
	}
	from := map[string][]string{} // the variables from whose address a name was computed
	for _, v := range variables {
		from[v] = []string{v}
	}
	text := comments.ReplaceAllString(string(ptx), " ")
	for statement := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(";{}\n", r) }) {
		statement = strings.TrimSpace(statement)
		if statement == "" || !ofName(statement[0]) && statement[0] != '@' {
			forget(from, statement)
			continue // a directive, or the values of a table
		}
		statement = prefixes.ReplaceAllString(statement, "")
		operation, operands, _ := strings.Cut(strings.ReplaceAll(statement, "\t", " "), " ")
		if writing.MatchString(operation) {
			for _, n := range names.FindAllString(address.FindString(operands), -1) {
				for _, v := range from[n] {
					written[v] = true
				}
			}
			continue
		}
		follow(from, operation, names.FindAllString(operands, -1))
	}
	return written
}

// forget drops what is known of the registers that a directive declares again: of all of them at the beginning of a
// function.
func forget(from map[string][]string, directive string) {
	if function.MatchString(directive) {
		maps.DeleteFunc(from, func(name string, stands []string) bool { return len(stands) != 1 || stands[0] != name })
	}
	if strings.HasPrefix(directive, ".reg") {
		for _, n := range names.FindAllString(directive[len(".reg"):], -1) {
			delete(from, n)
		}
	}
}

// follow records from which variables the result of an instruction was computed.
func follow(from map[string][]string, operation string, operands []string) {
	if len(operands) == 0 || strings.HasPrefix(operation, "ld") {
		return
	}
	for _, n := range operands[1:] {
		for _, v := range from[n] {
			if !slices.Contains(from[operands[0]], v) {
				from[operands[0]] = append(from[operands[0]], v)
			}
		}
	}
}
