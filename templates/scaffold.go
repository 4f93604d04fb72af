package templates

import (
	"embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"darwarp/kernels"
)

// scaffold holds the folder that a user starts from: a small problem that searches at once.
//
//go:embed all:scaffold
var scaffold embed.FS

var scaffoldName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]*$`)

// nameLine is the line of problem.toml with the problem's name, which stands above the first table.
var nameLine = regexp.MustCompile(`(?m)^name[ \t]*=.*$`)

func checkName(name string) error {
	if !scaffoldName.MatchString(name) {
		return fmt.Errorf("%q is not a name for a problem: expected letters, digits, '-' and '_'", name)
	}
	return nil
}

// Renamed returns the files of the problem under another name, by file name. What they say besides is the same.
func (b *Bundle) Renamed(name string) (map[string][]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	out := maps.Clone(b.Files)
	data := out[problemFile]
	at := nameLine.FindIndex(data)
	if at == nil {
		return nil, fmt.Errorf("%s: expected the name in a line of its own", problemFile)
	}
	out[problemFile] = slices.Concat(data[:at[0]], fmt.Appendf(nil, "name = %q", name), data[at[1]:])
	if p, err := kernels.ParseProblem(problemFile, out[problemFile]); err != nil || p.Name != name {
		return nil, fmt.Errorf("%s: expected the name in a line of its own, above the first table", problemFile)
	}
	return out, nil
}

// Scaffold returns the files of a new problem folder of the given name, by file name.
func Scaffold(name string) (map[string][]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
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
