package graph

import (
	"os"
	"slices"
	"strings"
	"testing"

	"darwarp/templates"
)

// linearGraph is the graph of a linear layer of 1024 x 8192 x 4096 and maps in bf16, with texts replaced in pairs.
func linearGraph(t *testing.T, pairs ...string) *Graph {
	t.Helper()
	data, err := os.ReadFile("testdata/linear_tail_bf16.json")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(data)), "")
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("nothing to replace: %s", pairs[i])
		}
	}
	g, err := Parse([]byte(strings.NewReplacer(pairs...).Replace(text)))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func linearBundle(t *testing.T, g *Graph) *templates.Bundle {
	t.Helper()
	files, err := g.Folder()
	if err != nil {
		t.Fatal(err)
	}
	b, err := templates.FromFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestLinearFamilies: only products in 16 bits whose lines lie along the terms in whole pieces are on tensor cores, and
// only matrices have tensor maps.
func TestLinearFamilies(t *testing.T) {
	const linear = `"op":"linear","args":[{"ref":"x"},{"ref":"w"},{"ref":"bias"}]`
	const plain = `"op":"mm","args":[{"ref":"x"},{"ref":"w"}]`
	for _, tt := range []struct {
		name, want string
		pairs      []string
	}{
		{"bf16", "hopper tile vectors", nil},
		{"fp16", "hopper tile vectors", []string{`"bf16"`, `"fp16"`}},
		{"fp32", "matmul", []string{`"bf16"`, `"fp32"`}},
		{"batches of rows", "tile vectors", []string{`["batch",`, `["batch",3,`}},
		{"lines of 8190 numbers", "matmul", []string{"8192", "8190"}},
		{"4100 columns", "matmul", []string{"4096", "4100"}},
		{"terms along the columns", "matmul", []string{linear, plain, `["fout","fin"]`, `["fin","fout"]`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range linearBundle(t, linearGraph(t, tt.pairs...)).Families {
				got = append(got, f.Name)
			}
			slices.Sort(got)
			if strings.Join(got, " ") != tt.want {
				t.Errorf("families %v, want %s", got, tt.want)
			}
		})
	}
}

// TestLinearNames takes dims that the families call otherwise, and names that are the families' own.
func TestLinearNames(t *testing.T) {
	b := linearBundle(t, linearGraph(t, `"m"`, `"product"`, `"batch"`, `"n"`, `"fin"`, `"m"`, `"fout"`, `"block_m"`,
		`"x"`, `"B"`, `"w"`, `"A"`, `"bias"`, `"a_tiles"`))
	for name, want := range map[string]string{
		"tile":   "B A y n block_m_ m partial tickets B A a_tiles_ rest gate n block_m_",
		"hopper": "a_tiles b_tiles c_tiles y n block_m_ m partial tickets posted B A a_tiles_ rest gate n block_m_",
	} {
		f, err := b.Family(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(f.Plan.Spec.Launches[0].Args, " "); got != want {
			t.Errorf("%s: arguments %s, want %s", name, got, want)
		}
		genes := make([]string, len(f.Genes))
		for i := range f.Genes {
			genes[i] = f.Genes[i].Name
		}
		if !slices.Contains(genes, "fast_sigmoid") || slices.Contains(genes, "math") {
			t.Errorf("%s: genes %v", name, genes)
		}
	}
}

// TestLinearOperands: what the maps read lies where row and col say, or they look for it as other families do.
func TestLinearOperands(t *testing.T) {
	for _, tt := range []struct {
		name  string
		want  []string
		pairs []string
	}{
		{"a bias, a matrix and a column",
			[]string{"in.in2[col]", "in.in3[(long long)row * columns + col]", "in.in4[row]"}, nil},
		{"one number", []string{"in.in2[0]"}, []string{`"name":"bias","kind":"parameter","dtype":"bf16","shape":["fout"]`,
			`"name":"bias","kind":"parameter","dtype":"bf16","shape":[]`}},
		{"batches of rows", []string{"in.in4[row]"}, []string{`["batch",`, `["batch",3,`}},
		{"a number for each batch", []string{"maps::gather<1, CACHED>"}, []string{`["batch",1]`, `["batch",1,1]`, `["batch",`,
			`["batch",3,`}},
	} {
		g := linearGraph(t, tt.pairs...)
		files, err := g.Folder()
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		text := string(files["_finish_operands.cu.tmpl"])
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s is missing in\n%s", tt.name, want, text)
			}
		}
	}
}
