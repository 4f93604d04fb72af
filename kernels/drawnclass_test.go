package kernels

import (
	"slices"
	"strings"
	"testing"
)

// quantised is a problem with an operand of one byte; range and role are of its scales.
const quantised = `
name = "quantised"
dims = ["m", "n", "k"]
dtypes = ["fp16"]
flops = "2 * m * n * k"
bytes = "m * k"
tensor = [
    { name = "A", role = "in", shape = ["m", "k"], dtype = "TYPE" },
    { name = "scale", role = "in", shape = ["m"], EXTRA },
    { name = "C", role = "out", shape = ["m", "n"], dtype = "OUT" },
]
workload = [{ name = "one", dims = { m = 4, n = 4, k = 4 } }]
check = { reduction = "k", shapes = [{ m = 1, n = 1, k = 1 }] }
reference = { file = "reference.cu", entry = "reference", grid = ["m"], block = ["n"] }
`

func TestClassesBesideDrawnInputs(t *testing.T) {
	for _, c := range []struct {
		dtype, extra, out string
		mistake           string // empty: none
		hard              string // a hard class that does not apply
	}{
		{"e4m3", `range = [0.25, 2]`, "fp16", "", ""},
		{"uint8", `range = [0.25, 2]`, "fp16", "", Needles}, // whose terms would not be neutral
		{"int32", `range = [0.25, 2]`, "fp16", "", Special},
		{"e5m2", `dtype = "uint8", range = [0, 15]`, "fp32", "", ""},
		{"fp16", `dtype = "e8m0"`, "fp16", "", ""},
		{"fp16", `dtype = "int32", range = [-3, 100]`, "fp16", "", ""},
		{"e4m3", `range = [0.25, 2]`, "e4m3", "", ""},
		{"e4m3", `range = [0.25, 2]`, "e5m2",
			"tensor[2].dtype: e5m2: expected fp16, bf16, fp32, int32 or e4m3 for an output", ""},
	} {
		text := strings.NewReplacer("TYPE", c.dtype, "EXTRA", c.extra, "OUT", c.out).Replace(quantised)
		p, err := ParseProblem("problem.toml", []byte(text))
		if c.mistake != "" {
			if err == nil || err.Error() != "problem.toml: "+c.mistake {
				t.Errorf("%s %s %s: %v, expected %s", c.dtype, c.extra, c.out, err, c.mistake)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v", c.dtype, c.extra, err)
			continue
		}
		for _, class := range []string{Needles, Special} {
			if slices.Contains(p.Hard(), class) == (class == c.hard) {
				t.Errorf("%s %s: class %s of %v", c.dtype, c.extra, class, p.Hard())
			}
		}
	}
}

// TestSumsAreNotBytes: a family cannot claim to keep its sums in a type of one byte.
func TestSumsAreNotBytes(t *testing.T) {
	for _, d := range []DType{E4M3, E5M2, E8M0, I8, U8, Mask} {
		if d.Sums() || d.Outputs() != (d == E4M3) || d.Size() != 1 || !d.Valid() {
			t.Errorf("%s is taken for the type of sums or outputs", d)
		}
	}
	for _, d := range []DType{FP16, BF16, FP32, I32} {
		if !d.Outputs() {
			t.Errorf("%s is not for outputs", d)
		}
	}
}
