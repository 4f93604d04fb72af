package graph

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"darwarp/kernels"
	"darwarp/templates"
)

// TestChecked: check finds no mistake and no oversight in the folders of some graphs
// (of all where DARWARP_GRAPHS is "all").
func TestChecked(t *testing.T) {
	var devices []kernels.Device
	for _, arch := range []string{"sm_80", "sm_90a"} {
		dev, err := kernels.ArchDevice(arch)
		if err != nil {
			t.Fatal(err)
		}
		devices = append(devices, dev)
	}
	names := strings.Fields("imported_cross_entropy cumsum cumsum_long cumsum_middle linear_lse frobenius " +
		"layernorm_bf16 sum_dim1 matmul_tf32")
	if os.Getenv("DARWARP_GRAPHS") == "all" {
		files, _ := filepath.Glob("testdata/*.json")
		names = names[:0]
		for _, file := range files {
			names = append(names, strings.TrimSuffix(filepath.Base(file), ".json"))
		}
	}
	for _, name := range names {
		out, err := read(t, "testdata/"+name+".json").Folder()
		if err != nil {
			t.Fatal(err)
		}
		dir := fstest.MapFS{}
		for name, text := range out {
			dir[name] = &fstest.MapFile{Data: text}
		}
		r := templates.Check(dir, devices)
		for _, m := range r.Mistakes {
			t.Errorf("%s: %v", name, m)
		}
		for _, f := range r.Families {
			if len(f.Warnings) > 0 {
				t.Errorf("%s: %s: %s", name, f.Name, strings.Join(f.Warnings, "; "))
			}
		}
	}
}

// TestWithout: rows of numbers whose squares are 0 in fp32 are asked for where something keeps a divisor from 0, and
// not where torch itself divides by 0; single terms where no distances from a mean are added up, of which none is 0.
func TestWithout(t *testing.T) {
	for name, left := range map[string][]string{
		"l2norm": {"tiny"}, "frobenius": {"tiny"}, "rms_written": nil, "cosine_loss": nil,
		"layernorm": {"single"}, "batchnorm": {"single"}, "softmax": nil,
	} {
		out, err := read(t, "testdata/"+name+".json").Folder()
		if err != nil {
			t.Fatal(err)
		}
		for _, class := range []string{"tiny", "single"} {
			want := slices.Contains(left, class)
			if got := strings.Contains(string(out["problem.toml"]), `without = ["`+class+`"]`); got != want {
				t.Errorf("%s: %s is left out: %v", name, class, got)
			}
		}
	}
}

// TestProductsInAnyOrder: what an inf among factors makes depends on their order, where parts of them underflow.
func TestProductsInAnyOrder(t *testing.T) {
	for name, want := range map[string]bool{
		"cumprod": true, "imported_prod_axis": true, "cumsum": false, "sum_dim1": false,
	} {
		out, err := read(t, "testdata/"+name+".json").Folder()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(out["problem.toml"]), "special = false"); got != want {
			t.Errorf("%s: inf and NaN need not propagate: %v", name, got)
		}
	}
}

// TestPlacesOfComputed: where the greatest of numbers is, is not asked of those that TF32 may put in another order.
func TestPlacesOfComputed(t *testing.T) {
	for op, taken := range map[string]bool{"relu": true, "exp": false} {
		which := strings.Replace(node("y", "argmax", `{"ref": "a"}, {"value": 1}`, `"rows"`), "fp32", "int64", 1)
		g := ofFloats(t, node("a", op, `{"ref": "x"}`, `"rows", "cols"`)+", "+which)
		if _, err := g.Folder(); err != nil {
			t.Errorf("%s: %v", op, err)
		}
		g.TF32 = true
		_, err := g.Folder()
		if taken && err != nil || !taken && (err == nil || !strings.Contains(err.Error(), "rounding would decide which")) {
			t.Errorf("%s in TF32: %v", op, err)
		}
	}
}

// ofFloats is a small graph without whole numbers, of which y is the output.
func ofFloats(t *testing.T, nodes string) *Graph {
	t.Helper()
	const whole = `,
			{"name": "i", "kind": "input", "dtype": "int64", "shape": ["rows"]}`
	g, err := Parse([]byte(strings.Replace(string(small(nodes, "y")), whole, "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestSaturated: where all numbers of a norm may lie at a bound, rounding decides whether inf times what is left of
// them is inf or NaN.
func TestSaturated(t *testing.T) {
	for op, want := range map[string]bool{"relu": false, "hardtanh": true, "tanh": true, "sigmoid": true, "mish": false} {
		nodes := node("a", op, `{"ref": "x"}`, `"rows", "cols"`) + ", " +
			node("y", "layer_norm", `{"ref": "a"}, {"list": [{"dim": "cols"}]}`, `"rows", "cols"`)
		out, err := ofFloats(t, nodes).Folder()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(out["problem.toml"]), "special = false"); got != want {
			t.Errorf("%s: inf and NaN need not propagate: %v", op, got)
		}
	}
}

// TestFinished: scales of what is worked out of products hold the roundings of that as shares of the error of a sum.
func TestFinished(t *testing.T) {
	for name, want := range map[string]bool{"linear_tail": true, "imported_linear_min_sub": true,
		"matmul": false, "imported_linear_relu": false, "softmax": false} {
		out, err := read(t, "testdata/"+name+".json").Folder()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(out["problem.toml"]), "\nfinished = true"); got != want {
			t.Errorf("%s: finished is %v", name, got)
		}
	}
}
