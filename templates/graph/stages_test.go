package graph

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"darwarp/kernels"
	"darwarp/templates"
)

// staged is a graph of testdata/stages.
func staged(t *testing.T, name string) *Graph {
	t.Helper()
	data, err := os.ReadFile("testdata/stages/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	g, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestStages: graphs that no family takes are cut where the fewest numbers are handed on, in as few stages as do.
func TestStages(t *testing.T) {
	for name, want := range map[string]string{
		"norm_linear":          "rms_norm [rows] | linear [matmul]",
		"gated_linear":         "linear [matmul] | linear, silu, mul [matmul]",
		"linear_norm_min_bias": "linear, group_norm [rows] | amin [rows] | add [map]",
		"norm_swiglu":          "rms_norm [rows] | linear [matmul] | linear, silu, mul [matmul] | linear, add [matmul]",
		"squeeze_excite": "mean [rows] | linear, relu [matmul] | linear, sigmoid, unsqueeze, unsqueeze [matmul] | " +
			"mul [map]",
		"attention_causal": "transpose, matmul, mul, new_ones, tril, gt, where, _safe_softmax [rows] | matmul [matmul]",
		"attention_masked": "transpose, matmul, mul, where, _safe_softmax [rows] | matmul [matmul]",
		"attention_grouped": "unsqueeze, expand, reshape, transpose, matmul, mul, new_ones, tril, ... [rows] | " +
			"unsqueeze, expand, reshape, matmul [matmul]",
		"attention_projected": "linear [matmul] | slice, view, transpose, transpose [map] | slice, view, transpose [map] | " +
			"slice, view, transpose [map] | matmul, mul, slice, slice, eq, masked_fill, softmax [rows] | matmul [matmul] | " +
			"transpose, contiguous, view [map] | linear [matmul]",
		"projected_three":      "linear [matmul] | slice [map] | slice, slice [map]",
		"residual_norm_linear": "add, rms_norm [rows] | linear [matmul]",
		"encoded":              "linear, silu [matmul] | linear, mul, exp [matmul] | linear [matmul]",
	} {
		g := staged(t, name)
		if _, err := g.Folder(); err == nil {
			t.Errorf("%s: a family takes it whole", name)
		}
		var got []string
		for _, part := range g.stages(mostStages) {
			p, err := part.program()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, p.about()+" ["+strings.Join(p.suited(), " ")+"]")
		}
		if text := strings.Join(got, " | "); text != want {
			t.Errorf("%s: %s, expected %s", name, text, want)
		}
	}
	if g := staged(t, "linear_norm_min_bias"); g.stages(2) != nil {
		t.Error("three stages are two")
	}
}

// TestStagesGive: each result is what one stage gives, and a product that a later stage needs again is handed on.
func TestStagesGive(t *testing.T) {
	for name, want := range map[string]string{
		"projected_three":      "linear | getitem | getitem_1 getitem_2",
		"residual_norm_linear": "rms_norm add | linear",
		"encoded":              "silu | exp | linear_1",
	} {
		var got []string
		for _, part := range staged(t, name).stages(mostStages) {
			got = append(got, strings.Join(part.Outputs, " "))
		}
		if text := strings.Join(got, " | "); text != want {
			t.Errorf("%s: the stages give %s, expected %s", name, text, want)
		}
	}
	seen := map[string]bool{}
	for _, part := range staged(t, "gpt_block").stages(mostStages) {
		for _, n := range part.Nodes {
			if slices.Contains(products, canonical(n.Op)) && seen[n.Name] {
				t.Errorf("product %s is computed twice", n.Name)
			}
			seen[n.Name] = true
		}
	}
}

// ofStage is the name of something that one of up to twelve stages has for itself.
var ofStage = regexp.MustCompile(`^s([1-9]|1[012])_`)

// TestPipelines: the folder of such a graph has one family, whose points render and launch kernels with the arguments
// that they take; stages share no name but those of dims, tensors and what they hand on.
func TestPipelines(t *testing.T) {
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"norm_linear", "gated_linear", "linear_norm_min_bias", "norm_swiglu", "squeeze_excite",
		"attention_causal", "attention_masked", "attention_grouped", "attention_projected", "gpt_block",
		"projected_three", "residual_norm_linear", "encoded"} {
		g := staged(t, name)
		files, err := (&Told{Module: []byte("import torch\n"), Shapes: []map[string]int{g.sizes},
			Reference: kernels.Reference{Kind: kernels.ModuleReference, File: "model.py"}}).Folder(g)
		if err != nil || !HasPipeline(files) {
			t.Fatalf("%s: %v, or no pipeline", name, err)
		}
		dir := fstest.MapFS{}
		for file, text := range files {
			dir[file] = &fstest.MapFile{Data: text}
		}
		b, err := templates.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		report := templates.Check(dir, []kernels.Device{dev})
		if len(report.Mistakes) > 0 || !report.OK() || len(b.Families) != 1 {
			t.Errorf("%s: %v, %d families", name, report.Mistakes, len(b.Families))
		}
		f := b.Families[0]
		for _, gene := range f.Genes {
			if !ofStage.MatchString(gene.Name) {
				t.Errorf("%s: gene %s is of no stage", name, gene.Name)
			}
		}
		for _, l := range f.Plan.Spec.Launches {
			if !ofStage.MatchString(l.Entry) {
				t.Errorf("%s: kernel %s is of no stage", name, l.Entry)
			}
		}
		if special := b.Problem.Check.Special; (special != nil && !*special) != slices.Contains([]string{"attention_causal",
			"attention_masked", "attention_grouped"}, name) {
			t.Errorf("%s: hidden keys may be inf, or others may not: special is %v", name, special)
		}
		if !slices.ContainsFunc(f.Plan.Spec.Scratch, func(s kernels.ScratchSpec) bool { return s.Name == "between1" }) {
			t.Errorf("%s: nothing is handed on: %+v", name, f.Plan.Spec.Scratch)
		}
	}
}

// TestThinKept: where points that are tried first have all values of a gene, fewer points are tried first.
func TestThinKept(t *testing.T) {
	s := &stage{family: &kernels.Family{Genes: []kernels.Gene{{Name: "a", Values: []any{1, 2, 3, 4, 5}, Default: 1},
		{Name: "b", Values: []any{1, 2, 3}, Default: 2}}, Start: []map[string]any{{"a": 2, "b": 1}, {"a": 3, "b": 3},
		{"a": 4}, {"a": 5}}}}
	thin([]*stage{s}, 2)
	for i, want := range [][]any{{1, 2}, {1, 2}} {
		if got := s.family.Genes[i].Values; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", s.family.Genes[i].Name, got, want)
		}
	}
	if list := startsOf([]*stage{s}); len(list) != 1 || list[0]["a"] != 2 {
		t.Errorf("tried first: %v", list)
	}
}

// TestThin: values are left out until a point's number is short enough, the default and what is tried first never.
func TestThin(t *testing.T) {
	s := &stage{family: &kernels.Family{Genes: []kernels.Gene{
		{Name: "a", Values: []any{1, 2, 3, 4, 5, 6, 7, 8}, Default: 2}, {Name: "b", Values: []any{1, 2, 3}, Default: 1},
		{Name: "c", Values: []any{false, true}, Default: false},
	}, Start: []map[string]any{{"a": 7}}}}
	thin([]*stage{s}, 4)
	points := 1
	for _, g := range s.family.Genes {
		points *= len(g.Values)
	}
	a := s.family.Genes[0].Values
	if points > 16 || !slices.Contains(a, any(2)) || !slices.Contains(a, any(7)) || len(s.family.Genes[2].Values) != 2 {
		t.Errorf("%d points: %v", points, s.family.Genes)
	}
	if other := (&stage{family: &kernels.Family{}}); !s.has(s.family.Start[0]) || s.has(map[string]any{"a": 9}) ||
		len(startsOf([]*stage{other, s})) != 1 || len(startsOf([]*stage{other})) != 0 {
		t.Errorf("starts of %v: %v", s.family.Genes, startsOf([]*stage{other, s}))
	}
	s.freeze()
	if got := fmt.Sprint(s.family.Lets); len(s.family.Genes) > 0 || len(s.family.Start) > 0 ||
		!strings.Contains(got, "{a 7 false") || !strings.Contains(got, "{b 1 false") {
		t.Errorf("frozen: %v, lets %s", s.family.Genes, got)
	}
}
