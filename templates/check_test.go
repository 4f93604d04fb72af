package templates

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestScaffoldChecks(t *testing.T) {
	r := Check(folder(scaffolded(t)), devices(t))
	if !r.OK() {
		t.Fatalf("%s", text(r))
	}
	want := `problem mine: 1 families

fuse: 6 genes
  sm_80    fp16  660 legal points, the defaults are legal, 101 points tried
  sm_80    bf16  660 legal points, the defaults are legal, 101 points tried
  sm_80    fp32  528 legal points, the defaults are legal, 101 points tried
  sm_90a   fp16  660 legal points, the defaults are legal, 101 points tried
  sm_90a   bf16  660 legal points, the defaults are legal, 101 points tried
  sm_90a   fp32  528 legal points, the defaults are legal, 101 points tried
`
	if text(r) != want {
		t.Errorf("got:\n%s\nwant:\n%s", text(r), want)
	}
	for name, data := range scaffolded(t) {
		if strings.Contains(string(data), "@NAME@") {
			t.Errorf("%s still has a placeholder", name)
		}
	}
	for _, name := range []string{"", "a b", "../x", "-x"} {
		if _, err := Scaffold(name); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
}

func TestCheckFindings(t *testing.T) {
	const fuse, tmpl = "fuse.toml", "fuse.cu.tmpl"
	newGene := "[[gene]]\nname = \"pad\"\nvalues = [0, 1]\ndefault = 0\n\n"
	for _, c := range []struct {
		name, file, old, new string
		ok                   bool
		want                 []string // lines of the report
	}{
		{"mistakes", fuse, "vector_bytes <= 16", "vector_byte <= 16", false,
			[]string{"fuse.toml: constraint[0].rule: unknown name vector_byte", "1 mistake(s)"}},
		{"unused gene", fuse, "# Derived", newGene + "# Derived", true, []string{
			"    warning: gene pad changes neither the source nor the launches",
			"    warning: two points are the same kernel, a gene there needs a when: "}},
		{"gene for a let alone", fuse, "# Derived", newGene + "[[let]]\nname = \"padded\"\nvalue = \"pad * 16\"\n# Derived",
			true, []string{
				"    warning: gene pad changes neither the source nor the launches", "    warning: let padded is not used"}},
		{"narrow accumulator", fuse, "arch = \"sm_80\"", "arch = \"sm_80\"\naccumulate = \"bf16\"", true, []string{
			"    warning: accumulate bf16: the problem allows sums in fp32, by which the family is judged (check.accumulate)"}},
		{"impossible value", fuse, "values = [64, 128, 256, 512, 1024]", "values = [64, 128, 256, 512, 2048]", true, nil},
		{"idle rule", fuse, "# Launches", "[[constraint]]\nrule = \"items > 0\"\nwhy = \"so\"\n# Launches", true, []string{
			"    warning: constraint items > 0 refuses nothing that those before it allow"}},
		{"value never legal", fuse, "items * vector <= 32", "items * vector < 8", true, []string{
			"    warning: gene vector: no legal point has the value 8",
			"    warning: gene items: no legal point has the value 8"}},
		{"no point", fuse, "items * vector <= 32", "items * vector < 0", false, []string{
			"  sm_80    fp16  family fuse: no legal point: refused most often by items * vector < 0 (two inputs of more than " +
				"32 elements each do not stay in registers)"}},
		{"illegal defaults", fuse, "items * vector <= 32", "items * vector >= 8", false, []string{
			"  sm_80    fp16  440 legal points, but the defaults are not: illegal: two inputs of more than 32 elements each " +
				"do not stay in registers (items * vector >= 8)"}},
		{"unknown name in a branch", tmpl, "__ldcs(", "__ldcs{{.hint}}(", false,
			[]string{`at <.hint>: map has no entry for key "hint"`}},
		{"launch too large", fuse, `block = ["threads"]`, `block = ["threads * 2"]`, false, []string{
			"at cols=1,rows=1: launch fuse: block of [2048 1 1] threads: expected 1 to 1024, at most 64 in the third"}},
		{"architecture", fuse, `arch = "sm_80"`, `arch = "sm_120a"`, false, []string{"  runs on none of the architectures"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Check(folder(changed(t, c.file, c.old, c.new)), devices(t))
			if c.name == "impossible value" { // found by the launch, not by a rule
				if r.OK() || !strings.Contains(text(r), "block of [2048 1 1] threads") {
					t.Errorf("%s", text(r))
				}
				return
			}
			if r.OK() != c.ok {
				t.Errorf("OK is %v", r.OK())
			}
			for _, want := range c.want {
				if !strings.Contains(text(r), want) {
					t.Errorf("no line %q in:\n%s", want, text(r))
				}
			}
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
		})
	}
}

// text is the report in lines.
func text(r Report) string {
	if len(r.Mistakes) > 0 {
		return fmt.Sprintf("%v\n%d mistake(s)\n", r.Mistakes, len(r.Mistakes))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "problem %s: %d families\n", r.Problem, len(r.Families))
	for _, f := range r.Families {
		fmt.Fprintf(&b, "\n%s: %d genes\n", f.Name, f.Genes)
		if len(f.Spaces) == 0 {
			b.WriteString("  runs on none of the architectures\n")
		}
		for _, s := range f.Spaces {
			fmt.Fprintf(&b, "  %-8s %-5s %s\n", s.Arch, s.DType, verdict(s))
			for _, what := range s.Failed {
				b.WriteString(indent("failed: " + what))
			}
		}
		for _, w := range f.Warnings {
			b.WriteString(indent("warning: " + w))
		}
	}
	return b.String()
}

func verdict(s SpaceReport) string {
	if s.Empty != "" {
		return s.Empty
	}
	line := fmt.Sprintf("%d legal points, ", s.Points)
	if s.Illegal != "" {
		return line + "but the defaults are not: " + strings.ReplaceAll(s.Illegal, "\n", "; ")
	}
	return line + fmt.Sprintf("the defaults are legal, %d points tried", s.Tried)
}

func indent(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") + "\n" }
