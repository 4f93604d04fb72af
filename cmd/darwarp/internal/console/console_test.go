package console

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"darwarp/kernels"
)

const evil = "x\x1b]0;owned\a\ndarwarp: \u202eok\xff"

// TestFields: what is printed keeps to its place, and nothing in it is an order to a terminal.
func TestFields(t *testing.T) {
	const line = `x\x1b]0;owned\x07\ndarwarp: \u202eok\xff`
	const cleaned = "x?]0;owned?\n  darwarp: ?ok�" // by kernels.Mistake itself
	const lines = "x\\x1b]0;owned\\x07\n  darwarp: \\u202eok\\xff"
	for _, tt := range []struct {
		name string
		arg  any
		want string
	}{
		{"text", evil, line},
		{"a type of texts", kernels.DType(evil), line},
		{"lines", Lines(evil), lines},
		{"error", errors.New(evil), lines},
		{"mistakes", kernels.Mistakes{{File: "a", Err: errors.New(evil)}, {File: evil, Key: "k", Err: errors.New("b")}},
			"a: " + cleaned + "\n" + cleaned + ": k: b"},
		{"in a list", []string{"\x1b"}, `[\x1b]`},
		{"number", 3, "3"},
		{"says itself", kernels.Wrong, "wrong"},
	} {
		var out, talk bytes.Buffer
		c := New(nil, &out, &talk)
		c.Printf("<%v>\n", tt.arg)
		c.Sayf("<%v>", tt.arg)
		if want := "<" + tt.want + ">\n"; out.String() != want || talk.String() != want {
			t.Errorf("%s: %q and %q, want %q", tt.name, out.String(), talk.String(), want)
		}
	}
}

// TestStreams: whatever is written to a stream is made printable, sources and diffs too; JSON keeps its values.
func TestStreams(t *testing.T) {
	var out, talk bytes.Buffer
	c := New(nil, &out, &talk)
	fmt.Fprintf(c.Out, "%s", "\x1b[2J\n")
	fmt.Fprintf(c.Err, "%s", "\u009b2J\n")
	for _, err := range []error{c.PrintSource("// \x1b\r\nint\tx;\n"), c.PrintDiff("+\x1b[0m\n"),
		c.PrintJSON("\u009b\x7f")} {
		if err != nil {
			t.Error(err)
		}
	}
	const want = `\x1b[2J` + "\n" + `// \x1b` + "\nint\tx;\n" + `+\x1b[0m` + "\n" + `"\u009b\u007f"` + "\n"
	if got := out.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := talk.String(); got != `\u009b2J`+"\n" {
		t.Errorf("%q", got)
	}
	if screen, done := c.Screen(); screen != &out {
		done()
		t.Error("the view does not draw on the stream below")
	}
}

// TestOneWay: escape sequences are written in few places, and the process's own streams in one: everything else goes
// through a Console.
func TestOneWay(t *testing.T) {
	sequences := regexp.MustCompile(`\\(x1b|033|u001b)[][()\\]|os\.Std(out|err)|fmt\.Print|\.Screen\(\)`)
	allowed := map[string]bool{"main.go": true, "internal/progress/progress.go": true, "internal/report/source.go": true,
		"internal/tui/style.go": true, "internal/tui/canvas.go": true, "internal/view/view.go": true,
		"internal/view/here.go": true, "internal/printable/printable.go": true}
	seen := 0
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		seen++
		text, err := fs.ReadFile(root, path)
		if at := sequences.Find(text); at != nil && !allowed[path] {
			t.Errorf("%s has %s: print through a Console", path, at)
		}
		return err
	})
	if err != nil || seen < 100 {
		t.Errorf("%d files read: %v", seen, err)
	}
}
