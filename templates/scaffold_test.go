package templates

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// A built-in problem under another name is that problem: every file as it was but the line with the name.
func TestRenamed(t *testing.T) {
	for _, name := range Builtins() {
		t.Run(name, func(t *testing.T) {
			old, err := Builtin(name)
			if err != nil {
				t.Fatal(err)
			}
			files, err := old.Renamed("my-own_2")
			if err != nil {
				t.Fatal(err)
			}
			b, err := FromFiles(files)
			if err != nil {
				t.Fatal(err)
			}
			if b.Problem.Name != "my-own_2" || old.Problem.Name != name {
				t.Errorf("the names are %q and %q", b.Problem.Name, old.Problem.Name)
			}
			b.Problem.Name = name
			if got, want := written(t, b), written(t, old); got != want {
				t.Errorf("the problem is\n%s\nwant\n%s", got, want)
			}
			for file, data := range old.Files {
				if file != problemFile && !bytes.Equal(files[file], data) {
					t.Errorf("%s differs", file)
				}
			}
		})
	}
}

// written is what the files of a bundle declare.
func written(t *testing.T, b *Bundle) string {
	data, err := json.Marshal([]any{b.Problem, b.Families})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestRenamedRefuses(t *testing.T) {
	b, err := FromFiles(scaffolded(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "a b", "../x", `x"`, "-x"} {
		if _, err := b.Renamed(name); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
	text := string(b.Files[problemFile])
	// TOML, too, but no line that begins with name
	for _, line := range []string{"\"name\" = \"mine\"", "  name = \"mine\""} {
		b.Files[problemFile] = []byte(strings.Replace(text, "name = \"mine\"", line, 1))
		if files, err := b.Renamed("other"); err == nil {
			t.Errorf("%s: taken for a line with the name: %.60q", line, files[problemFile])
		}
	}
}
