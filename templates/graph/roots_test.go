package graph

import (
	"fmt"
	"regexp"
	"testing"
)

var withoutLine = regexp.MustCompile(`(?m)^without = (.*)$`)

// TestOpenRoots: numbers whose squares fp32 loses are left out where a root is all that is made of them, and equal ones
// where a variance is; not where something keeps it from 0.
func TestOpenRoots(t *testing.T) {
	node := func(name, op, args string) string {
		return fmt.Sprintf(`{"name": %q, "op": %q, "args": [%s], "dtype": "fp32", "shape": ["m"]}`, name, op, args)
	}
	const (
		squares = `{"name": "s", "op": "mul", "args": [{"ref": "x"}, {"ref": "x"}], "dtype": "fp32", "shape": ["m", "n"]},`
		rows    = `, {"list": [{"value": 1}]}`
		small   = `{"ref": "v"}, {"value": 1e-6}`
	)
	norm := func(name string) string { return node(name, "linalg_vector_norm", `{"ref": "x"}, {"value": 2}`+rows) }
	of := func(name, op string) string { return node(name, op, `{"ref": "x"}`+rows) }
	for _, tt := range []struct{ name, nodes, want string }{
		{"norm", norm("y"), `["tiny"]`},
		{"root", squares + node("v", "mean", `{"ref": "s"}`+rows) + "," + node("y", "sqrt", `{"ref": "v"}`), `["tiny"]`},
		{"deviation", of("y", "std"), `["tiny", "constant", "single"]`},
		{"a part of a deviation", of("v", "std") + "," + node("y", "mul", small), `["tiny", "constant", "single"]`},
		{"deviation and a number", of("v", "std") + "," + node("y", "add", small), `["single"]`},
		{"norm or a number", norm("v") + "," + node("y", "clamp_min", small), ""},
		{"variance", of("y", "var"), `["constant", "single"]`},
		{"variance and a number", of("v", "var") + "," + node("y", "add", small), `["single"]`},
	} {
		g, err := Parse(fmt.Appendf(nil, `{"format": 1, "name": "roots", "torch": "2.15.0", "training": false,
			"dims": [{"name": "m", "value": 64}, {"name": "n", "value": 256}],
			"tensors": [{"name": "x", "kind": "input", "dtype": "fp32", "shape": ["m", "n"]}],
			"nodes": [%s], "outputs": ["y"]}`, tt.nodes))
		if err != nil {
			t.Fatal(tt.name, err)
		}
		folder, err := g.Folder()
		if err != nil {
			t.Fatal(tt.name, err)
		}
		got := ""
		if m := withoutLine.FindSubmatch(folder["problem.toml"]); m != nil {
			got = string(m[1])
		}
		if got != tt.want {
			t.Errorf("%s: without = %s, expected %s", tt.name, got, tt.want)
		}
	}
}

// TestFactorsAreLong: a check that is proven on small integers is not left with a few of which all may be 0.
func TestFactorsAreLong(t *testing.T) {
	p, err := lower(read(t, "testdata/diag.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, shape := range p.shapes()[1:] {
		if shape["d0"] < leastFactor {
			t.Errorf("the diagonal has %d numbers", shape["d0"])
		}
	}
}
