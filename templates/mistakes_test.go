package templates

import (
	"strconv"
	"strings"
	"testing"
)

// Each change of the scaffold is one mistake, which is told once and in one line, however many points have it.
func TestCheckKernels(t *testing.T) {
	const takes = "reference.cu:7: reference takes ("
	for _, c := range []struct{ name, file, old, new, want string }{
		{"entry of the reference", "problem.toml", `entry = "reference"`, `entry = "referense"`,
			`problem.toml: reference.entry: reference.cu has no kernel "referense": it has reference`},
		{"no scale", "reference.cu", "float* y_scale,", "", takes},
		{"scale of another type", "reference.cu", "float* y_scale", "double* y_scale", takes},
		{"value of another type", "reference.cu", "double* y,", "T* y,", takes},
		{"input too few", "reference.cu", "const T* bias, ", "", takes},
		{"a flag that is no int", "reference.cu", "int rows,", "long long rows,", takes},
		{"host code in the reference", "reference.cu", `extern "C" __global__`, `extern "C"`, "reference.cu:7: "},
		{"a maker that makes nothing", "problem.toml", "name = \"bias\"\nrole = \"in\"\nshape = [\"cols\"]",
			"name = \"bias\"\nrole = \"in\"\nshape = [\"cols\"]\nmade = true\n[reference.maker]\nentry = \"reference\"\n" +
				"grid = [\"1\"]\nblock = [\"1\"]\n", takes},
		{"entry of a launch", "fuse.toml", `entry = "fuse"`, `entry = "fuze"`,
			`fuse.toml: launch[0].entry: fuse.cu.tmpl has no kernel "fuze": it has fuse`},
		{"argument too few", "fuse.toml", `"residual", `, ``,
			"fuse.toml: launch[0].args: 5 arguments for 6 parameters; fuse takes ("},
		{"arguments in another order", "fuse.toml", `"y", "rows"`, `"rows", "y"`,
			"fuse.toml: launch[0].args: argument 4 is a number, and the parameter is T* y; fuse takes ("},
		{"parameter too many", "fuse.cu.tmpl", "int rows", "int depth, int rows",
			"fuse.toml: launch[0].args: 6 arguments for 7 parameters; fuse takes ("},
		{"a bracket in a branch", "fuse.cu.tmpl", "__ldcs(", "__ldcs((", "fuse.cu.tmpl:41: "},
		{"a function of the host", "fuse.cu.tmpl", "__device__ __forceinline__ float gelu", "float gelu",
			"fuse.cu.tmpl:16: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Check(folder(changed(t, c.file, c.old, c.new)), devices(t))
			if len(r.Mistakes) != 1 || r.OK() || len(r.Families) > 0 {
				t.Fatalf("%d mistakes:\n%v", len(r.Mistakes), r.Mistakes)
			}
			got := r.Mistakes[0].Error()
			if !strings.HasPrefix(got, c.want) || strings.Contains(got, "\n") {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// The mistakes of all files are told at once.
func TestCheckAllFiles(t *testing.T) {
	files := scaffolded(t)
	edit := func(file, old, new string) {
		if !strings.Contains(string(files[file]), old) {
			t.Fatalf("%q is not in %s", old, file)
		}
		files[file] = []byte(strings.Replace(string(files[file]), old, new, 1))
	}
	edit("reference.cu", "float* y_scale,", "")
	edit("fuse.toml", `entry = "fuse"`, `entry = "fuze"`)
	files["other.toml"] = []byte("oops = 1\n" + strings.Replace(string(files["fuse.toml"]), "tile", "tyle", 1))
	files["other.cu.tmpl"] = []byte(`{{template "nowhere"}}`)
	for _, problem := range []bool{false, true} {
		want := []string{"reference.cu:7: ", "fuse.toml: launch[0].entry", "other.toml:1: oops",
			"other.cu.tmpl:1:11: no template"}
		if problem { // without which nothing is known of launches and the reference
			edit("problem.toml", `flops = "`, `flop = "`)
			want = []string{"problem.toml:17: flop: unknown key", "other.toml:1: oops", "other.cu.tmpl:1:11: no template"}
		}
		r := Check(folder(files), devices(t))
		if len(r.Mistakes) != len(want) {
			t.Errorf("%d mistakes, want %d:\n%v", len(r.Mistakes), len(want), r.Mistakes)
		}
		for _, w := range want {
			if !strings.Contains("\n"+r.Mistakes.Error(), "\n"+w) {
				t.Errorf("no line %q in\n%v", w, r.Mistakes)
			}
		}
	}
}

// TestUnits: a compiler is given the reference and a point of each family, and its lines are those of the files.
func TestUnits(t *testing.T) {
	files := scaffolded(t)
	r := Check(folder(files), devices(t))
	if len(r.Units) != 2 || r.Units[0].File != "reference.cu" || r.Units[1].File != "fuse.cu.tmpl" {
		t.Fatalf("units %+v", r.Units)
	}
	for _, u := range r.Units {
		lines := strings.Split(string(files[u.File]), "\n")
		found := 0
		for i, text := range strings.Split(u.Source, "\n") {
			at := strings.TrimPrefix(u.Locate(i+1), u.File+":")
			for n, line := range lines { // each line that the source has as it stands in the file, once
				if line != "" && text == line && strings.Count(string(files[u.File]), line) == 1 {
					if found++; at != strconv.Itoa(n+1) {
						t.Errorf("%s: line %d, %q, is located at %s", u.File, i+1, text, at)
					}
				}
			}
		}
		if found < 10 {
			t.Errorf("%s: only %d lines compared", u.File, found)
		}
		if got := u.Locate(len(strings.Split(u.Source, "\n")) + 9); u.File == "fuse.cu.tmpl" && got != u.File {
			t.Errorf("a line beyond the end: %s", got)
		}
	}
}
