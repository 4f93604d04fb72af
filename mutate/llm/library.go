package llm

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Library is the device library as prompts show it, without comments, with what each file declares. To make one takes
// some ten milliseconds.
type Library map[string]header

type header struct {
	text  string
	names []string
}

var declaredRE = regexp.MustCompile(`(?m)__device__[^;{]*?\b(\w+)\(|\bstruct (\w+)`)

// NewLibrary reads the library's files.
func NewLibrary(files map[string][]byte) Library {
	l := Library{}
	for name, data := range files {
		h := header{text: strings.TrimSpace(StripComments(string(data)))}
		for _, m := range declaredRE.FindAllStringSubmatch(h.text, -1) {
			h.names = append(h.names, m[1]+m[2]) // one of them is empty
		}
		l[name] = h
	}
	return l
}

// Used picks the files that declare something which a source uses, in the order of their names, as long as they fit so
// many bytes.
func (l Library) Used(source string, most int) map[string]string {
	out, used := map[string]string{}, map[string]bool{}
	for t := range tokens(source) {
		used[t] = true
	}
	for _, name := range slices.Sorted(maps.Keys(l)) {
		h := l[name]
		if len(h.text) <= most && slices.ContainsFunc(h.names, func(n string) bool { return used[n] }) {
			out[name] = h.text
			most -= len(h.text)
		}
	}
	return out
}
