package export

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	gotoml "github.com/pelletier/go-toml/v2"
)

// firstOther is where two readings part.
func firstOther(got, want any) string {
	a, b := strings.Fields(fmt.Sprintf("%q", got)), strings.Fields(fmt.Sprintf("%q", want))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("%.300s, expected %.300s", strings.Join(a[max(0, i-3):], " "), strings.Join(b[max(0, i-3):], " "))
		}
	}
	return fmt.Sprintf("%d words, expected %d", len(a), len(b))
}

// readAll is what each language's own tool reads in the files of a folder, by name.
func readAll(t *testing.T, dir string) map[string]any {
	t.Helper()
	out := map[string]any{}
	var py []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "/include/") {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		switch filepath.Ext(path) {
		case ".py":
			py = append(py, name)
		case ".cu", ".cuh", ".h", ".cpp":
			out[name] = cxxTokens(t, dir, name)
		case ".txt":
			out[name] = cmakeCommands(t, dir)
		case ".toml":
			out[name] = tomlKeys(t, path)
		case ".md":
			out[name] = markdownShape(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, tokens := range pythonTokens(t, dir, py) {
		out[name] = tokens
	}
	return out
}

func pythonTokens(t *testing.T, dir string, names []string) (out map[string][]string) {
	t.Helper()
	script, _ := filepath.Abs("testdata/tokens.py")
	if _, err := exec.LookPath("python3"); err != nil {
		return nil
	}
	cmd := exec.Command("python3", append([]string{script}, names...)...)
	cmd.Dir = dir
	text, err := cmd.Output()
	if failed, ok := err.(*exec.ExitError); ok {
		t.Fatalf("%v: %s", err, failed.Stderr)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

var quotedRE = regexp.MustCompile(`(#include )?"(?:\\.|[^"\\])*"`)

// cxxTokens are what g++ leaves of a file without its comments; strings are left out.
func cxxTokens(t *testing.T, dir, name string) []string {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		return nil
	}
	cmd := exec.Command("g++", "-std=c++14", "-Werror=comment", "-Werror=trigraphs", "-fpreprocessed", "-dD", "-E", "-P",
		"-x", "c++", name)
	cmd.Dir = dir
	text, err := cmd.Output()
	if failed, ok := err.(*exec.ExitError); ok {
		t.Fatalf("%s: %v: %s", name, err, failed.Stderr)
	}
	kept := quotedRE.ReplaceAllStringFunc(string(text), func(s string) string {
		if strings.HasPrefix(s, "#include") {
			return s
		}
		return `""`
	})
	return strings.Fields(targetRE.ReplaceAllString(kept, "TARGET"))
}

// targetRE is the macro of a device's name, which is made of it.
var targetRE = regexp.MustCompile(`\bTARGET_[A-Za-z0-9_]*`)

// cmakeCommands are the commands of CMakeLists.txt with their arguments, as CMake expands them while it configures the
// folder. The compiler of CUDA is one that compiles nothing.
func cmakeCommands(t *testing.T, dir string) (out []string) {
	t.Helper()
	if _, err := exec.LookPath("cmake"); err != nil {
		return nil
	}
	modules, err := filepath.Abs("testdata/cmake")
	if err != nil {
		t.Fatal(err)
	}
	build := t.TempDir()
	trace := filepath.Join(build, "trace.json")
	cmd := exec.Command("cmake", "--trace-expand", "--trace-format=json-v1", "--trace-redirect="+trace, "-Wno-dev",
		"-S", dir, "-B", build, "-DCMAKE_MODULE_PATH="+modules)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(text)) {
		var called struct {
			File, Cmd string
			Args      []string
		}
		if err := json.Unmarshal([]byte(l), &called); err != nil {
			t.Fatal(err)
		}
		if called.File == filepath.Join(dir, "CMakeLists.txt") {
			out = append(out, fmt.Sprintf("%s %q", called.Cmd, called.Args))
		}
	}
	return out
}

func tomlKeys(t *testing.T, path string) any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := gotoml.Unmarshal(text, &all); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return all
}

// markdownShape is what gives a page its structure: how each line begins, and its cells; and nothing in it is markup
// but the template's.
func markdownShape(t *testing.T, path string) (out []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range string(text) {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%s has the character %U", path, r)
		}
	}
	for l := range strings.Lines(withoutSpans(string(text))) {
		first, _, _ := strings.Cut(strings.TrimRight(l, "\n"), " ")
		if !structure.MatchString(first) {
			first = "word"
		}
		out = append(out, fmt.Sprint(first, strings.Count(l, "|"), strings.Count(l, "<"), strings.Count(l, "`"),
			strings.Contains(l, "://"), strings.Contains(l, "](")))
	}
	return out
}

// structure is how a line of Markdown begins that is no paragraph's.
var structure = regexp.MustCompile("^(#+|[-+*]|[|].*|[0-9]+[.)]|>.*|```.*|~~~.*|---.*|===.*|)$")

// withoutSpans is Markdown without code within paragraphs and without characters that are escaped.
func withoutSpans(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			b.WriteByte('x')
			i++
		case s[i] == '`':
			n := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
			fence := s[i : i+n]
			end := strings.Index(s[i+n:], fence)
			for end >= 0 && i+n+end+n < len(s) && s[i+n+end+n] == '`' { // longer than the fence
				end += n + len(s[i+n+end+n:]) - len(strings.TrimLeft(s[i+n+end+n:], "`"))
				next := strings.Index(s[i+n+end:], fence)
				end += max(next, 0)
			}
			if end < 0 {
				b.WriteString(fence)
				i += n - 1
				continue
			}
			i += n + end + n - 1
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// TestCMakeReader: what a text would add to CMakeLists.txt is read, also where CMake expands it.
func TestCMakeReader(t *testing.T) {
	if _, err := exec.LookPath("cmake"); err != nil {
		t.Skip("not tested: no cmake")
	}
	read := func(text string) []string {
		dir := t.TempDir()
		page := "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES CUDA)\nset(x y)\n" + text
		if err := os.WriteFile(filepath.Join(dir, "CMakeLists.txt"), []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		return cmakeCommands(t, dir)
	}
	for text, want := range map[string]string{
		"# comment\n":                                      "",
		"# )\nexecute_process(COMMAND true)\n":             `execute_process ["COMMAND" "true"]`,
		"message(STATUS ${x})\n":                           `message ["STATUS" "y"]`,
		"cmake_language(CALL message STATUS \"\\${x}\")\n": `cmake_language ["CALL" "message" "STATUS" "${x}"]`,
	} {
		all := read(text)
		if got := strings.Join(all[min(3, len(all)):], "\n"); got != want &&
			!strings.HasPrefix(got, want+"\n") || len(all) < 3 {
			t.Errorf("%q: %q, expected %s", text, all, want)
		}
	}
}
