package kernels

import (
	"reflect"
	"strings"
	"testing"
)

// signed is a problem of a module that takes a number, and gives one without axes and places of int64.
const signed = `
name = "signed"
dims = ["n"]
dtypes = ["fp32"]
flops = "n"
bytes = "4 * n"

[[tensor]]
name = "x"
role = "in"
shape = ["n"]

[[tensor]]
name = "y"
role = "out"
shape = ["1"]

[[tensor]]
name = "at"
role = "out"
dtype = "int32"
shape = ["1"]

[[workload]]
name = "a"
dims = { n = 8 }

[check]
reduction = "n"
exact = true
inputs = ["uniform"]
shapes = [{ n = 3 }]

[reference]
file = "reference.cu"
entry = "reference"
grid = ["1"]
block = ["32"]

[reference.module]
numbers = [{ at = 1, name = "factor", value = "0.5" }, { at = 3, name = "mode", value = '"sum"' }]
scalars = ["y"]
long = ["at"]
`

// TestSignature: what the module takes and gives is read, and refused where it fits no tensor or no value.
func TestSignature(t *testing.T) {
	p, err := ParseProblem("problem.toml", []byte(signed))
	if err != nil {
		t.Fatal(err)
	}
	want := &Signature{Numbers: []Constant{{1, "factor", "0.5"}, {3, "mode", `"sum"`}}, Scalars: []string{"y"},
		Long: []string{"at"}}
	if !reflect.DeepEqual(p.Reference.Module, want) {
		t.Errorf("%+v, want %+v", p.Reference.Module, want)
	}
	for _, tt := range []struct{ old, now, want string }{
		{"at = 3", "at = 1", "numbers[1].at: 1: expected places in their order"},
		{"at = 1", "at = -1", "numbers[0].at: -1"},
		{"at = 3", "at = 256", "from 0 to 255"},
		{`name = "factor"`, `name = "a b"`, `numbers[0].name: "a b": expected an identifier`},
		{`"0.5"`, `"[1]"`, "numbers[0].value: \"[1]\": expected a number, a bool, a string or null as JSON"},
		{`"0.5"`, `"0.5 1"`, "numbers[0].value"},
		{`"0.5"`, `"nan"`, "numbers[0].value"},
		{`scalars = ["y"]`, `scalars = ["x"]`, `scalars[0]: "x": expected tensors of shape ["1"]`},
		{`scalars = ["y"]`, `scalars = ["y", "y"]`, "scalars[1]"},
		{`long = ["at"]`, `long = ["y"]`, `long[0]: "y": expected outputs of int32`},
		{`long = ["at"]`, `long = ["z"]`, `long[0]: "z"`},
		{`long = ["at"]`, `short = ["at"]`, "short"},
	} {
		_, err := ParseProblem("problem.toml", []byte(strings.Replace(signed, tt.old, tt.now, 1)))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.now, err, tt.want)
		}
	}
}
