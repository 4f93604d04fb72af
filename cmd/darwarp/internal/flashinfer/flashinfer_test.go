package flashinfer

import (
	"os"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func folder(t *testing.T, definition, workloads string) *templates.Bundle {
	t.Helper()
	files, name, err := Folder([]byte(definition), []byte(workloads))
	if err != nil {
		t.Fatal(err)
	}
	b, err := templates.FromFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	if b.Problem.Name != name {
		t.Errorf("the problem is %s, the definition %s", b.Problem.Name, name)
	}
	return b
}

// sizes are the names of the workloads, with a star for those that a search takes.
func sizes(p *kernels.Problem) (all []string) {
	for _, w := range p.Workloads {
		star := ""
		if w.Default {
			star = "*"
		}
		all = append(all, w.Name+star)
	}
	return all
}

func TestGEMM(t *testing.T) {
	b := folder(t, read(t, "gemm.json"), read(t, "gemm.jsonl"))
	want := []string{"1x256x512*", "7x256x512", "33x256x512*", "64x256x512", "2048x256x512*", "8192x256x512*"}
	if got := sizes(b.Problem); !slices.Equal(got, want) {
		t.Errorf("workloads %q, want %q", got, want)
	}
	if !slices.Equal(b.Problem.DTypes, []kernels.DType{kernels.FP16}) || len(b.Families) < 2 {
		t.Errorf("types %v, %d families", b.Problem.DTypes, len(b.Families))
	}
	if w := b.Problem.Workloads[2]; w.Dims["m"] != 33 || w.Dims["n"] != 256 || w.Dims["k"] != 512 {
		t.Errorf("%v", w.Dims)
	}
}

func TestRMSNorm(t *testing.T) {
	b := folder(t, read(t, "rmsnorm.json"), "")
	want := []string{"1x4096*", "16x4096", "64x4096*", "1024x4096*", "8192x4096*"}
	if got := sizes(b.Problem); !slices.Equal(got, want) {
		t.Errorf("workloads %q, want %q", got, want)
	}
	for name, data := range b.Files {
		if strings.Contains(string(data), "1e-6") {
			t.Errorf("%s has the built-in epsilon", name)
		}
	}
	for _, f := range []string{"reference.cu", "rows.cu.tmpl", "problem.toml"} {
		if !strings.Contains(string(b.Files[f]), "1e-05") {
			t.Errorf("%s has not the definition's epsilon", f)
		}
	}
}

func TestRefused(t *testing.T) {
	gemm, norm := read(t, "gemm.json"), read(t, "rmsnorm.json")
	for _, c := range []struct{ name, text, old, new, want string }{
		{"no JSON", gemm, "{", "[", "it is no definition"},
		{"another operation", gemm, `"op_type": "gemm"`, `"op_type": "moe"`, `op_type "moe": expected one of gemm, rmsnorm`},
		{"a name that is a path", gemm, `"gemm_n256_k512"`, `"../x"`, `its name "../x"`},
		{"a product that is not transposed", gemm, "B.T)", "B)", `its reference has "C = torch.matmul(A, B)"`},
		{"the factors in another order", gemm, "A, B.T", "B, A.T", "its reference has"},
		{"something added", gemm, `return C`, `C = C + 1\n    return C`, `its reference has "C = C + 1"`},
		{"something behind", gemm, `return C`, `return C\n    return A`, "its reference goes on"},
		{"an input returned", gemm, "return C", "return A", "its reference returns A, not the product"},
		{"nothing returned", gemm, "return C", "", "its reference ends before"},
		{"two types", gemm, `"float16"`, `"float32"`, "has the type"},
		{"a type that is not known", strings.ReplaceAll(gemm, "float16", "float8_e4m3fn"), "x", "x", "float8_e4m3fn"},
		{"a shape of another product", gemm, "\"N\",\n    \"K\"", "\"K\",\n    \"N\"", "its inputs are not those of gemm"},
		{"an axis that is missing", gemm, `"M": {`, `"Z": {`, `there is no axis "M"`},
		{"a size of nothing", gemm, `"value": 256`, `"value": 0`, "axis N: expected"},
		{"a mean of something else", norm, "x.pow(2)", "x.abs()", "its reference has"},
		{"no epsilon", norm, "1e-5", "1e5", "its epsilon is 1e5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(c.text, c.old) {
				t.Fatalf("%q is not in the definition", c.old)
			}
			_, _, err := Folder([]byte(strings.Replace(c.text, c.old, c.new, 1)), nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	for lines, want := range map[string]string{
		"x\n": "line 1 of the workloads",
		`{"definition": "other", "workload": {"axes": {"M": 4}}}`:          `is of the definition "other"`,
		`{"definition": "gemm_n256_k512", "workload": {"axes": {"m": 4}}}`: "has no size for the axis M",
	} {
		if _, _, err := Folder([]byte(gemm), []byte(lines)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", lines, err, want)
		}
	}
}
