package templates

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"darwarp/kernels"
)

//go:embed testdata/draft.toml
var draftTOML string

const draftText = "extern \"C\" __global__ void transpose() { /* {{.T}} */ int a = {{mul .block .items}}; }\n"

func TestDraft(t *testing.T) {
	b, dev := transposes(t)
	for _, test := range []struct {
		name, old, new string // a change of the declaration
		text           string // of the template; empty: draftText
		err            string // empty: it is taken
	}{
		{name: "good"},
		{name: "an unknown key", old: "about =", new: "path =", err: "unknown key"},
		{name: "no gene of its launch", old: "block * items)", new: "tile)", err: "unknown name tile"},
		{name: "no default", old: "default = 64", new: "default = 65", err: "65 is not one of its values"},
		{name: "an illegal default", old: "<= 256", new: ">= 256", err: "defaults are not legal"},
		{name: "no point", old: "<= 256", new: "<= 1", err: "no legal point"},
		{name: "another architecture", old: "sm_80", new: "sm_100a", err: "this device is sm_90a"},
		{name: "an escape", old: "neighbours", new: `\u001b`, err: "backslash"},
		{name: "several lines", old: `"neighbours"`, new: "\"\"\"a\nb\"\"\"", err: "several lines"},
		{name: "too many points", old: "[1, 2, 4]", new: "[" + numbers(200) +
			"]\ndefault = 1\n[[gene]]\nname = \"c\"\nvalues = [" + numbers(200) +
			"]\ndefault = 1\n[[gene]]\nname = \"d\"\nvalues = [" + numbers(200) + "]", err: "combinations"},
		{name: "long rules of many", old: "[1, 2, 4]", new: "[" + numbers(250) +
			"]\ndefault = 1\n[[gene]]\nname = \"c\"\nvalues = [" + numbers(250) +
			"]\ndefault = 1\n[[let]]\nname = \"l\"\nvalue = \"" + strings.Repeat("items + ", 200) +
			"c\"\n[[gene]]\nname = \"d\"\nvalues = [1, 2]", err: "rules of this length allow"},
		{name: "too many genes", old: "[[constraint]]",
			new: strings.Repeat("[[gene]]\nname = \"g#\"\nvalues = [1]\ndefault = 1\n", 20) + "[[constraint]]",
			err: "at most 16"},
		{name: "code for another compiler", text: draftText + "#ifdef __NVCC__\nint p;\n#endif\n", err: "#if on __NVCC__"},
		{name: "code of the host", text: draftText + "int main() { return {{.block}}; }\n", err: "code of the host"},
		{name: "a launch that cannot " +
			"be", old: "block = [\"block\"]", new: "block = [\"block * 64\"]", err: "cannot be used"},
		{name: "a template that is none", text: "{{if}}", err: "llm-draft.cu.tmpl"},
		{name: "an unknown gene", text: "{{.tile}}", err: "tile"},
		{name: "a partial", text: `{{template "tile"}}`, err: "{{template}} cannot be used"},
		{name: "another's name", text: `{{- define "tiled"}}x{{end}}`, err: "{{define}} cannot be used"},
		{name: "another's name in a block", text: "{{- \n block \"tiled\" .}}x{{end}}", err: "{{block}} cannot be used"},
		{name: "a terminal's language", text: draftText + `{{printf "%c" 27}}`, err: "U+001B"},
		{name: "calls", text: `{{call .block}}`, err: "not available"},
		{name: "endless", text: `{{range $i := 100000000}}{{end}}`, err: "steps"},
		{name: "slow", text: `{{range $i := 130000}}` + strings.Repeat(`{{$x := printf "%60000d" 1}}`, 100) + `{{end}}`,
			err: "longer than 1s"},
		{name: "long", text: `{{range $i := 100000}}{{printf "%1000d" 1}}{{end}}`, err: "longer than 1048576 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			declaration := strings.Replace(draftTOML, test.old, test.new, 1)
			for i := 0; strings.Contains(declaration, "#"); i++ {
				declaration = strings.Replace(declaration, "#", string(rune('a'+i)), 1)
			}
			text := test.text
			if text == "" {
				text = draftText
			}
			d, err := b.Draft(declaration, text, dev, kernels.FP32)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v: expected %q", err, test.err)
				}
				return
			}
			if err != nil || d.Family.About != "neighbours" || d.space.Len() != 5 {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
}

// TestDraftAbout: what a model says of its family is only shown, and no reason to refuse the family.
func TestDraftAbout(t *testing.T) {
	b, dev := transposes(t)
	for about, want := range map[string]string{
		strings.Repeat("word ", 40): strings.TrimSpace(strings.Repeat("word ", 40))[:96] + " ...",
		"a  b \t c\u202e":           "a b c?",
	} {
		d, err := b.Draft(strings.Replace(draftTOML, "neighbours", about, 1), draftText, dev, kernels.FP32)
		if err != nil {
			t.Errorf("%q: %v", about, err)
			continue
		}
		grown, _, err := b.Grow("llm-1", d)
		if err != nil {
			t.Fatal(err)
		}
		f, err := grown.Family("llm-1")
		if err != nil || f.About != want || d.Family.About != want {
			t.Errorf("about %q, then %q (%v), want %q", d.Family.About, f.About, err, want)
		}
	}
}

// transposes is a built-in problem and a device.
func transposes(t *testing.T) (*Bundle, kernels.Device) {
	t.Helper()
	b, err := Builtin("transpose")
	if err != nil {
		t.Fatal(err)
	}
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	return b, dev
}

func numbers(n int) string {
	var out []string
	for i := range n {
		out = append(out, kernels.Int(i+1).String())
	}
	return strings.Join(out, ", ")
}

// TestGrow: what a bundle grew is read again with its other files, behind all others, and the old bundle is as it was.
func TestGrow(t *testing.T) {
	b, dev := transposes(t)
	first := b.Families[0].Name
	grown := b
	for n := 1; n <= 11; n++ { // llm-10 comes behind llm-9
		d, err := b.Draft(draftTOML, draftText, dev, kernels.FP32)
		if err != nil {
			t.Fatal(err)
		}
		name := grown.NextGrown()
		var space *kernels.Space
		if grown, space, err = grown.Grow(name, d); err != nil {
			t.Fatal(err)
		}
		if name != kernels.GrownName(n) || space.Family.Name != name || space.Len() != 5 {
			t.Fatalf("family %d is %s of %d points", n, name, space.Len())
		}
	}
	again, err := FromFiles(grown.Files)
	if err != nil {
		t.Fatal(err)
	}
	last := again.Families[len(again.Families)-1]
	if again.Families[0].Name != first || last.Name != "llm-11" || len(b.Files) == len(again.Files) ||
		len(again.Families) != len(b.Families)+11 {
		t.Errorf("the families are %v", again.Families)
	}
	job, err := again.Job(last, last.Defaults(), dev, kernels.FP32)
	if err != nil || !strings.Contains(job.Source, "int a = 64;") || !strings.Contains(job.Source, "float") {
		t.Errorf("%q, %v", job.Source, err)
	}
	if last.Title() != "llm-11: neighbours" || b.Families[0].Title() != first {
		t.Errorf("titles %q and %q", last.Title(), b.Families[0].Title())
	}
}

// TestFamiliesOfOneArchitecture come behind the others, and before those of models: the naive start is the same
// everywhere.
func TestFamiliesOfOneArchitecture(t *testing.T) {
	files := scaffolded(t)
	for _, name := range []string{"alone", "llm-1", "llm-2", "zero"} {
		files[name+tmplSuffix] = files["fuse"+tmplSuffix]
		files[name+".toml"] = files["fuse.toml"]
	}
	for _, name := range []string{"alone", "llm-1"} {
		files[name+".toml"] = []byte(strings.Replace(string(files["fuse.toml"]), `arch = "sm_80"`, `arch = "sm_90a"`, 1))
	}
	var got []string
	for _, f := range mustBundle(t, files).Families {
		got = append(got, f.Name)
	}
	if want := "fuse zero alone llm-1 llm-2"; strings.Join(got, " ") != want {
		t.Errorf("the families are %v, want %s", got, want)
	}
}

// FuzzDraft: whatever comes from outside is taken or refused with a reason, soon.
func FuzzDraft(f *testing.F) {
	f.Add(draftTOML, draftText)
	f.Add(draftTOML, `{{range $i := .items}}{{$x := printf "%5000d" 1}}{{end}}`)
	f.Add(strings.Replace(draftTOML, "[1, 2, 4]", "[1]", 1), "{{with .block}}{{.}}{{end}}")
	b, err := Builtin("transpose")
	if err != nil {
		f.Fatal(err)
	}
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, declaration, text string) {
		if len(declaration) > 16<<10 || len(text) > 64<<10 {
			return // refused before
		}
		d, err := b.Draft(declaration, text, dev, kernels.FP32)
		if err != nil {
			return
		}
		grown, space, err := b.Grow("llm-1", d)
		if err != nil || space.Len() == 0 || len(grown.Families) != len(b.Families)+1 ||
			grown.Families[0].Name != b.Families[0].Name {
			t.Fatalf("%d families, %v", len(grown.Families), err)
		}
		job, err := grown.Job(space.Family, space.Family.Defaults(), dev, kernels.FP32)
		if err != nil || plain(job.Source) != nil {
			t.Errorf("%q, %v", job.Source, err)
		}
	})
}

// TestLift: the constants of a whole kernel are genes of a family that Draft takes, and its default is that kernel.
func TestLift(t *testing.T) {
	b, dev := transposes(t)
	plan := kernels.PlanSpec{Launches: []kernels.LaunchSpec{{Entry: "transpose",
		Grid: []string{"ceil_div(rows * cols, 64)"}, Block: []string{"64"},
		Smem: "2 * 4",
		Args: []string{"x", "y", "rows", "cols"}}}}
	source := "constexpr int THREADS = 64;\nconstexpr unsigned int stages=3 ;\nstatic constexpr int rows = 7;\n" +
		"constexpr int HUGE = 999999;\nconstexpr int NONE = 0;\nconstexpr float f = 2;\nstruct P { int a[1]; };\n" +
		"extern \"C\" __global__ void transpose() { P p = {{1}}; /* {{.x}} */ int i = THREADS * stages; }\n"
	v := &kernels.Variant{Source: source, Plan: &plan, Acc: kernels.FP32}
	declaration, template, ok := b.Lift(v, dev)
	if !ok {
		t.Fatal("nothing is lifted")
	}
	d, err := b.Draft(declaration, template, dev, b.Problem.DTypes[0])
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, declaration, template)
	}
	grown, space, err := b.Grow("llm-9", d)
	if err != nil {
		t.Fatal(err)
	}
	job, err := grown.Job(space.Family, space.Family.Defaults(), dev, b.Problem.DTypes[0])
	if err != nil || job.Source != source {
		t.Errorf("the default is %q, %v", job.Source, err)
	}
	if names := strings.Join(space.Family.GeneNames(), " "); names != "threads stages" || space.Len() != 15 {
		t.Errorf("genes %s, %d points", names, space.Len())
	}
	l := space.Family.Launches[0]
	if l.Block[0] != "threads" || l.Grid[0] != "ceil_div(rows * cols, threads)" || l.Smem != "2 * 4" {
		t.Errorf("the plan is %+v", l)
	}
	if plan.Launches[0].Block[0] != "64" {
		t.Error("the kernel's own plan was changed")
	}
	v.Source = "constexpr int A = 64; constexpr int B = 64;" // it is not clear which the plan means
	if declaration, _, _ = b.Lift(v, dev); !strings.Contains(declaration, "block = ['64']") {
		t.Error(declaration)
	}
	v.Source = "const int A = 64;"
	if _, _, ok := b.Lift(v, dev); ok {
		t.Error("a kernel without constants is lifted")
	}
}

func TestAround(t *testing.T) {
	for v, want := range map[int]string{1: "[1 2]", 2: "[1 2 3 4]", 3: "[1 2 3 4 6]", 64: "[32 64 128]",
		100: "[50 100 200]"} {
		if got := fmt.Sprint(around(v)); got != want {
			t.Errorf("around %d: %s, expected %s", v, got, want)
		}
	}
}
