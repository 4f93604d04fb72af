package printable

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// hostile are texts that do something to a terminal or to a reader, with what is shown of them on one line.
var hostile = []struct{ name, text, line string }{
	{"nothing", "", ""},
	{"plain", "NVIDIA H200 ± 5 µs, x[1] = 3", "NVIDIA H200 ± 5 µs, x[1] = 3"},
	{"other scripts", "Zürich 世界 Ελλάδα עברית ✓", "Zürich 世界 Ελλάδα עברית ✓"},
	{"a replacement character is a character", "\uFFFD", "\uFFFD"},
	{"colour", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
	{"title", "\x1b]0;owned\x07", `\x1b]0;owned\x07`},
	{"C1 as UTF-8", "\u009b31m \u009d0;owned\u009c", `\u009b31m \u009d0;owned\u009c`},
	{"C1 as a byte", "\x9b31m", `\x9b31m`},
	{"invalid UTF-8", "a\xff\xc0\xafb", `a\xff\xc0\xafb`},
	{"half a rune", "\xe2\x80", `\xe2\x80`},
	{"a surrogate", "\xed\xa0\x80", `\xed\xa0\x80`},
	{"zero and delete", "\x00\x7f\b\v\f", `\x00\x7f\x08\x0b\x0c`},
	{"back to the beginning", "right\rwrong", `right\rwrong`},
	{"a line of its own", "x\ndarwarp: ok", `x\ndarwarp: ok`},
	{"tab", "a\tb", `a\tb`},
	{"line separators", "a\u2028b\u2029c\u0085d", `a\u2028b\u2029c\u0085d`},
	{"turned around", "a\u202edcb\u202c\u2066\u2069", `a\u202edcb\u202c\u2066\u2069`},
	{"marks of direction", "\u200e\u200f\u061c", `\u200e\u200f\u061c`},
	{"zero width", "a\u200bb\u200d\u2060\ufeff\u00ad", `a\u200bb\u200d\u2060\ufeff\u00ad`},
	{"fillers", "\u115f\u3164\uffa0\u034f\ufe0f", `\u115f\u3164\uffa0\u034f\ufe0f`},
	{"other blanks", "\u00a0\u3000\u2003", `\u00a0\u3000\u2003`},
	{"tags", "\U000e0041\U000e007f", `\U000e0041\U000e007f`},
	{"private use and not assigned", "\ue000\U0010ffff\u0378", `\ue000\U0010ffff\u0378`},
}

func TestLine(t *testing.T) {
	for _, tt := range hostile {
		if got := Line(tt.text); got != tt.line {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.line)
		}
	}
}

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"a\n\tb\n":      "a\n\tb\n",
		"a\r\nb\r\n":    "a\nb\n",
		"a\rb\r":        `a\rb\r`,
		"a\r\r\nb":      `a\r` + "\nb",
		"a\n\x1b[2Jb":   "a\n" + `\x1b[2Jb`,
		"\u202e\na\xff": `\u202e` + "\na" + `\xff`,
	} {
		if got := Text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got, want := Block("one\ntwo\r\n\x1b\n\n", "  "), "one\n  two\n  \\x1b"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWriter: each call is made printable, and says that it wrote what it was given.
func TestWriter(t *testing.T) {
	var b bytes.Buffer
	w := &Writer{W: &b}
	for _, s := range []string{"a\x1b]0;x\a\n", "\xe2\x80", "\xae\n"} {
		if n, err := w.Write([]byte(s)); n != len(s) || err != nil {
			t.Errorf("%q: %d written, %v", s, n, err)
		}
	}
	if got, want := b.String(), `a\x1b]0;x\x07`+"\n"+`\xe2\x80\xae`+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestJSONWriter: values stay what they are, whatever the encoder leaves as it is.
func TestJSONWriter(t *testing.T) {
	for _, tt := range hostile {
		in := map[string]string{tt.text: tt.text}
		var b bytes.Buffer
		e := json.NewEncoder(&JSONWriter{&b})
		e.SetEscapeHTML(false)
		e.SetIndent("", "\t")
		if err := e.Encode(in); err != nil {
			t.Fatal(err)
		}
		if s := b.String(); Text(s) != s {
			t.Errorf("%s: %q", tt.name, s)
		}
		plain, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var got, want map[string]string
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Errorf("%s: %v in %q", tt.name, err, b.String())
		}
		if err := json.Unmarshal(plain, &want); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q (%v)", tt.name, got, want, err)
		}
	}
}

// TestValues: texts are made printable wherever they are, and the caller's value stays.
func TestValues(t *testing.T) {
	type node struct {
		Name  string
		Texts [][]string
		Next  *node
		at    string
	}
	evil := "\u202e\x1b"
	inner := &node{Name: evil, Texts: [][]string{{evil}}}
	v := node{Name: evil, Next: inner, Texts: [][]string{nil, {"a\nb", evil}}, at: evil}
	Values(&v)
	want := node{Name: Line(evil), Next: &node{Name: Line(evil), Texts: [][]string{{Line(evil)}}},
		Texts: [][]string{nil, {"a\nb", Line(evil)}}, at: evil}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("%+v, want %+v", v, want)
	}
	if inner.Name != evil || inner.Texts[0][0] != evil {
		t.Errorf("the caller's value became %+v", inner)
	}
}

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "±1": 2, "世界": 4} {
		if got := Width(s); got != want {
			t.Errorf("%q: %d columns, want %d", s, got, want)
		}
	}
	for _, tt := range []struct {
		s    string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"世界", 3, "世"}, {"世界", 1, ""}} {
		if got := Cut(tt.s, tt.n); got != tt.want {
			t.Errorf("%q in %d columns: %q, want %q", tt.s, tt.n, got, tt.want)
		}
	}
}

// FuzzPrintable: whatever comes in, only what can be shown goes out, and doing it twice is doing it once.
func FuzzPrintable(f *testing.F) {
	for _, tt := range hostile {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line, text := Line(s), Text(s)
		checkPrintable(t, line, "")
		checkPrintable(t, text, "\n\t")
		checkPrintable(t, asJSON([]byte(s)), "\n\t")
		if Line(line) != line || Text(text) != text {
			t.Errorf("%q: not the same when it is done again", s)
		}
		if ansi.Strip(line) != line {
			t.Errorf("%q: a terminal would obey %q", s, line)
		}
		for n := range 4 {
			if w := Width(Cut(line, n)); w > n {
				t.Errorf("%q: cut to %d columns it has %d", line, n, w)
			}
		}
		if strings.Count(Block(s, "  "), "\n") != strings.Count(Block(s, "  "), "\n  ") {
			t.Errorf("%q: a line that is not indented", s)
		}
	})
}

func checkPrintable(t *testing.T, s, keep string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%q is not valid", s)
	}
	for _, r := range s {
		if !isPrintable(r) && !strings.ContainsRune(keep, r) {
			t.Errorf("%U in %q", r, s)
		}
	}
}
