package graph

import (
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// TestNothingToAdd: a size at which windows have no place is none of the problem.
func TestNothingToAdd(t *testing.T) {
	files, err := read(t, "testdata/linear_maxpool_sum.json").Folder()
	if err != nil {
		t.Fatal(err)
	}
	b, err := templates.FromFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	for cols, want := range map[int]bool{1: false, 2: true, 3: true} {
		if _, err := b.Problem.ReferenceLaunch(kernels.Dims{"d0": 18, "d1": cols}, kernels.FP32); (err == nil) != want {
			t.Errorf("%d columns: %v", cols, err)
		}
	}
}

// TestTaken makes folders of spellings that are no graphs in testdata, and looks for what they become in what is filled
// in.
func TestTaken(t *testing.T) {
	for _, tt := range []struct{ name, nodes, file, want string }{
		{"classes, not added up", node("y", "cross_entropy_loss", refX+`,{"ref":"i"},{"value":null},{"value":0}`, `"rows"`),
			"problem.toml", `range = [0, "(cols) - 1"]`},
		{"classes, added up", node("y", "cross_entropy_loss", refX+`,{"ref":"i"},{"value":null},{"value":2}`, ""),
			"_graph.cu.tmpl", "return total.t0;"},
		{"probabilities of classes", node("y", "cross_entropy_loss", refX+","+refX, ""), "_graph.cu.tmpl",
			"op_mul(e.l0, v"},
		{"a class that does not count", node("y", "nll_loss", refX+`,{"ref":"i"},{"value":null},{"value":1},{"value":3}`,
			""), "_graph.cu.tmpl", "op_ne(row.l1, 3.f)"},
		{"a distance of rows", node("y", "pairwise_distance", refX+","+refX, `"rows"`), "_graph.cu.tmpl",
			"op_sqrt(row.s0_0)"},
		{"a similarity along the first axis", node("y", "cosine_similarity", refX+","+refX+`,{"value":0}`, `"cols"`),
			"columns.toml", "columns_kernel"},
		{"a loss that is not added up", node("y", "huber_loss", refX+","+refX+`,{"value":0}`, whole), "map.toml",
			"map_places"},
		{"a part of a row", node("n", "narrow", refX+`,{"value":1},{"value":3},{"value":90}`, `"rows", "90"`) + "," +
			node("y", "softmax", `{"ref":"n"},{"value":1}`, `"rows", "90"`), "_graph.cu.tmpl",
			"in.in0[((long long)(k)) * n.q1 + ((long long)(r) + 3)]"},
		{"every second number", node("n", "slice", refX+`,{"value":1},{"value":0},{"value":100},{"value":2}`,
			`"rows", "50"`) + "," + node("y", "sum", `{"ref":"n"}`+alongRows, `"rows"`), "_graph.cu.tmpl", "(long long)(r) * 2"},
		{"every second number, where there is one", node("n", "slice", refX+`,{"value":1},{"value":0},{"value":100},`+
			`{"value":2}`, `"rows", "cols / 2"`) + "," + node("y", "sum", `{"ref":"n"}`+alongRows, `"rows"`), "problem.toml",
			`grid = ["rows * min(1, cols / 2)"]`},
		{"one number of a row", node("s", "select", refX+`,{"value":1},{"value":7}`, `"rows"`) + "," +
			node("y", "exp", `{"ref":"s"}`, `"rows"`), "_graph.cu.tmpl", "(0LL + 7)"},
		{"turned around", node("p", "permute", refX+`,{"list":[{"value":1},{"value":0}]}`, `"cols", "rows"`) + "," +
			node("y", "softmax", `{"ref":"p"},{"value":1}`, `"cols", "rows"`), "_graph.cu.tmpl",
			"in.in0[((long long)(r)) * n.q1 + (long long)(k)]"},
		{"zeros before a sum", node("p", "constant_pad_nd", refX+`,{"list":[{"value":1},{"value":-1}]},{"value":0}`, whole) +
			"," + node("y", "cumsum", `{"ref":"p"},{"value":1}`, whole), "_graph.cu.tmpl", ">= 0) ? 0.f"},
		{"zeros before a sum that was made", node("c", "cumsum", refX+`,{"value":1}`, whole) + "," +
			node("y", "constant_pad_nd", `{"ref":"c"},{"list":[{"value":1},{"value":-1}]},{"value":0}`, whole),
			"_graph.cu.tmpl", ">= 0) ? 0.f"},
		{"a diagonal on the right", node("d", "diag", `{"ref":"b"}`, `"cols", "cols"`) + "," +
			node("y", "matmul", refX+`,{"ref":"d"}`, whole), "map.toml", "map_places"},
		{"a norm of order 3", node("y", "linalg_vector_norm", refX+`,{"value":3},{"list":[{"value":1}]}`, `"rows"`),
			"_graph.cu.tmpl", "op_pow(row.s0_0, "},
	} {
		text := string(small(tt.nodes, "y"))
		if !strings.Contains(tt.nodes, `"i"`) {
			text = strings.Replace(text, `"dtype": "int64"`, `"dtype": "fp32"`, 1)
		}
		g, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		files, err := g.Folder()
		if err != nil || !strings.Contains(string(files[tt.file]), tt.want) {
			t.Errorf("%s: %v, want %q in %s:\n%s", tt.name, err, tt.want, tt.file, files[tt.file])
		}
	}
}
