package darwarp_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// widest is the longest line of a page, in characters.
const widest = 160

var (
	link     = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	dropped  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	fence    = regexp.MustCompile("(?ms)^```.*?^```$")
	testName = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
	goTest   = regexp.MustCompile(`go test ([^\n` + "`" + `]*)`)
	filePath = regexp.MustCompile("`([a-z][\\w.-]*/[\\w./-]*\\.(?:go|cuh?|sh|py|toml|tmpl|txtar|json|mod))`")
)

// pages are the documentation, by path: the README, the changelog and everything below docs.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out[file] = string(text)
		}
	}
	if len(out) < 20 {
		t.Fatalf("%d pages found: the test looks in the wrong place", len(out))
	}
	return out
}

// anchors are the targets that GitHub makes of a page's headings: lower case, blanks as dashes, other signs dropped.
func anchors(page string) map[string]bool {
	out := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		name := dropped.ReplaceAllString(strings.ToLower(strings.TrimSpace(h[1])), "")
		out[strings.ReplaceAll(name, " ", "-")] = true
	}
	return out
}

// broken says what is wrong with a link of a page, or nothing.
func broken(all map[string]string, page, target string) string {
	if strings.Contains(target, "://") {
		return ""
	}
	file, anchor, _ := strings.Cut(target, "#")
	at := page
	if file != "" {
		at = path.Join(path.Dir(page), file)
	}
	if _, err := os.Stat(at); err != nil {
		return "no such file"
	}
	if anchor != "" && !anchors(all[at])[anchor] {
		return "no such heading in " + at
	}
	return ""
}

func TestDocsLinks(t *testing.T) {
	all := pages(t)
	for page, text := range all {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if why := broken(all, page, m[1]); why != "" {
				t.Errorf("%s: link to %s: %s", page, m[1], why)
			}
		}
	}
}

func TestDocsBrokenLinks(t *testing.T) {
	all := map[string]string{"README.md": "# A `b`, c/d\n```\n# not a heading\n```\n"}
	for target, want := range map[string]string{
		"#a-b-cd":              "",
		"README.md#a-b-cd":     "",
		"https://example.com/": "",
		"#not-a-heading":       "no such heading in README.md",
		"docs/nowhere.md":      "no such file",
	} {
		if got := broken(all, "README.md", target); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}

func TestDocsWidth(t *testing.T) {
	for page, text := range pages(t) {
		for i, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > widest {
				t.Errorf("%s:%d: %d columns, %d at most", page, i+1, n, widest)
			}
		}
	}
}

// testFuncs are the names of the tests, fuzz targets and benchmarks of each package, by its folder.
func testFuncs(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && testName.MatchString(f.Name.Name) {
				out[path.Dir(file)] = append(out[path.Dir(file)], f.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// selects reports whether a pattern of -run, -bench or -fuzz selects one of the names that begin with kind.
func selects(pattern, kind string, names []string) bool {
	top, _, _ := strings.Cut(strings.Trim(pattern, "'"), "/")
	re, err := regexp.Compile(top)
	if err != nil {
		return false
	}
	for _, name := range names {
		if strings.HasPrefix(name, kind) && re.MatchString(strings.TrimPrefix(name, "Benchmark")) {
			return true
		}
	}
	return false
}

// missing lists what a "go test" command of a page asks for and its package does not have.
func missing(funcs map[string][]string, args string) []string {
	fields := strings.Fields(args)
	var names []string
	for _, f := range fields {
		if strings.HasPrefix(f, "./") {
			names = append(names, funcs[path.Clean(f)]...)
		}
	}
	var out []string
	for i, f := range fields[:max(len(fields)-1, 0)] {
		kind := map[string]string{"-run": "Test", "-bench": "Benchmark", "-fuzz": "Fuzz"}[f]
		if pattern := fields[i+1]; kind != "" && !strings.EqualFold(pattern, "xxx") && !selects(pattern, kind, names) {
			out = append(out, pattern)
		}
	}
	return out
}

func TestDocsTests(t *testing.T) {
	funcs := testFuncs(t)
	known := map[string]bool{}
	for _, names := range funcs {
		for _, name := range names {
			known[name] = true
		}
	}
	for page, text := range pages(t) {
		for _, m := range goTest.FindAllStringSubmatch(text, -1) {
			for _, pattern := range missing(funcs, m[1]) {
				t.Errorf("%s: go test %s: nothing there is called %s", page, m[1], pattern)
			}
		}
		for _, name := range testName.FindAllString(goTest.ReplaceAllString(text, ""), -1) {
			if !known[name] {
				t.Errorf("%s: there is no %s", page, name)
			}
		}
	}
}

func TestDocsTestsMissing(t *testing.T) {
	funcs := map[string][]string{"store": {"TestKill", "FuzzUnpack", "BenchmarkPut"}}
	for args, want := range map[string]int{
		"./store -run 'TestKill$'":             0,
		"./store -run TestKi/x -bench 'Put|X'": 0,
		"-run XXX -fuzz FuzzUnpack ./store":    0,
		"./store -run TestFill":                1,
		"./eval -run TestKill":                 1,
		"./store -bench Kill":                  1,
	} {
		if got := missing(funcs, args); len(got) != want {
			t.Errorf("%s: %v missing, want %d", args, got, want)
		}
	}
}

// TestDocsFiles looks for each source file that a page names: from the root, or as the end of a path.
func TestDocsFiles(t *testing.T) {
	var files []string
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, "/"+file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(files, "\n") + "\n"
	for page, text := range pages(t) {
		for _, m := range filePath.FindAllStringSubmatch(text, -1) {
			placeholder := strings.Contains(m[1], "NAME")
			if page != "CHANGELOG.md" && !placeholder && !strings.Contains(all, "/"+m[1]+"\n") {
				t.Errorf("%s: there is no %s", page, m[1])
			}
		}
	}
}

// TestDocsRooms looks for each package of the large rooms in the tables of docs/design.md.
func TestDocsRooms(t *testing.T) {
	design := pages(t)["docs/design.md"]
	for _, room := range []string{"eval/internal", "cmd/darwarp/internal"} {
		packages, err := os.ReadDir(room)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range packages {
			if p.IsDir() && !strings.Contains(design, "`"+p.Name()+"`") {
				t.Errorf("docs/design.md does not name %s/%s", room, p.Name())
			}
		}
	}
}

// unnamed lists the folders that a text does not name in backquotes, by the last element of their path or more of it.
func unnamed(text string, folders []string) (missing []string) {
	for _, folder := range folders {
		name := regexp.MustCompile("`(?:[\\w./-]+/)?" + regexp.QuoteMeta(path.Base(folder)) + "`")
		if !name.MatchString(text) {
			missing = append(missing, folder)
		}
	}
	return missing
}

// TestDesignNamesPackages: the page to start at says what each package is for, in its section of rooms.
func TestDesignNamesPackages(t *testing.T) {
	var folders []string
	for _, file := range sources(t) {
		if folder := path.Dir(file); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	_, rooms, _ := strings.Cut(pages(t)["docs/design.md"], "\n## Rooms\n")
	rooms, _, _ = strings.Cut(rooms, "\n## ")
	for _, folder := range unnamed(rooms, folders) {
		t.Errorf("docs/design.md does not say what %s is for", folder)
	}
	got := unnamed("`a/one`, `two`, three", []string{"x/one", "x/two", "x/three"})
	if len(got) != 1 || got[0] != "x/three" {
		t.Errorf("not named: %v", got)
	}
}
