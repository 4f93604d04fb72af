package graph

import (
	"os"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// inTF32 makes a graph in bf16 one in fp32 whose products may be rounded.
var inTF32 = []string{`"bf16"`, `"fp32"`, `"format":1,`, `"format":1,"tf32":true,`}

func familyNames(b *templates.Bundle) string {
	var list []string
	for _, f := range b.Families {
		list = append(list, f.Name)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestRoundedFamilies: products in tf32 and maps have wgmma beside the family of products, in any order of the operands
// and whatever their lines, but where a tile is mostly zeros or results are no whole words.
func TestRoundedFamilies(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		pairs      []string
	}{
		{"a linear layer", "hopper matmul", inTF32},
		{"strict fp32", "matmul", inTF32[:2]},
		{"batches of rows", "hopper matmul", append([]string{`["batch",`, `["batch",3,`}, inTF32...)},
		{"terms along the columns", "hopper matmul", append([]string{
			`"op":"linear","args":[{"ref":"x"},{"ref":"w"},{"ref":"bias"}]`, `"op":"mm","args":[{"ref":"x"},{"ref":"w"}]`,
			`["fout","fin"]`, `["fin","fout"]`}, inTF32...)},
		{"lines of 8191 numbers", "hopper matmul", append([]string{"8192", "8191"}, inTF32...)},
		{"4098 columns", "matmul", append([]string{"4096", "4098"}, inTF32...)},
		{"60 columns", "matmul", append([]string{"4096", "60"}, inTF32...)},
		{"63 rows", "matmul", append([]string{"1024", "63"}, inTF32...)},
		{"63 terms", "matmul", append([]string{"8192", "63"}, inTF32...)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := familyNames(linearBundle(t, linearGraph(t, tt.pairs...))); got != tt.want {
				t.Errorf("families %s, want %s", got, tt.want)
			}
		})
	}
	for file, want := range map[string]string{"tril": "matmul", "linear_gn": "rows", "matmul3d": "hopper matmul"} {
		data, err := os.ReadFile("testdata/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		g, err := Parse([]byte(strings.Replace(string(data), `"format": 1,`, `"format": 1, "tf32": true,`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if got := familyNames(linearBundle(t, g)); !g.TF32 || got != want {
			t.Errorf("%s: families %s, want %s", file, got, want)
		}
	}
}

// TestRoundedNames takes names that are the family's own, and those of its kernels' parameters.
func TestRoundedNames(t *testing.T) {
	b := linearBundle(t, linearGraph(t, append([]string{`"fout"`, `"block_m"`, `"x"`, `"rounded_b"`, `"w"`, `"A"`,
		`"bias"`, `"c_tiles"`}, inTF32...)...))
	f, err := b.Family("hopper")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"rounded_b_ A rounded_a rounded_b 1 1 batch block_m_ fin",
		"c_tiles rounded_a rounded_b y 1 batch block_m_ fin rounded_b_ A c_tiles_ rest gate batch block_m_",
		"rounded_b_ A y batch block_m_ fin rounded_b_ A c_tiles_ rest gate batch block_m_"} {
		if got := strings.Join(f.Plan.Spec.Launches[i].Args, " "); got != want {
			t.Errorf("arguments %s, want %s", got, want)
		}
	}
}

// TestRoundedLaunches: what is rounded has whole tiles of a cluster, and each matrix of a side once, however many
// products it is part of.
func TestRoundedLaunches(t *testing.T) {
	g, err := Parse([]byte(`{"format":1,"name":"planes","torch":"2.15.0","tf32":true,"dims":[{"name":"p","value":3},
		{"name":"m","value":200},{"name":"n","value":96},{"name":"k","value":70}],"tensors":[
		{"name":"a","kind":"input","dtype":"fp32","shape":["p",2,"m","k"]},
		{"name":"b","kind":"input","dtype":"fp32","shape":[2,"k","n"]}],"nodes":[{"name":"y","op":"matmul",
		"args":[{"ref":"a"},{"ref":"b"}],"dtype":"fp32","shape":["p",2,"m","n"]}],"outputs":["y"]}`))
	if err != nil {
		t.Fatal(err)
	}
	b := linearBundle(t, g)
	f, err := b.Family("hopper")
	if err != nil {
		t.Fatal(err)
	}
	genome := f.Defaults()
	genome["cluster_m"] = kernels.Int(2)
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	job, err := b.Job(f, genome, dev, kernels.FP32)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		n                int
		entries          string
		bytesA, bytesB   int
		rounding, blocks int
	}{
		// Terms are 96: three slabs. Rows are 256, two tiles of a cluster, columns 128, two tiles.
		{96, "round_operands product", 4 * 6 * 256 * 96, 4 * 2 * 128 * 96, (6*256 + 2*128) / 64 * 3, 6 * 4 * 2},
		{97, "product_plain", 0, 0, 13 * 7, 0},
	} {
		call, err := job.Resolve(kernels.Dims{"p": 3, "m": 200, "n": tt.n, "k": 70})
		if err != nil {
			t.Fatal(err)
		}
		var entries []string
		for _, l := range call.Launches {
			entries = append(entries, l.Entry)
		}
		if got := strings.Join(entries, " "); got != tt.entries {
			t.Fatalf("%d columns: launches %s, want %s", tt.n, got, tt.entries)
		}
		if a, b := call.Scratch[0].Bytes, call.Scratch[1].Bytes; a != tt.bytesA || b != tt.bytesB {
			t.Errorf("%d columns: %d and %d bytes, want %d and %d", tt.n, a, b, tt.bytesA, tt.bytesB)
		}
		if got := call.Launches[0].Grid[0]; got != tt.rounding {
			t.Errorf("%d columns: %d blocks, want %d", tt.n, got, tt.rounding)
		}
		if last := call.Launches[len(call.Launches)-1].Grid[0]; tt.blocks > 0 && last != tt.blocks {
			t.Errorf("%d columns: %d blocks that multiply, want %d", tt.n, last, tt.blocks)
		}
	}
}
