package darwarp_test

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	evidence = regexp.MustCompile("`[^`]+`|\\b(?:Test|Fuzz)[A-Z]\\w*|\\b[TK] |;")
	gateRow  = regexp.MustCompile("\\bK `\\w+`")
)

// cheatRows are the rows of docs/internals/cheats.md that something is done about, by what they are about.
func cheatRows(page string) map[string]string {
	closed, _, _ := strings.Cut(page, "\n## Not closed")
	_, closed, _ = strings.Cut(closed, "\n## 1.")
	out := map[string]string{}
	for i, row := range strings.Split(closed, "\n- **") {
		row, _, _ = strings.Cut(row, "\n\n")
		if what, text, ok := strings.Cut(strings.Join(strings.Fields(row), " "), "**"); ok && i > 0 {
			out[what] = text
		}
	}
	return out
}

// untested says what is wrong with what a row names as its tests, or nothing. A package goes before its tests, and
// holds until the next kind of evidence; the rows of TestVerdicts go behind it.
func untested(row string, funcs map[string][]string, verdicts string) string {
	_, tests, ok := strings.Cut(row, "*Shown by* ")
	if !ok {
		return "does not say what shows it"
	}
	if !testName.MatchString(tests) && !gateRow.MatchString(tests) {
		return "names neither a test nor a kernel of gate test"
	}
	in, last := "", ""
	for _, word := range evidence.FindAllString(tests, -1) {
		name := strings.Trim(word, "`")
		switch {
		case testName.MatchString(word) && in != "" && !slices.Contains(funcs[in], name):
			return name + " is not in " + in
		case testName.MatchString(word):
			last = name
		case name == word: // another kind of evidence
			in, last = "", ""
		case len(funcs[name]) > 0:
			in, last = name, ""
		case last == "TestVerdicts" && !strings.Contains(verdicts, `"`+name+`"`):
			return "TestVerdicts has no " + name
		}
	}
	return ""
}

// TestEachCheatHasItsTest: each row of the list of cheats and faults names a test that is there, in the package that it
// says, or kernels of `gate test`, which gatetest's own test looks for.
func TestEachCheatHasItsTest(t *testing.T) {
	funcs := testFuncs(t)
	verdicts, err := os.ReadFile("eval/pool_test.go")
	if err != nil {
		t.Fatal(err)
	}
	rows := cheatRows(pages(t)[path.Join("docs", "internals", "cheats.md")])
	if len(rows) < 100 {
		t.Fatalf("%d rows: the list is read wrongly", len(rows))
	}
	for what, row := range rows {
		if why := untested(row, funcs, string(verdicts)); why != "" {
			t.Errorf("%s: %s", what, why)
		}
	}
}

func TestCheatsWithoutTests(t *testing.T) {
	funcs := map[string][]string{"eval": {"TestVerdicts"}, "store": {"TestKill", "FuzzUnpack"}}
	for row, want := range map[string]string{
		"refused":                              "does not say what shows it",
		"refused. *Shown by* reading; no test": "names neither a test nor a kernel of gate test",
		"refused. *Shown by* honest K `kahan`, `tf32x3`":                "",
		"refused. *Shown by* K `half`; T `store` FuzzUnpack, TestKill":  "",
		"refused. *Shown by* T `store` TestKill, TestFull":              "TestFull is not in store",
		"refused. *Shown by* T `store` TestKill, `eval` TestKill":       "TestKill is not in eval",
		"refused. *Shown by* T `store` TestKill; T TestFull":            "",
		"refused. *Shown by* T `eval` TestVerdicts `hang`, `hang_late`": "TestVerdicts has no hang_late",
	} {
		if got := untested(row, funcs, `{"hang", 1}`); got != want {
			t.Errorf("%s: %q, expected %q", row, got, want)
		}
	}
}
