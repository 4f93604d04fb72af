package graph

import (
	"strings"
	"testing"

	"darwarp/kernels/expr"
)

// TestMatrix: the number of the matrix that a batch has is that of the coordinates along the axes that a side has.
func TestMatrix(t *testing.T) {
	for _, tt := range []struct {
		lengths []string
		own     []bool
		want    string
	}{
		{nil, nil, "0"},
		{[]string{"4", "3"}, []bool{false, false}, "0"},
		{[]string{"4", "3"}, []bool{true, true}, "batch"},
		{[]string{"4", "3", "2"}, []bool{true, true, false}, "(batch / 2)"},
		{[]string{"4", "3", "2"}, []bool{true, false, false}, "(batch / (3 * 2))"},
		{[]string{"4", "3"}, []bool{false, true}, "(batch % 3)"},
		{[]string{"4", "1", "3", "2"}, []bool{true, false, false, true}, "((batch / (3 * 2)) * 2) + (batch % 2)"},
		{[]string{"5", "4", "3", "2"}, []bool{false, true, true, false}, "(batch / 2 % (4 * 3))"},
		{[]string{"5", "4", "3", "2"}, []bool{false, true, false, true},
			"((batch / (3 * 2) % 4) * 2) + (batch % 2)"},
	} {
		var axes []batchAxis
		for i, length := range tt.lengths {
			axes = append(axes, batchAxis{length, tt.own[i]})
		}
		got := (&program{}).matrix(axes)
		if got != tt.want {
			t.Errorf("%v: %s, expected %s", axes, got, tt.want)
		}
		e, err := expr.CompileInt(got, expr.Scope{"batch": 0})
		if err != nil {
			t.Fatal(err)
		}
		for batch, want := range numbered(axes) {
			if n, err := e.Int(expr.Env{"batch": batch}); err != nil || n != want {
				t.Errorf("%v: batch %d has matrix %d (%v), expected %d", axes, batch, n, err, want)
			}
		}
	}
}

// numbered are the numbers of the matrices of all batches, one axis after the other.
func numbered(axes []batchAxis) []int {
	out := []int{0}
	for _, a := range axes {
		var next []int
		for _, n := range out {
			for i := range int(a.length[0] - '0') {
				if a.own {
					next = append(next, n*int(a.length[0]-'0')+i)
				} else {
					next = append(next, n)
				}
			}
		}
		out = next
	}
	return out
}

// TestRepeated: whole matrices may be repeated before a product. What repeats rows or terms, or puts them elsewhere, is
// no family's.
func TestRepeated(t *testing.T) {
	const view = `,{"list":[]}`
	for _, tt := range []struct {
		name                                  string
		one, whole, viewed, turned, q, result string // shapes
		matrix                                string // that the product reads; empty: no family takes it
	}{
		{"heads together", `"b", "h", 1, "n", 5`, `"b", "h", "g", "n", 5`, `"b", "h * g", "n", 5`, `"b", "h * g", 5, "n"`,
			`"b", "h * g", 7, 5`, `"b", "h * g", 7, "n"`, "(batch / n.q0)"},
		{"all the same", `1, "b", "h", "n", 5`, `"g", "b", "h", "n", 5`, `"g * b", "h", "n", 5`, `"g * b", "h", 5, "n"`,
			`"g * b", "h", 7, 5`, `"g * b", "h", 7, "n"`, "(batch % (n.q0 * n.q1))"},
		{"rows repeated", `"b", "h", "n", 1, 5`, `"b", "h", "n", "g", 5`, `"b", "h", "n * g", 5`, `"b", "h", 5, "n * g"`,
			`"b", "h", 7, 5`, `"b", "h", 7, "n * g"`, ""},
		{"pairs of rows", `"b", "h", 1, "n", 5`, `"b", "h", 2, "n", 5`, `"b", "h", "n", 10`, `"b", "h", 10, "n"`,
			`"b", "h", 7, 10`, `"b", "h", 7, "n"`, ""},
		{"turned before", `"b", "h", 1, 5, "n"`, `"b", "h", "g", 5, "n"`, `"b", "h * g", "n", 5`, `"b", "h * g", 5, "n"`,
			`"b", "h * g", 7, 5`, `"b", "h * g", 7, "n"`, ""},
	} {
		g, err := Parse([]byte(`{"format": 1, "name": "g", "dims": [{"name": "b", "value": 2}, {"name": "h", "value": 3},
			{"name": "g", "value": 4}, {"name": "n", "value": 6}], "tensors": [
			{"name": "q", "kind": "input", "dtype": "fp32", "shape": [` + tt.q + `]},
			{"name": "k", "kind": "input", "dtype": "fp32", "shape": ["b", "h", "n", 5]}],
			"nodes": [` + strings.Join([]string{node("u", "view", `{"ref":"k"}`+view, tt.one),
			node("e", "expand", `{"ref":"u"}`+view, tt.whole), node("r", "reshape", `{"ref":"e"}`+view, tt.viewed),
			node("t", "transpose", `{"ref":"r"},{"value":-1},{"value":-2}`, tt.turned),
			node("y", "matmul", `{"ref":"q"},{"ref":"t"}`, tt.result)}, ",") + `], "outputs": ["y"]}`))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		p, err := g.program()
		switch {
		case (err == nil) != (tt.matrix != ""):
			t.Errorf("%s: %v", tt.name, err)
		case err == nil && p.matrix(p.product.batchesB) != tt.matrix:
			t.Errorf("%s: %s, expected %s", tt.name, p.matrix(p.product.batchesB), tt.matrix)
		}
	}
}
