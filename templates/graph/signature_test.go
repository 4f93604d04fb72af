package graph

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// TestSignature: arguments that are no tensors, tensors without axes and places of int64 are told, and nothing where a
// module takes and gives what kernels do.
func TestSignature(t *testing.T) {
	for name, want := range map[string]*kernels.Signature{
		"numbers": {Numbers: []kernels.Constant{{At: 1, Name: "factor", Value: "3.14"}, {At: 3, Name: "mask", Value: "null"}},
			Scalars: []string{"best", "div_"}},
		"argmax": {Long: []string{"argmax"}},
		"relu":   nil,
	} {
		data, err := os.ReadFile("../../cmd/darwarp/internal/importer/testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		g, err := Parse(data)
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
		if got := b.Problem.Reference.Module; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	files, err := told(t, func(s string) string {
		return strings.Replace(s, `"nodes"`, `"numbers": [{"at": 2, "name": "k", "value": "3"}], "nodes"`, 1)
	})
	if err != nil || !strings.Contains(string(files["problem.toml"]), `numbers = [{ at = 2, name = "k", value = "3" }]`) {
		t.Errorf("%v: %s", err, files["problem.toml"])
	}
}

// TestNoSize: a graph whose lengths are all fixed is refused by what it lacks.
func TestNoSize(t *testing.T) {
	g, err := Parse([]byte(`{"format": 1, "name": "fixed", "torch": "2.15.0", "training": false, "dims": [],
		"tensors": [{"name": "x", "kind": "input", "dtype": "fp32", "shape": [4, 8]}],
		"nodes": [{"name": "y", "op": "relu", "args": [{"ref": "x"}], "dtype": "fp32", "shape": [4, 8]}], "outputs": ["y"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Folder(); err == nil || err.Error() != noSize {
		t.Errorf("%v, want %s", err, noSize)
	}
}
