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

// masked are sums of the first numbers of rows, so many as lengths say, twice as long as half of the numbers.
const masked = `{"format": 1, "name": "masked", "torch": "2.15.0", "training": false,
 "dims": [{"name": "b", "value": 64}, {"name": "s", "value": 32}],
 "tensors": [
  {"name": "x", "kind": "input", "dtype": "bf16", "shape": ["b", "s"], "distribution": "normal"},
  {"name": "lengths", "kind": "input", "dtype": "int64", "shape": ["b", 1], "range": [1, "s / 2"]}],
 "nodes": [
  {"name": "half", "op": "slice", "args": [{"ref": "x"}, {"value": 1}, {"dim": "s / 2"},
   {"value": 9223372036854775807}], "dtype": "bf16", "shape": ["b", "s / 2"]},
  {"name": "wide", "op": "to", "args": [{"ref": "half"}, {"value": "fp32"}], "dtype": "fp32", "shape": ["b", "s / 2"]},
  {"name": "at", "op": "arange", "args": [{"dim": "s / 2"}], "dtype": "int64", "shape": ["s / 2"]},
  {"name": "first", "op": "lt", "args": [{"ref": "at"}, {"ref": "lengths"}], "dtype": "bool", "shape": ["b", "s / 2"]},
  {"name": "kept", "op": "mul", "args": [{"ref": "wide"}, {"ref": "first"}], "dtype": "fp32", "shape": ["b", "s / 2"]},
  {"name": "long", "op": "mul", "args": [{"ref": "kept"}, {"value": 2000000.0}], "dtype": "fp32", "shape": ["b", "s / 2"]},
  {"name": "y", "op": "to", "args": [{"ref": "long"}, {"value": "bf16"}], "dtype": "bf16", "shape": ["b", "s / 2"]}],
 "outputs": ["y"]}`

// TestBaselineIsPython: what torch computes in is a type of torch, what a length is divided by leaves a whole number, a
// slice without an end has torch's own, and a tensor that is made of nothing lies where the others do. Each of these
// had left modules without a baseline.
func TestBaselineIsPython(t *testing.T) {
	g, err := Parse([]byte(masked))
	if err != nil {
		t.Fatal(err)
	}
	files, err := g.Folder()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(files["problem.toml"]), "torch.ops.aten.", "")
	want := `call = "to(mul(mul(to(slice(x, 1, s // 2, 9223372036854775807), torch.float32), ` +
		`lt(arange(s // 2, device=x.device), lengths)), 2000000), torch.bfloat16)"`
	if got := strings.Count(text, want); got != 2 {
		t.Errorf("%d of 2 baselines are\n%s:\n%s", got, want, text)
	}
	if want := "dtype = \"int64\"\nrange = [\"1\", \"s / 2\"]\n"; !strings.Contains(text, want) {
		t.Errorf("lengths are not drawn from their range, %s:\n%s", want, text)
	}
}

// TestRanges: what is no range of whole numbers is refused, and so are whole numbers of which no range is known.
func TestRanges(t *testing.T) {
	for bad, want := range map[string]string{
		`"range": [1, "s / 2", 3]`: "a range has two ends",
		`"range": [1, "z"]`:        "is no end of a range",
		`"range": [1, "s = 2"]`:    "is no end of a range",
		`"range": [1, 8000000]`:    "is no end of a range",
		`"range": [9, 8]`:          "has no number",
		`"kind": "input"`:          "draw them by torch.randint",
	} {
		g, err := Parse([]byte(strings.Replace(masked, `"range": [1, "s / 2"]`, bad, 1)))
		if err == nil {
			_, err = g.Folder()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, expected %q", bad, err, want)
		}
	}
}
