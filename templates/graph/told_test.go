package graph

import (
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"darwarp/kernels"
	"darwarp/templates"
)

// told is a folder of which the module is the truth, made of a graph whose one operator no family knows.
func told(t *testing.T, change func(text string) string) (map[string][]byte, error) {
	t.Helper()
	data, err := os.ReadFile("testdata/softmax.json")
	if err != nil {
		t.Fatal(err)
	}
	g, err := Parse([]byte(change(strings.ReplaceAll(string(data), `"softmax"`, `"sort"`))))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Folder(); err == nil {
		t.Fatal("a family takes it")
	}
	small := maps.Clone(g.sizes)
	for name := range small {
		small[name] = 3
	}
	return (&Told{Module: []byte("import torch\n"), Shapes: []map[string]int{small}, Small: small,
		Reference: kernels.Reference{Kind: kernels.ModuleReference, File: "model.py", Class: "Net", Eval: true}}).Folder(g)
}

// TestTold: what no family takes is a folder that can be read and checked, and has what the module is asked for.
func TestTold(t *testing.T) {
	files, err := told(t, func(s string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	dir := fstest.MapFS{}
	for name, text := range files {
		dir[name] = &fstest.MapFile{Data: text}
	}
	b, err := templates.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &b.Problem.Reference
	if !r.IsModule() || r.Class != "Net" || !r.Eval || b.Reference != "import torch\n" || len(b.Families) != 0 {
		t.Errorf("%+v, %q, %d families", r, b.Reference, len(b.Families))
	}
	if b.ReferenceSource(kernels.FP32) != "" || b.Problem.ExactTest() || len(b.Problem.SmallWorkloads()) != 1 {
		t.Error("it has a kernel, or is exact, or has no small workload")
	}
	if report := templates.Check(dir, nil); report.OK() || len(report.Mistakes) != 0 || len(report.Units) != 0 {
		t.Errorf("%v; it can be searched: %v", report.Mistakes, report.OK())
	}
	delete(dir, "model.py")
	if _, err := templates.Load(dir); err == nil || !strings.Contains(err.Error(), `no file "model.py"`) {
		t.Errorf("without its module: %v", err)
	}
}

// TestNotTold: what a module cannot be held against is refused.
func TestNotTold(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{`"dtype": "fp32"`, `"dtype": "int64"`, "what its numbers may be is not known: draw them by torch.randint"},
		{`"kind": "input",`, `"kind": "input", "strides": [1, 2],`, "not contiguous"},
		{"],\n   \"dtype\": \"fp32\"", "],\n   \"dtype\": \"int64\"", "expected one type"},
	} {
		_, err := told(t, func(s string) string {
			if changed := strings.Replace(s, tt.old, tt.new, 1); changed != s {
				return changed
			}
			t.Fatalf("no %s in:\n%s", tt.old, s)
			return ""
		})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, expected %q", tt.new, err, tt.want)
		}
	}
}
