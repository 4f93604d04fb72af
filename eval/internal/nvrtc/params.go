package nvrtc

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	declared  = regexp.MustCompile(`\.param\b([^;)]*)`) // one, or all of an entry or a call
	paramType = regexp.MustCompile(`\.[bsuf](8|16|32|64|128)\b`)
	paramName = regexp.MustCompile(`([A-Za-z_$%][\w$]*)\s*(?:\[\s*(\d*)\s*\])?\s*$`)
	paramRead = regexp.MustCompile(`\bld(?:\s*\.\s*\w+)*\s*\.\s*param\b[^;\[]*?([\w$%]*\s*\[[^\]]*\])`)
	paramAt   = regexp.MustCompile(`^\s*\[\s*([A-Za-z_$%][\w$]*)\s*(?:\+\s*(\d+)\s*)?\]$`)
	byIndex   = regexp.MustCompile(`^\s*\[\s*%[\w$]+\s*(?:\+\s*-?\d+\s*)?\]$`) // a register of the compiler's
)

// Beside lists the places that a program reads as parameters and that are none: before or behind a parameter. The
// driver keeps what it knows of a launch in the same bank, in front of the parameters: the number of the launch, which
// is refused by its name (Counters), for one. What is read by a register is not listed: so compilers read an array
// among the parameters by an index, and where that leads is not known before the program runs.
func Beside(ptx []byte) (places []string) {
	bare := comments.ReplaceAll(ptx, []byte(" "))
	size := params(string(bare))
	if places = beside(ptx, size); len(places) > 0 {
		return places
	}
	return beside(bare, size) // a comment may part an instruction, or show another address first
}

func beside(ptx []byte, size map[string]int) (places []string) {
	for _, m := range paramRead.FindAllSubmatch(ptx, -1) {
		if byIndex.Match(m[1]) {
			continue
		}
		at := paramAt.FindStringSubmatch(string(m[1]))
		if at != nil {
			bytes, known := size[at[1]]
			offset, err := strconv.Atoi("0" + at[2])
			if known && err == nil && offset < bytes {
				continue
			}
		}
		places = append(places, strings.TrimSpace(string(m[1])))
	}
	return places
}

// params is the size in bytes of each parameter that is declared, of those of several functions the largest. A
// declaration without a type has the one before: .param .b64 a, b.
func params(ptx string) map[string]int {
	size := map[string]int{}
	for _, m := range declared.FindAllStringSubmatch(ptx, -1) {
		unit := 0
		for one := range strings.SplitSeq(m[1], ",") {
			if t := paramType.FindStringSubmatch(one); t != nil {
				unit = number(t[1]) / 8
			}
			if n := paramName.FindStringSubmatch(one); n != nil {
				size[n[1]] = max(size[n[1]], unit*max(1, number(n[2])))
			}
		}
	}
	return size
}
