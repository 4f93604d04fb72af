package graph

import (
	"strings"
	"testing"
)

// swish is a linear layer times its sigmoid. Its input is called as the name that a baseline would give first.
const swish = `{"format": 1, "name": "swish", "torch": "2.15.0", "training": false,
 "dims": [{"name": "m", "value": 64}, {"name": "k", "value": 32}, {"name": "n", "value": 48}],
 "tensors": [
  {"name": "_1", "kind": "input", "dtype": "fp32", "shape": ["m", "k"], "distribution": "normal"},
  {"name": "w", "kind": "parameter", "dtype": "fp32", "shape": ["n", "k"], "distribution": "normal"}],
 "nodes": [
  {"name": "lin", "op": "linear", "args": [{"ref": "_1"}, {"ref": "w"}], "dtype": "fp32", "shape": ["m", "n"]},
  {"name": "gate", "op": "sigmoid", "args": [{"ref": "lin"}], "dtype": "fp32", "shape": ["m", "n"]},
  {"name": "y", "op": "mul", "args": [{"ref": "lin"}, {"ref": "gate"}], "dtype": "fp32", "shape": ["m", "n"]}],
 "outputs": ["y"]}`

// TestBaselineComputesOnce: what a module uses twice its baseline computes once, too, by a name that nothing else has.
// A baseline with two products for one would make every kernel look nearly twice as fast.
func TestBaselineComputesOnce(t *testing.T) {
	g, err := Parse([]byte(swish))
	if err != nil {
		t.Fatal(err)
	}
	files, err := g.Folder()
	if err != nil {
		t.Fatal(err)
	}
	const aten = "torch.ops.aten."
	want := `call = "` + aten + "mul((__1 := " + aten + "linear(_1, w)), " + aten + `sigmoid(__1))"`
	if got := strings.Count(string(files["problem.toml"]), want); got != 2 {
		t.Errorf("%d of 2 baselines are\n%s:\n%s", got, want, files["problem.toml"])
	}
}
