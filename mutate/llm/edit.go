package llm

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Edit replaces lines of a source, which must stand there exactly once.
type Edit struct{ Search, Replace string }

var (
	searchRE  = regexp.MustCompile(`^<{5,9} ?SEARCH\s*$`)
	divideRE  = regexp.MustCompile(`^={5,9}\s*$`)
	replaceRE = regexp.MustCompile(`^>{5,9} ?REPLACE\s*$`)
)

// readEdits reads blocks of <<<<<<< SEARCH, =======, >>>>>>> REPLACE; what is around them is ignored.
func readEdits(text string) ([]Edit, error) {
	var out []Edit
	var search, replace []string
	where := 0 // 0 outside, 1 in SEARCH, 2 in REPLACE
	for _, line := range strings.Split(text, "\n") {
		switch {
		case where == 0 && searchRE.MatchString(line):
			where, search, replace = 1, nil, nil
		case where == 1 && divideRE.MatchString(line):
			where = 2
		case where == 2 && replaceRE.MatchString(line):
			where = 0
			out = append(out, Edit{join(search), join(replace)})
		case where != 0 && (searchRE.MatchString(line) || replaceRE.MatchString(line)):
			return nil, fmt.Errorf("edit %d: its block is not closed: expected SEARCH, =======, REPLACE", len(out)+1)
		case where == 1:
			search = append(search, line)
		case where == 2:
			replace = append(replace, line)
		}
	}
	switch {
	case where != 0:
		return nil, fmt.Errorf("edit %d: its block is not closed: the reply may have been cut off", len(out)+1)
	case len(out) == 0:
		return nil, errors.New("section edit: expected blocks of <<<<<<< SEARCH, =======, >>>>>>> REPLACE")
	case len(out) > maxEdits:
		return nil, fmt.Errorf("%d edits: at most %d; send the whole kernel", len(out), maxEdits)
	}
	return out, nil
}

func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// Apply applies edits one after the other, whole lines and exactly, or says which one does not fit.
func Apply(source string, edits []Edit) (string, error) {
	if !strings.HasSuffix(source, "\n") {
		source += "\n"
	}
	before := source
	for i, e := range edits {
		if strings.TrimSpace(e.Search) == "" {
			return "", fmt.Errorf("edit %d: its SEARCH text is empty", i+1)
		}
		at := occurrences(source, e.Search)
		if len(at) != 1 {
			return "", fmt.Errorf("edit %d: its SEARCH text stands %d times in the source, expected once; it begins %q",
				i+1, len(at), Line(e.Search, 80))
		}
		source = source[:at[0]] + e.Replace + source[at[0]+len(e.Search):]
	}
	if source == before {
		return "", errors.New("the edits change nothing")
	}
	return source, nil
}

// occurrences are where a text of whole lines stands.
func occurrences(source, text string) (at []int) {
	for from := 0; ; {
		i := strings.Index(source[from:], text)
		if i < 0 {
			return at
		}
		if i += from; i == 0 || source[i-1] == '\n' {
			at = append(at, i)
		}
		from = i + 1
	}
}

// Fingerprint is a source without what does not decide its code: comments and blanks. Renaming is seen by the machine
// code, after compiling.
func Fingerprint(source string) string {
	return strings.Join(slices.Collect(tokens(source)), " ")
}
