package graph

import (
	"fmt"
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

// TestBorrowedFamilies: products in 16 bits whose lines are whole pieces are on tensor cores, in whatever order they
// lie.
func TestBorrowedFamilies(t *testing.T) {
	const linear = `"op":"linear","args":[{"ref":"x"},{"ref":"w"},{"ref":"bias"}]`
	const plain = `"op":"mm","args":[{"ref":"x"},{"ref":"w"}]`
	for _, tt := range []struct {
		name, want string
		pairs      []string
	}{
		{"bf16", "hopper tile vectors", nil},
		{"fp16", "hopper tile vectors", []string{`"bf16"`, `"fp16"`}},
		{"fp32", "matmul", []string{`"bf16"`, `"fp32"`}},
		{"batches of rows", "hopper tile vectors", []string{`["batch",`, `["batch",3,`}},
		{"lines of 8190 numbers", "matmul", []string{"8192", "8190"}},
		{"4100 columns", "matmul", []string{"4096", "4100"}},
		{"terms along the columns", "hopper tile", []string{linear, plain, `["fout","fin"]`, `["fin","fout"]`}},
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

// TestBorrowedNames takes dims that the families call otherwise, and names that are the families' own.
func TestBorrowedNames(t *testing.T) {
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

// TestBorrowedOperands: what the maps read lies where row and col say, or they look for it as other families do.
func TestBorrowedOperands(t *testing.T) {
	for _, tt := range []struct {
		name  string
		want  []string
		pairs []string
	}{
		{"a bias, a matrix and a column",
			[]string{"in.in2[col]", "in.in3[(long long)line.row * columns + col]", "in.in4[line.row]"}, nil},
		{"one number", []string{"in.in2[0]"}, []string{`"name":"bias","kind":"parameter","dtype":"bf16","shape":["fout"]`,
			`"name":"bias","kind":"parameter","dtype":"bf16","shape":[]`}},
		{"batches of rows", []string{"in.in4[line.row]"}, []string{`["batch",`, `["batch",3,`}},
		{"a number for each batch", []string{"in.in4[line.l2]", "maps::kept_l2(sizes, maps::Index(row) * columns)"},
			[]string{`["batch",1]`, `["batch",1,1]`, `["batch",`,
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

// TestBorrowedOrders: each order of the operands has the families for it, whose maps see planes of matrices.
func TestBorrowedOrders(t *testing.T) {
	const a, b = `"name":"a","kind":"input","dtype":"bf16","shape":`, `"name":"b","kind":"input","dtype":"bf16","shape":`
	const product = `{"name":"y","op":"matmul","args":[{"ref":"a"},{"ref":"b"}],"dtype":"bf16","shape":["m","n"]}`
	turned := func(name, shape string) string {
		return fmt.Sprintf(`{"name":"%[1]st","op":"t","args":[{"ref":"%[1]s"}],"dtype":"bf16","shape":%[2]s},`, name, shape)
	}
	for _, tt := range []struct {
		name, a, b, nodes  string
		along, maps, names string
	}{
		{"nn", `["m","k"]`, `["k","n"]`, product, "1 0", "[1 m k] [1 k n] [1 m n]", "hopper tile"},
		{"tn", `["k","m"]`, `["k","n"]`, turned("a", `["m","k"]`) + strings.Replace(product, `"a"}`, `"at"}`, 1), "0 0",
			"[1 k m] [1 k n] [1 m n]", "hopper tile"},
		{"tt", `["k","m"]`, `["n","k"]`, turned("a", `["m","k"]`) + turned("b", `["k","n"]`) +
			strings.NewReplacer(`"a"}`, `"at"}`, `"b"}`, `"bt"}`).Replace(product), "0 1", "[1 k m] [1 n k] [1 m n]",
			"hopper tile"},
		{"batches of rows", `["p",3,"m","k"]`, `["k","n"]`, strings.Replace(product, `["m"`, `["p",3,"m"`, 1), "1 0",
			"[1 p * 3 * m k] [1 k n] [1 p * 3 * m n]", "hopper tile"},
		{"broadcast", `["p",3,"m","k"]`, `[3,"k","n"]`, strings.Replace(product, `["m"`, `["p",3,"m"`, 1), "1 0",
			"[p * 3 m k] [3 k n] [p * 3 m n]", "hopper tile"},
		{"few tiles of long sums", `["k","q"]`, `["k","q"]`, turned("a", `["q","k"]`) +
			strings.NewReplacer(`"a"}`, `"at"}`, `["m","n"]`, `["q","q"]`).Replace(product), "0 0",
			"[1 k q] [1 k q] [1 q q]", "hopper matmul tile"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, err := Parse([]byte(fmt.Sprintf(`{"format":1,"name":"orders","torch":"2.15.0","dims":[{"name":"m","value":2048},
				{"name":"n","value":4096},{"name":"k","value":8192},{"name":"p","value":5},{"name":"q","value":128}],
				"tensors":[{%s%s},{%s%s}],"nodes":[%s],"outputs":["y"]}`, a, tt.a, b, tt.b, tt.nodes)))
			if err != nil {
				t.Fatal(err)
			}
			bundle := linearBundle(t, g)
			checkOrder(t, bundle, tt.along, tt.maps, tt.names)
		})
	}
}

// checkOrder holds the families of a product to how their operands lie, what their maps see, and which there are.
func checkOrder(t *testing.T, b *templates.Bundle, along, maps, names string) {
	t.Helper()
	var list []string
	for _, f := range b.Families {
		list = append(list, f.Name)
	}
	slices.Sort(list)
	if got := strings.Join(list, " "); got != names {
		t.Errorf("families %s, want %s", got, names)
	}
	f, err := b.Family("hopper")
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Lets[0].Value + " " + f.Lets[1].Value; got != along {
		t.Errorf("terms are neighbours: %s, want %s", got, along)
	}
	var seen []string
	for _, m := range f.Plan.Spec.Launches[0].TensorMaps {
		seen = append(seen, "["+strings.Join(m.Shape, " ")+"]")
	}
	if got := strings.Join(seen, " "); got != maps {
		t.Errorf("maps see %s, want %s", got, maps)
	}
}

// TestBorrowedNumbers: of a module's parameters lengths are numbers, of which no rule says for which sizes it is.
func TestBorrowedNumbers(t *testing.T) {
	b := linearBundle(t, linearGraph(t, `"fout"`, `4096`, `"fin"`, `8192`, `{"name":"fout","value":4096}`,
		`{"name":"unused","value":2}`, `{"name":"fin","value":8192}`, `{"name":"other","value":2}`))
	f, err := b.Family("hopper")
	if err != nil {
		t.Fatal(err)
	}
	some := 0
	for _, c := range f.Constraints {
		if c.Some {
			some++
		}
		if text := c.Rule; c.Some && !strings.Contains(text, "batch") {
			t.Errorf("for some sizes alone, but of none: %s", text)
		}
	}
	if some == 0 {
		t.Error("no rule is for some sizes")
	}
}
