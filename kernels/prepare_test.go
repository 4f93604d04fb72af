package kernels

import (
	"encoding/json"
	"strings"
	"testing"
)

// packedProblem is the tests' problem with weights, and packedFamily their family with a launch that packs them.
func packedProblem(t testing.TB) *Problem {
	t.Helper()
	text := strings.Replace(problemTOML, `shape = ["n", "k"] }`, `shape = ["n", "k"], weights = true }`, 1)
	text = strings.Replace(text, `tensor = [`, "packed = \"2 * n * k * elem\"\ntensor = [", 1)
	p, err := ParseProblem("problem.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var packedFamily = strings.Replace(familyTOML, "[[launch]]\nentry = \"product\"", `[[scratch]]
name = "packed"
bytes = "split > 1 ? 3 * n * k : n * k"
prepared = true
[[launch]]
prepare = true
when = "tile > 16"
entry = "pack"
grid = ["ceil_div(n * k, 256)"]
block = ["256"]
args = ["B", "packed", "n", "k"]
[[launch]]
entry = "product"`, 1)

func TestResolvePrepare(t *testing.T) {
	p := packedProblem(t)
	text := strings.Replace(packedFamily, `"C", "partial"`, `"C", "packed", "partial"`, 1)
	f, err := ParseFamily("tile.toml", "tile", []byte(text), p)
	if err != nil {
		t.Fatal(err)
	}
	resolve := func(g Genome, d DType, dims Dims) (Call, error) {
		env, err := f.Env(g, hopper(t), d)
		if err != nil {
			t.Fatal(err)
		}
		return (&Job{Plan: f.Plan, Env: env}).Resolve(dims)
	}
	for _, c := range []struct {
		tile, split int
		want        string // the packed buffers, or the error
	}{
		{32, 1, `[{"name":"packed","bytes":288}] 1 1`},
		{32, 2, `[{"name":"packed","bytes":864}] 1 2`},
		{16, 1, "launch product takes packed, which no launch prepares here"},
	} {
		call, err := resolve(Genome{"tile": Int(c.tile), "split": Int(c.split)}, FP16, Dims{"m": 65, "n": 32, "k": 9})
		buffers, _ := json.Marshal(call.Packed)
		got := strings.Join([]string{string(buffers), number0(len(call.Prepare)), number0(len(call.Launches))}, " ")
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	p.exprs.packed, err = p.exprs.shapes[1][0], nil // n
	if f, err = ParseFamily("tile.toml", "tile", []byte(text), p); err != nil {
		t.Fatal(err)
	}
	_, err = resolve(Genome{"tile": Int(32)}, FP16, Dims{"m": 65, "n": 32, "k": 9})
	if err == nil || err.Error() != `prepared scratch of 288 bytes: the problem allows 32 (packed = "n")` {
		t.Errorf("too much: %v", err)
	}
}

func number0(n int) string { return string(rune('0' + n)) }

// TestPrepareMistakes: what a launch gets that it must not have is told, each with its place.
func TestPrepareMistakes(t *testing.T) {
	p := packedProblem(t)
	only := "reads m: expected the dims of the weights (k, n), which are all that is known beforehand"
	for _, e := range []edit{
		{"another input", `["B", "packed", "n", "k"]`, `["A", "packed", "n", "k"]`,
			[]string{"tile.toml: launch[0].args[0]: A: expected weights, scratch with prepared = true, or numbers"}},
		{"an output", `["B", "packed", "n", "k"]`, `["B", "C", "n", "k"]`,
			[]string{"tile.toml: launch[0].args[1]: C: expected weights, scratch with prepared = true, or numbers"}},
		{"scratch of a call", `["B", "packed", "n", "k"]`, `["B", "partial", "n", "k"]`,
			[]string{"tile.toml: launch[0].args[1]: partial: expected weights, scratch with prepared = true, or numbers"}},
		{"another dim", `["B", "packed", "n", "k"]`, `["B", "packed", "n", "k * m"]`,
			[]string{"tile.toml: launch[0].args[3]: " + only}},
		{"another dim in a condition", `when = "tile > 16"`, `when = "m > 16"`,
			[]string{"tile.toml: launch[0].when: " + only}},
		{"another dim in a grid", `["ceil_div(n * k, 256)"]`, `["m"]`, []string{"tile.toml: launch[0].grid[0]: " + only}},
		{"another dim in its size", `3 * n * k : n * k`, `3 * n * k : n * m`,
			[]string{"tile.toml: scratch[1].bytes: " + only}},
		{"cleared", "prepared = true", "prepared = true\nonce = true", []string{
			"tile.toml: scratch[1].prepared: expected neither zero nor once: launches with prepare write all that is read"}},
		{"a window", "prepare = true", "prepare = true\nl2_window = { tensors = [\"B\"] }",
			[]string{"tile.toml: launch[0].l2_window: expected none of a launch that prepares"}},
		{"a map of another input", "prepare = true",
			"prepare = true\ntensor_map = [{ name = \"map\", tensor = \"A\", box = [\"8\", \"64\"] }]",
			[]string{`tile.toml: launch[0].tensor_map[0].tensor: "A": expected weights`}},
		{"a kernel of both", `entry = "pack"`, `entry = "product"`,
			[]string{"tile.toml: launch[1].entry: product prepares: expected another kernel"}},
		{"prepared by nothing", "prepare = true\n", "",
			[]string{"tile.toml: scratch: packed is prepared by no launch: expected a [[launch]] with prepare = true"}},
	} {
		t.Run(e.name, func(t *testing.T) {
			e.check(t, packedFamily, func(b []byte) error { _, err := ParseFamily("tile.toml", "tile", b, p); return err })
		})
	}
	_, err := ParseFamily("tile.toml", "tile", []byte(packedFamily), mustProblem(t))
	if err == nil || !strings.Contains(err.Error(), "the problem has no weights: expected a tensor with weights = true") {
		t.Errorf("a problem without weights: %v", err)
	}
}

func TestWeightsMistakes(t *testing.T) {
	weights := `shape = ["n", "k"], weights = true }`
	for _, e := range []edit{
		{"no bound", `shape = ["n", "k"] }`, weights, []string{
			`problem.toml: packed: missing: say how many bytes may be made of the weights, as in "2 * n * k"`}},
		{"nothing to pack", `tensor = [`, "packed = \"n\"\ntensor = [", []string{
			"problem.toml: packed: expected an input with weights = true"}},
		{"an output", `shape = ["m", "n"], dtype`, `shape = ["m", "n"], weights = true, dtype`, []string{
			"problem.toml: tensor[2].weights: only inputs are weights",
			`problem.toml: packed: missing: say how many bytes may be made of the weights, as in "2 * n * k"`}},
		{"a bound by another dim", `tensor = [
  { name = "A", role = "in", shape = ["m", "k"] },`, `packed = "m * k"
tensor = [
  { name = "A", role = "in", shape = ["k"], weights = true },`, []string{
			"problem.toml: packed: reads m: expected the dims of the weights (k), which are all that is known beforehand"}},
	} {
		t.Run(e.name, func(t *testing.T) {
			e.check(t, problemTOML, func(b []byte) error { _, err := ParseProblem("problem.toml", b); return err })
		})
	}
}
