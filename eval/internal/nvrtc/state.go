package nvrtc

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxTables is how many bytes of initialised variables a program may have in device memory. Tables and constants
// that are used by reference end up there, not marked as such; an answer to keep takes more room.
const maxTables = 1 << 10

var (
	comments = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	// declared matches a variable's declaration in PTX: linkage, alignment, attributes, type, name, extent, value.
	declared = regexp.MustCompile(`^(?:\.(?:visible|weak|extern|common)\s+)*\.global\s+(?:\.(?:align\s+\d+|attribute\([^)]*\)|ptr|v[248])\s*)*\.[a-z]+(\d+)\s+([A-Za-z_$%][\w$]*)((?:\s*\[\d*\])*)\s*(=?)`)
	// prefixes are a label and the condition of an instruction.
	prefixes = regexp.MustCompile(`^(?:[A-Za-z_$%][\w$]*:\s*)?(?:@!?%?\w+\s+)?`)
	names    = regexp.MustCompile(`[A-Za-z_$%][\w$]*`)
	address  = regexp.MustCompile(`\[[^\]]*\]`) // the first one of a statement is what it writes to
	extents  = regexp.MustCompile(`\d+`)
	writing  = regexp.MustCompile(`^(?:st|atom|red|cp|multimem|sust)\b`)
)

// heap matches the declaration of the device heap's allocator, which the driver provides and no source can (CUDA C++
// Programming Guide, dynamic global memory allocation).
var heap = regexp.MustCompile(`\.extern\s+\.func\s*(?:\([^)]*\)\s*)?malloc\b`)

// State names the variables in device memory that a program refers to, with their size, as "a (4 bytes), b (8 bytes)",
// and the device heap, which lives as long as the context: beyond calls and modules. They keep their value from one launch to the next, so that a kernel could answer with what it found
// earlier. Initialised ones that nothing writes by name are left out while all of them together are small.
//
// It reads PTX, since the machine code lists constants that the compiler folded among the variables, and the
// address of each whether it is used or not (Parallel Thread Execution ISA, 5.1.4 and 10.1).
func State(ptx []byte) string {
	globals, used, written := variables(string(ptx))
	tables := 0
	for _, g := range globals {
		if g.initialised && used[g.name] {
			tables += g.bytes
		}
	}
	var found []string
	for _, g := range globals {
		if used[g.name] && (!g.initialised || written[g.name] || tables > maxTables) {
			found = append(found, fmt.Sprintf("%s (%d bytes)", g.name, g.bytes))
		}
	}
	if heap.Match(comments.ReplaceAll(ptx, []byte(" "))) {
		found = append(found, "what malloc and new give")
	}
	slices.Sort(found)
	return strings.Join(found, ", ")
}

type global struct {
	name        string
	bytes       int
	initialised bool
}

// variables lists a program's variables in device memory, the names that occur outside of their declaration, and those
// that an instruction with effects on memory reaches.
func variables(ptx string) (globals []global, used, written map[string]bool) {
	used, written = map[string]bool{}, map[string]bool{}
	from := map[string][]string{} // the variables whose address a register was made from
	for statement := range strings.FieldsFuncSeq(comments.ReplaceAllString(ptx, " "), func(r rune) bool { return strings.ContainsRune(";{}\n", r) }) {
		statement = prefixes.ReplaceAllString(strings.TrimSpace(statement), "")
		if m := declared.FindStringSubmatch(statement); m != nil {
			g := newGlobal(m)
			globals = append(globals, g)
			from[g.name] = []string{g.name}
			statement = statement[len(m[0]):]
		}
		operation, operands, _ := strings.Cut(strings.ReplaceAll(statement, "\t", " "), " ")
		mentioned := names.FindAllString(operands, -1)
		writes := writing.MatchString(operation)
		if writes {
			for _, n := range names.FindAllString(address.FindString(operands), -1) {
				for _, v := range from[n] {
					written[v] = true
				}
			}
		}
		for i, n := range mentioned {
			used[n] = true
			if i > 0 && len(from[n]) > 0 && !writes && !strings.HasPrefix(operation, "ld") {
				from[mentioned[0]] = union(from[mentioned[0]], from[n])
			}
		}
	}
	return globals, used, written
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// newGlobal reads a match of declared: bits, name, extents, equals sign.
func newGlobal(m []string) global {
	bits, _ := strconv.Atoi(m[1])
	g := global{name: m[2], bytes: bits / 8, initialised: m[4] != ""}
	for _, n := range extents.FindAllString(m[3], -1) {
		extent, _ := strconv.Atoi(n)
		g.bytes *= extent
	}
	return g
}
