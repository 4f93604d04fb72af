package kernels

import (
	"reflect"
	"strings"
	"testing"
)

// withEpilogue is the problem of these tests with an epilogue, and inputs that one may read.
func withEpilogue(t *testing.T, value string) (*Problem, error) {
	t.Helper()
	const more = `  { name = "bias", role = "in", shape = ["n"] },
  { name = "scale", role = "in", shape = ["m"], dtype = "fp32" },
  { name = "rest", role = "in", shape = ["m", "n"] },
  { name = "alpha", role = "in", shape = ["1"] },
  { name = "other", role = "in", shape = ["n", "m"] },
]
[[workload]]`
	text := strings.Replace(problemTOML, "]\n[[workload]]", more, 1)
	return ParseProblem("problem.toml", []byte(text+"[epilogue]\nvalue = '"+value+"'\n"))
}

func TestEpilogue(t *testing.T) {
	const head = "template <class X>\n__device__ __forceinline__ X epilogue(X sum"
	for _, c := range []struct {
		value, function string
		operands        []Operand
	}{
		{"relu(sum)", head + ") {\n    return relu(sum);\n}\n", nil},
		{"gelu(sum + bias)*0.5 + rest",
			head + ", X bias, X rest) {\n    return gelu(sum + bias) * X(0.5f) + rest;\n}\n",
			[]Operand{{"bias", "T", "col"}, {"rest", "T", "size_t(row) * columns + col"}}},
		{"(alpha - 2) * sum / scale",
			head + ", X scale, X alpha) {\n    return (alpha - X(2.0f)) * sum / scale;\n}\n",
			[]Operand{{"scale", "float", "row"}, {"alpha", "T", "0"}}},
	} {
		p, err := withEpilogue(t, c.value)
		if err != nil {
			t.Fatalf("%s: %v", c.value, err)
		}
		got := p.Epilogue.Function()
		if got != c.function || !reflect.DeepEqual(p.Epilogue.Operands, c.operands) {
			t.Errorf("%s gives\n%s%v", c.value, got, p.Epilogue.Operands)
		}
	}
}

// TestEpilogueOfTwoSums: sums have names, which stand where "sum" does otherwise.
func TestEpilogueOfTwoSums(t *testing.T) {
	for sums, want := range map[string]string{
		`"gate", "up"`:       "",
		`"gate", "C"`:        `"C" is not usable: expected a new identifier`,
		`"gate", "gate"`:     `"gate" is not usable`,
		`"gate", "row"`:      `"row" is not usable`,
		`"gate", "up", "to"`: "3 sums: expected one or two",
		`"gate", "other"`:    `"up" is neither gate or other, nor an input`,
		`"up"`:               `"gate" is neither up, nor an input`,
	} {
		text := problemTOML + "[epilogue]\nsums = [" + sums + "]\nvalue = 'silu(gate) * up'\n"
		p, err := ParseProblem("problem.toml", []byte(text))
		switch {
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", sums, err, want)
		case want == "" && err != nil:
			t.Errorf("%s: %v", sums, err)
		case want == "" && (!p.Epilogue.Paired() || !strings.Contains(p.Epilogue.Function(), "(X gate, X up)")):
			t.Errorf("%s gives %s", sums, p.Epilogue.Function())
		}
	}
}

// What an epilogue may not say becomes no C++.
func TestEpilogueMistakes(t *testing.T) {
	for value, want := range map[string]string{
		"":           "it ends too early",
		"bias":       "it does not read sum",
		"sum +":      "it ends too early",
		"sum sum":    `unexpected "sum"`,
		"(sum":       "expected )",
		"sum)":       `unexpected ")"`,
		"gelu + sum": "gelu is a function: expected gelu(...)",
		"exp(sum)": `"exp" is neither sum, nor an input, nor a function: ` +
			"gelu, relu, sigmoid, silu, tanh",
		"sum + C":                             `"C" is neither sum`,
		"sum; asm(bias)":                      `unexpected ";"`,
		"sum + other":                         "other has the shape [n m]: expected [m n], one of these alone, or [1]",
		"sum + A":                             "A has the shape [m k]",
		"sum * 1e39":                          `unexpected "e39"`,
		"sum * " + strings.Repeat("9", 40):    "is no number of fp32",
		strings.Repeat("(", 33) + "sum":       "more than 32 brackets in each other",
		"sum" + strings.Repeat(" + sum", 200): "1203 bytes: expected at most 1000",
	} {
		if _, err := withEpilogue(t, value); err == nil || !strings.Contains(err.Error(), "epilogue.value: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", value, err, want)
		}
	}
}

// The operands take the place of the argument that stands for them, where that is the name of nothing.
func TestEpilogueArguments(t *testing.T) {
	const family = `arch = "sm_80"
[[gene]]
name = "tile"
values = [16]
default = 16
[[launch]]
entry = "product"
grid = ["m"]
block = ["32"]
args = ["A", "C", "finish", "m"]
`
	p, err := withEpilogue(t, "sum * scale + bias")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		problem    *Problem
		text, want string
	}{
		{p, family, "A C bias scale m"},
		{mustProblem(t), family, "A C m"},
		{p, strings.Replace(family, `"tile"`, `"finish"`, 1), "A C finish m"},
	} {
		f, err := ParseFamily("f.toml", "f", []byte(c.text), c.problem)
		if err != nil {
			t.Fatal(err)
		}
		got, planned := strings.Join(f.Launches[0].Args, " "), strings.Join(f.Plan.Spec.Launches[0].Args, " ")
		if got != c.want || planned != got {
			t.Errorf("arguments %s, want %s", got, c.want)
		}
	}
}
