package graph

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

var update = flag.Bool("update", false, "write testdata/golden again")

func read(t *testing.T, file string) *Graph {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestFolders makes every graph a folder that a search would take, for both architectures.
func TestFolders(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.json")
	if len(files) < 10 {
		t.Fatalf("%d graphs found", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			out, err := read(t, file).Folder()
			if err != nil {
				t.Fatal(err)
			}
			save(t, strings.TrimSuffix(filepath.Base(file), ".json"), out)
			b, err := templates.FromFiles(out)
			if err != nil {
				t.Fatal(err)
			}
			for _, arch := range []string{"sm_80", "sm_90a"} {
				dev, err := kernels.ArchDevice(arch)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range b.Families {
					if _, err := b.Job(f, f.Defaults(), dev, b.Problem.DTypes[0]); err != nil {
						t.Errorf("%s: the naive start: %v", f.Name, err)
					}
					for _, g := range f.Starts() {
						if err := f.Check(g, dev, b.Problem.DTypes[0]); err != nil && arch == "sm_90a" {
							t.Errorf("%s: what is tried first: %v", f.Name, err)
						}
					}
				}
			}
		})
	}
}

// save writes a folder where GRAPH_OUT says, to be searched by hand.
func save(t *testing.T, name string, files map[string][]byte) {
	dir := os.Getenv("GRAPH_OUT")
	if dir == "" {
		return
	}
	if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name, file), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGolden holds what is filled in against files that were read by a person.
func TestGolden(t *testing.T) {
	for _, name := range []string{"chain", "layernorm", "rms_written", "batchnorm"} {
		out, err := read(t, "testdata/"+name+".json").Folder()
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"problem.toml", "_graph.cu.tmpl"} {
			golden := filepath.Join("testdata", "golden", name+"_"+file)
			if *update {
				if err := os.WriteFile(golden, out[file], 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, out[file]) {
				t.Errorf("%s of %s changed: see it with -update and git diff", file, name)
			}
		}
	}
}

// small is a graph of one input x [rows, cols] and some nodes, as JSON.
func small(nodes string, outputs ...string) []byte {
	out, _ := json.Marshal(outputs)
	return []byte(`{"format": 1, "name": "g", "dims": [{"name": "rows", "value": 64}, {"name": "cols", "value": 100}],
		"tensors": [{"name": "x", "kind": "input", "dtype": "fp32", "shape": ["rows", "cols"]},
			{"name": "w", "kind": "parameter", "dtype": "fp32", "shape": ["cols", "rows"]},
			{"name": "x3", "kind": "input", "dtype": "fp32", "shape": [1, "rows", "cols"]},
			{"name": "b", "kind": "parameter", "dtype": "fp32", "shape": ["cols"]},
			{"name": "i", "kind": "input", "dtype": "int64", "shape": ["rows"]}],
		"nodes": [` + nodes + `], "outputs": ` + string(out) + `}`)
}

func node(name, op, args, shape string) string {
	return `{"name": "` + name + `", "op": "` + op + `", "args": [` + args + `], "dtype": "fp32", "shape": [` +
		shape + `]}`
}

const (
	refX  = `{"ref": "x"}`
	whole = `"rows", "cols"`

	alongRows = `,{"list":[{"value":1}]}`
)

func boolean(name, op, args string) string {
	return strings.Replace(node(name, op, args, whole), `"fp32"`, `"bool"`, 1)
}

// nested are so many means, each of numbers less the one before; the last is y.
func nested(count int) string {
	last, list := "x", []string{}
	for i := range count {
		m, d := "m"+numeral(i), "d"+numeral(i)
		if i == count-1 {
			d = "y"
		}
		list = append(list, node(m, "mean", `{"ref":"`+last+`"}`+alongRows+`,{"value":true}`, `"rows", "1"`),
			node(d, "sub", `{"ref":"`+last+`"},{"ref":"`+m+`"}`, whole))
		last = d
	}
	return strings.Join(list, ",")
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct{ name, nodes, want string }{
		{"unknown operator", node("y", "fft", refX, whole), "node y (fft): no family takes this operator"},
		{"randomness", node("y", "dropout", refX+`,{"value":0.5},{"value":true}`, whole), "it draws random numbers"},
		{"rounding mode", strings.Replace(node("y", "div", refX+`,{"value":2}`, whole), `"dtype"`,
			`"kwargs": {"rounding_mode": {"value": "floor"}}, "dtype"`, 1), "rounding_mode is floor: expected none"},
		{"places of rounding", strings.Replace(node("y", "round", refX, whole), `"dtype"`,
			`"kwargs": {"decimals": {"value": 2}}, "dtype"`, 1), "and none by name"},
		{"order of a norm", node("y", "linalg_vector_norm", refX+`,{"value":-3}`, ""), "of order -3"},
		{"two reductions", node("s", "sum", refX+alongRows, `"rows"`) + "," + node("y", "amax", `{"ref":"s"}`, ""),
			"node y (amax): it reduces"},
		{"sums of all rows beside rows", node("s", "sum", refX+alongRows, `"rows"`) + "," + node("t", "sum", `{"ref":"s"}`,
			"") + "," + node("y", "sub", `{"ref":"s"},{"ref":"t"}`, `"rows"`), "needs numbers of rows and sums over all"},
		{"an index that is none", node("y", "cross_entropy_loss", refX+`,{"ref":"w"}`, ""), "expected an input of int64"},
		{"a comparison that rounding decides", node("e", "exp", refX, whole) + "," + boolean("c", "gt",
			`{"ref":"e"},{"value":1}`) + "," + node("y", "where", `{"ref":"c"},`+refX+`,{"value":0}`, whole),
			"node c (gt): of a number that is computed"},
		{"truth values added up", boolean("c", "gt", refX+`,{"value":1}`) + "," + boolean("y", "add",
			`{"ref":"c"},{"ref":"c"}`), "node y (add): it gives bool"},
		{"weighted rows", node("y", "cross_entropy_loss", refX+`,{"ref":"i"},{"ref":"x3"}`, ""),
			"its weight: expected a number of each class"},
		{"weighted probabilities", node("y", "cross_entropy_loss", refX+","+refX+`,{"ref":"b"}`, ""),
			"weight with targets that are probabilities"},
		{"a cut from the end", node("y", "slice", refX+`,{"value":1},{"value":-3}`, `"rows", "3"`), "from -3 in steps of 1"},
		{"windows of a map", node("e", "exp", `{"ref":"x3"}`, `"1", "rows", "cols"`) + "," + node("y", "max_pool1d",
			`{"ref":"e"},{"list":[{"value":2}]}`, `"1", "rows", "50"`), "expected windows of an input, or of a product"},
		{"two axes", node("s", "sum", refX+alongRows+`,{"value":true}`, `"rows", "1"`) + "," +
			node("u", "sum", refX+`,{"list":[{"value":0}]},{"value":true}`, `"1", "cols"`) + "," +
			node("y", "add", `{"ref":"s"},{"ref":"u"}`, whole), "expected one reduction"},
		{"a result along another axis", node("r", "mean", refX+alongRows+`,{"value":true}`, `"rows", "1"`) + "," +
			node("s", "slice", refX+`,{"value":1},{"value":0},{"value":50}`, `"rows", "50"`) + "," +
			node("y", "add", `{"ref":"r"},{"ref":"s"}`, `"rows", "50"`), "is neither that of"},
		{"no such axis", node("y", "sum", refX+`,{"list":[{"value":2}]}`, `"rows"`), "an axis is no axis of"},
		{"integers", node("y", "add", refX+`,{"ref":"i"}`, whole), "argument of shape"},
		{"an index short of an axis", node("y", "embedding", refX+`,{"ref":"i"}`, `"rows", "rows", "cols"`),
			"of 1 axes where 2"},
		{"numbers as index", node("y", "gather", refX+`,{"value":1},{"ref":"w"}`, `"rows", "rows"`),
			"expected an input of int64"},
		{"indices of two axes", node("y", "index", refX+`,{"list":[{"ref":"i"},{"ref":"i"}]}`, `"rows"`), "of one axis"},
		{"padding of a kind", node("y", "pad", refX+`,{"list":[{"value":1},{"value":1}]},{"value":"mirror"}`,
			`"rows", "cols + 2"`), "of mode mirror"},
		{"padding that follows a size", node("y", "pad", refX+`,{"list":[{"dim":"cols"},{"value":1}]}`,
			`"rows", "cols + cols + 1"`), "it adds follows a size"},
		{"numbers behind what is no tensor", node("y", "cat", `{"list":[`+refX+`,{"ref":"b"}]},{"value":0}`,
			`"rows + 1", "cols"`), "expected tensors of 2 axes"},
		{"counted down", `{"name": "a", "op": "arange", "args": [{"value":9},{"value":0},{"value":-1}], "dtype": "int64", ` +
			`"shape": ["cols"]},` + boolean("c", "lt", `{"ref":"a"},{"value":4}`) + "," +
			node("y", "where", `{"ref":"c"},`+refX+`,{"value":0}`, whole), "steps of 1 or more"},
		{"an output of no input", node("y", "add", `{"value":1},{"value":2}`, whole), "no input"},
		{"an unknown dim in C", node("y", "add", refX+`,{"dim":"rows > 1 ? 2 : 3"}`, whole), "expected + - * / %"},
		{"a number that is none", node("y", "leaky_relu", refX+`,{"ref":"b"}`, whole), "is no plain number"},
		{"a map before a product", node("r", "relu", refX, whole) + "," +
			node("y", "mv", `{"ref":"r"},{"ref":"b"}`, `"rows"`), "expected tensors and their transposes"},
		{"sums of sums", nested(maxPasses + 1), "expected at most 8"},
		{"two products", node("p", "mm", refX+`,{"ref":"w"}`, `"rows", "rows"`) + "," +
			node("y", "mm", `{"ref":"p"},`+refX, whole), "expected tensors and their transposes"},
		{"a product beside sums of other rows", node("p", "mm", refX+`,{"ref":"w"}`, `"rows", "rows"`) + "," +
			node("s", "sum", refX+alongRows+`,{"value":true}`, `"rows", "1"`) + "," +
			node("y", "add", `{"ref":"p"},{"ref":"s"}`, `"rows", "rows"`), "its result is used along other axes"},
		{"a scan of a scan", node("c", "cumsum", refX+`,{"value":1}`, whole) + "," +
			node("y", "cumsum", `{"ref":"c"},{"value":1}`, whole), "expected one"},
		{"a scan along an axis of 1", node("y", "cumsum", `{"ref":"x3"},{"value":0}`, `"1", "rows", "cols"`),
			"axis of length 1"},
		{"a window larger than 64", node("y", "max_pool1d", `{"ref":"x3"},{"list":[{"value":65}]}`, `"1", "rows", "1"`),
			"out of range"},
		{"a window of another length", node("y", "max_pool1d", `{"ref":"x3"},{"list":[{"value":2}]}`, `"1", "rows", "9"`),
			"expected 50"},
	} {
		g, err := Parse(small(tt.nodes, "y"))
		if err == nil {
			_, err = g.Folder()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want a line with %q", tt.name, err, tt.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	good := string(small(node("y", "relu", refX, whole), "y"))
	for _, tt := range []struct{ name, from, to, want string }{
		{"format", `"format": 1`, `"format": 2`, "format 2"},
		{"a path as name", `"name": "g"`, `"name": "../g"`, "is not a name"},
		{"no name", `"name": "g"`, `"name": ""`, "is not a name"},
		{"code as a tensor's name", `"name": "x"`, `"name": "x; }"`, "expected a new identifier"},
		{"a name twice", `"name": "b"`, `"name": "x"`, "expected a new identifier"},
		{"a dim of 0", `"value": 64`, `"value": 0`, "expected 1 to"},
		{"a shape that is none", `["cols"]`, `["cols$"]`, "is no length"},
		{"a shape of 2^70", `["cols"]`, `["cols*1180591620717411303424"]`, "is no length"},
		{"an operator with a quote", `"op": "relu"`, `"op": "relu\"\n"`, "is not the name of an operator"},
		{"a node that does not exist", `{"ref": "x"}`, `{"ref": "z"}`, "no tensor or node before it"},
		{"a dim as tensor", `{"ref": "x"}`, `{"ref": "rows"}`, "no tensor or node before it"},
		{"itself", `{"ref": "x"}`, `{"ref": "y"}`, "no tensor or node before it"},
		{"two kinds of argument", `{"ref": "x"}`, `{"ref": "x", "value": 1}`, "one of ref, value"},
		{"a value with a list", `{"ref": "x"}`, `{"value": [1]}`, "a value is"},
		{"no outputs", `["y"]`, `[]`, "no outputs"},
		{"an output that is none", `["y"]`, `["q"]`, "is no node"},
		{"more behind it", `["y"]}`, `["y"]} {}`, "more than one"},
	} {
		text := strings.Replace(good, tt.from, tt.to, 1)
		if text == good {
			t.Errorf("%s: nothing to replace", tt.name)
		}
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := Parse([]byte(good)); err != nil {
		t.Error(err)
	}
}

// TestNames takes tensors, dims and outputs by names that mean something in the families, in C++ and in Python.
func TestNames(t *testing.T) {
	text := string(small(node("threads", "add", `{"ref":"float"},{"ref":"vector"}`, `"int", "min"`), "threads"))
	for from, to := range map[string]string{`"x"`: `"float"`, `"b"`: `"vector"`, `"rows"`: `"int"`, `"cols"`: `"min"`} {
		text = strings.ReplaceAll(text, from, to)
	}
	text = strings.ReplaceAll(
		text,
		`"name": "i", "kind": "input", "dtype": "int64"`,
		`"name": "T", "kind": "input", "dtype": "fp32"`,
	)
	g, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	files, err := g.Folder()
	if err != nil {
		t.Fatal(err)
	}
	b, err := templates.FromFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range b.Problem.Tensors {
		got = append(got, x.Name)
	}
	if want := "float w x3 vector_ T_ threads_"; strings.Join(got, " ") != want {
		t.Errorf("tensors %v, want %s", got, want)
	}
	if want := "int min_"; strings.Join(b.Problem.DimNames, " ") != want {
		t.Errorf("dims %v, want %s", b.Problem.DimNames, want)
	}
}

// TestDeep takes chains as long as graphs may be, each node of which reads the one before twice, with what looks at all
// of a chain behind them.
func TestDeep(t *testing.T) {
	for _, tt := range []struct{ op, shape, last string }{
		{"add", whole, ""},
		{"maximum", whole, boolean("c", "gt", `{"ref":"LAST"},{"value":1}`) + "," +
			node("y", "where", `{"ref":"c"},`+refX+`,{"value":0}`, whole)},
		{"add", `"1", "rows", "cols"`, node("y", "max_pool1d", `{"ref":"LAST"},{"list":[{"value":2}]}`, `"1", "rows", "50"`)},
	} {
		var list []string
		last := map[bool]string{true: "x", false: "x3"}[tt.shape == whole]
		for i := range maxNodes - 3 {
			name := "n" + numeral(i)
			list = append(list, node(name, tt.op, `{"ref":"`+last+`"},{"ref":"`+last+`"}`, tt.shape))
			last = name
		}
		if tt.last != "" {
			list, last = append(list, strings.ReplaceAll(tt.last, "LAST", last)), "y"
		}
		g, err := Parse(small(strings.Join(list, ","), last))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = g.Folder(); err != nil && strings.Contains(err.Error(), "\n") {
			t.Error(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small(node("y", "relu", refX, whole), "y"))
	f.Add(small(node("y", "softmax", refX+`,{"value":-1}`, whole), "y"))
	files, _ := filepath.Glob("testdata/*.json")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := Parse(data)
		if err != nil {
			return
		}
		files, err := g.Folder()
		if err != nil {
			return
		}
		if _, err := templates.FromFiles(files); err != nil {
			t.Errorf("a folder that is not usable: %v", err)
		}
	})
}

// TestHalves: what is cut in halves has an even length at every check shape.
func TestHalves(t *testing.T) {
	g := read(t, "testdata/silu_and_mul.json")
	p, err := lower(g)
	if err != nil {
		t.Fatal(err)
	}
	if p.step("d") != 2 || p.step("d1") != 1 {
		t.Errorf("steps %v, expected even d", p.steps)
	}
	for _, s := range p.shapes() {
		if s["d"]%2 != 0 {
			t.Errorf("%v", s)
		}
	}
}
