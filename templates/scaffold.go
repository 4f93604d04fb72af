package templates

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
)

// scaffold holds the folder that a user starts from: a small problem that searches at once.
//
//go:embed all:scaffold
var scaffold embed.FS

var scaffoldName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]*$`)

// Scaffold returns the files of a new problem folder of the given name, by file name.
func Scaffold(name string) (map[string][]byte, error) {
	if !scaffoldName.MatchString(name) {
		return nil, fmt.Errorf("%q is not a name for a problem: expected letters, digits, '-' and '_'", name)
	}
	entries, err := scaffold.ReadDir("scaffold")
	if err != nil { // embedded
		panic(err)
	}
	out := map[string][]byte{}
	for _, e := range entries {
		data, err := scaffold.ReadFile("scaffold/" + e.Name())
		if err != nil {
			panic(err)
		}
		out[e.Name()] = []byte(strings.ReplaceAll(string(data), "@NAME@", name))
	}
	return out, nil
}
