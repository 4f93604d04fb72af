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
			"problem.toml", "range = [0, \"(cols) - 1\"]\nalso = -100 # of rows that do not count\n"},
		{"a class that does not count, said", node("y", "cross_entropy_loss",
			refX+`,{"ref":"i"},{"value":null},{"value":2},{"value":255}`, ""), "problem.toml", "also = 255 # of rows"},
		{"targets in another shape", node("v", "view", `{"ref":"i"},{"list":[{"dim":"rows"}]}`, `"rows"`) + "," +
			node("y", "nll_loss", refX+`,{"ref":"v"}`, ""), "problem.toml", "also = -100 # of rows"},
		{"classes, added up", node("y", "cross_entropy_loss", refX+`,{"ref":"i"},{"value":null},{"value":2}`, ""),
			"_graph.cu.tmpl", "return total.t0;"},
		{"probabilities of classes", node("y", "cross_entropy_loss", refX+","+refX, ""), "_graph.cu.tmpl",
			"op_mul(e.l0, v"},
		{"a class that does not count", node("y", "nll_loss", refX+`,{"ref":"i"},{"value":null},{"value":1},{"value":3}`,
			""), "_graph.cu.tmpl", "op_ne(row.l1, 3.f)"},
		{"classes with weights", node("y", "cross_entropy_loss", refX+`,{"ref":"i"},{"ref":"b"}`, ""), "problem.toml",
			"range = [0.25, 4] # variances, or weights of classes"},
		{"smooth classes", node("y", "cross_entropy_loss", refX+`,{"ref":"i"},{"value":null},{"value":1},{"value":0},`+
			`{"value":0.1}`, ""), "_graph.cu.tmpl", "op_div(row.s2_0, "},
		{"places of classes", node("h", "one_hot", `{"ref":"i"},{"value":100}`, `"rows", "100"`) + "," + node("y", "add",
			`{"ref":"h"},{"value":0.5}`, `"rows", "100"`), "problem.toml", `range = [0, "(100) - 1"]`},
		{"rows that are counted", node("n", "arange", `{"dim":"rows"}`, `"rows"`) + "," + node("y", "embedding",
			refX+`,{"ref":"n"}`, whole), "_graph.cu.tmpl", "in.in0"},
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
		{"the second half of a row", node("h", "slice", refX+`,{"value":-1},{"dim":"cols / 2"},{"dim":"cols"}`,
			`"rows", "cols / 2"`) + "," + node("y", "exp", `{"ref":"h"}`, `"rows", "cols / 2"`), "_graph.cu.tmpl",
			" + n.q"},
		{"a loss of rows that were made", node("s", "log_softmax", refX+`,{"value":1}`, whole) + "," + node("y", "kl_div",
			`{"ref":"s"},`+refX+`,{"value":2}`, ""), "_graph.cu.tmpl", "return total.t0;"},
		{"a mean of all numbers of rows that were made", node("s", "log_softmax", refX+`,{"value":1}`, whole) + "," +
			node("y", "mean", `{"ref":"s"}`, ""), "_graph.cu.tmpl", "op_div(total.t0, float(n.q0))"},
		{"a mean of a loss that is not added up", node("l", "mse_loss", refX+","+refX+`,{"value":0}`, whole) + "," +
			node("y", "mean", `{"ref":"l"}`, ""), "_graph.cu.tmpl", "op_div(row.s0_0, n.count())"},
		{"a step", node("y", "floor", refX, whole), "problem.toml", `inputs = ["normal", "uniform", "onehot", "wide"]`},
		{"a loss that is not added up, as a baseline", node("l", "mse_loss", refX+","+refX+`,{"value":0}`, whole) + "," +
			node("y", "mean", `{"ref":"l"}`, ""), "problem.toml", "torch.ops.aten.mse_loss(x, x, 0)"},
		{"statistics of the module before a sum", node("n", "batch_norm", refX+`,{"value":null},{"value":null},{"ref":"b"},`+
			`{"ref":"b"},{"value":false},{"value":0.1},{"value":1e-5},{"value":false}`, whole) + "," +
			node("y", "softmax", `{"ref":"n"},{"value":1}`, whole), "problem.toml", "range = [0.25, 4]"},
		{"two tensors side by side", node("y", "cat", `{"list":[`+refX+","+refX+`]},{"value":1}`, `"rows", "cols + cols"`),
			"_graph.cu.tmpl", ">= 0 && "},
		{"a table's lines", node("y", "embedding", refX+`,{"ref":"i"}`, whole), "problem.toml", `range = [0, "(rows) - 1"]`},
		{"a number of each line", node("u", "unsqueeze", `{"ref":"i"},{"value":1}`, `"rows", 1`) + "," +
			node("y", "gather", refX+`,{"value":1},{"ref":"u"}`, `"rows", 1`), "_graph.cu.tmpl", "(long long)(in.in"},
		{"the edge's numbers around", node("y", "pad", refX+`,{"list":[{"value":1},{"value":2}]},{"value":"replicate"}`,
			`"rows", "cols + 3"`), "_graph.cu.tmpl", "at_edge_replicate("},
		{"a constant around", node("y", "pad", refX+`,{"list":[{"value":1},{"value":2}]},{"value":"constant"},{"value":3}`,
			`"rows", "cols + 3"`), "_graph.cu.tmpl", "3.f"},
		{"backwards", node("y", "flip", refX+`,{"list":[{"value":1}]}`, whole), "_graph.cu.tmpl", "* -1 + -1) + n.q1)"},
		{"a mask that is counted", node("a", "arange", `{"dim":"cols"}`, `"cols"`) + "," +
			node("l", "lt", `{"ref":"a"},{"value":4}`, `"cols"`) + "," + node("y", "where", `{"ref":"l"},`+refX+`,{"value":0}`,
			whole), "_graph.cu.tmpl", "op_lt(e.p0, 4.f)"},
		{"in pieces and whole again", node("v", "view", refX+`,{"list":[]}`, `"rows * cols"`) + "," +
			node("v2", "view", `{"ref":"v"},{"list":[]}`, whole) + "," + node("y", "exp", `{"ref":"v2"}`, whole),
			"_graph.cu.tmpl", "load_word"},
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

// TestFixedChannels: groups of a number of channels that is no dim.
func TestFixedChannels(t *testing.T) {
	text := string(small(node("y", "group_norm", `{"ref":"x3"},{"value":2}`, `1, 8, "cols"`), "y"))
	g, err := Parse([]byte(strings.NewReplacer(`[1, "rows", "cols"]`, `[1, 8, "cols"]`, "int64", "fp32").Replace(text)))
	if err != nil {
		t.Fatal(err)
	}
	if files, err := g.Folder(); err != nil || files["rows.toml"] == nil {
		t.Error(err)
	}
}

// TestCheckShapesAreSmall: where there are few windows of many numbers, the numbers count.
func TestCheckShapesAreSmall(t *testing.T) {
	nodes := node("y", "max_pool3d", `{"ref":"x"},{"value":3},{"value":2},{"value":1},{"value":3}`, `"n", "c", 62, 62, 62`)
	g, err := Parse([]byte(`{"format": 1, "name": "g", "dims": [{"name": "n", "value": 16}, {"name": "c", "value": 32},
		{"name": "h", "value": 128}, {"name": "w", "value": 128}, {"name": "l", "value": 128}],
		"tensors": [{"name": "x", "kind": "input", "dtype": "fp32", "shape": ["n", "c", "h", "w", "l"]}],
		"nodes": [` + nodes + `], "outputs": ["y"]}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := lower(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.shapes() {
		if n := s["n"] * s["c"] * s["h"] * s["w"] * s["l"]; n > 8*most {
			t.Errorf("%v: %d numbers", s, n)
		}
	}
}
