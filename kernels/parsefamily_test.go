package kernels

import (
	"errors"
	"strings"
	"testing"

	"darwarp/kernels/expr"
)

func TestParseFamilyMistakes(t *testing.T) {
	p := mustProblem(t)
	for _, e := range []edit{
		{"arch", `arch = "sm_80"`, `arch = "hopper"`,
			[]string{`tile.toml: arch: "hopper": expected the least architecture, as in "sm_80"`}},
		{"accumulate", `accumulate = "acc"`, `accumulate = "tile"`, []string{
			`tile.toml: accumulate: gene tile has the value 16, which is not a dtype`,
			`tile.toml: accumulate: gene tile has the value 32, which is not a dtype`,
			`tile.toml: accumulate: gene tile has the value 64, which is not a dtype`}},
		{"accumulate nothing", `accumulate = "acc"`, `accumulate = "double"`,
			[]string{`tile.toml: accumulate: "double" is neither a gene nor a dtype`}},
		{"gene name", `name = "split"`, `name = "m"`, []string{
			`tile.toml: gene[4] (m).name: "m" is not usable: expected a new identifier`,
			`tile.toml: scratch[0].bytes: unknown name split`, `tile.toml: launch[0].grid[2]: unknown name split`,
			`tile.toml: launch[1].when: unknown name split`}},
		{"gene named as a tensor", `name = "split"`, `name = "A"`, []string{
			`tile.toml: gene[4] (A).name: "A" is not usable: expected a new identifier`,
			`tile.toml: scratch[0].bytes: unknown name split`, `tile.toml: launch[0].grid[2]: unknown name split`,
			`tile.toml: launch[1].when: unknown name split`}},
		{"values of two kinds", `[16, 32, 64]`, `[16, "32", 64]`,
			[]string{`tile.toml: gene[2] (tile).values[1]: "32": expected a word of letters, digits and _ . + - that begins ` +
				`with a letter`}},
		{"values of two kinds, words", `[16, 32, 64]`, `[16, "x", true, 16, 1.5]`, []string{
			`tile.toml: gene[2] (tile).values[1]: x is of kind string, the values before it are of kind int`,
			`tile.toml: gene[2] (tile).values[2]: true is of kind bool, the values before it are of kind int`,
			`tile.toml: gene[2] (tile).values[3]: 16 occurs twice`,
			`tile.toml: gene[2] (tile).values[4]: 1.5 is not an integer, a string or a boolean`}},
		{"no values", `[16, 32, 64]`, `[]`, []string{`tile.toml: gene[2] (tile).values: 0 values: expected 1 to 255`}},
		{"word", `["fma", "wmma"]`, `["fma", "wmma", "a,b", "true"]`, []string{
			`tile.toml: gene[0] (mma).values[2]: "a,b": expected a word of letters, digits and _ . + - that begins with a ` +
				`letter`,
			`tile.toml: gene[0] (mma).values[3]: "true": expected a word of letters, digits and _ . + - that begins with a ` +
				`letter`}},
		{"default", `default = 16`, `default = 17`,
			[]string{`tile.toml: gene[2] (tile).default: 17 is not one of its values`}},
		{"no default", `default = 16`, ``,
			[]string{`tile.toml: gene[2] (tile).default: missing: expected one of its values`}},
		{"opt_in", `opt_in = ["fp16"]`, `opt_in = ["fp32", "bf16"]`, []string{
			`tile.toml: gene[1] (acc).opt_in[0]: fp32 is not one of its values, or is the default`,
			`tile.toml: gene[1] (acc).opt_in[1]: bf16 is not one of its values, or is the default`}},
		{"start", `why = "warps tile the block"`,
			"why = \"warps tile the block\"\n[[start]]\ntile = 17\nacc = \"fp16\"\nx = 1", []string{
				`tile.toml: start[0].acc: fp16: expected one of [fp32 fp16] that need not be asked for`,
				`tile.toml: start[0].tile: 17: expected one of [16 32 64] that need not be asked for`,
				`tile.toml: start[0].x: no such gene: expected one of mma, acc, tile, warps, split`}},
		{"when reads later", `when = "mma != 'fma'"`, `when = "tile > 16"`,
			[]string{`tile.toml: gene[1] (acc).when: unknown name tile`}},
		{"when reads the device", `when = "mma != 'fma'"`, `when = "device.cc > 80"`,
			[]string{`tile.toml: gene[1] (acc).when: unknown name device`}},
		{"some of no sizes", `why = "warps tile the block"`, "why = \"warps tile the block\"\nsome = true",
			[]string{`tile.toml: constraint[1].some: the rule reads no dim`}},
		{"matters reads later", `when = "mma != 'fma'"`, `matters = "tile > m"`,
			[]string{`tile.toml: gene[1] (acc).matters: unknown name tile`}},
		{"matters is no condition", `when = "mma != 'fma'"`, `matters = "m"`,
			[]string{`tile.toml: gene[1] (acc).matters: gives an integer: expected true or false`}},
		{"when reads a dim", `when = "mma != 'fma'"`, `when = "m > 16"`,
			[]string{`tile.toml: gene[1] (acc).when: unknown name m`}},
		{"let reads a dim", `"2 * tile * tile * elem"`, `"2 * tile * m * elem"`,
			[]string{`tile.toml: let[1] (smem).value: unknown name m`}},
		{"let name", `name = "smem"`, `name = "threads"`, []string{
			`tile.toml: let[1] (threads).name: "threads" is not usable: expected a new identifier`,
			`tile.toml: launch[0].smem: unknown name smem`}},
		{"let named as a dim", `name = "smem"`, `name = "k"`, []string{
			`tile.toml: let[1] (k).name: "k" is not usable: expected a new identifier`,
			`tile.toml: launch[0].smem: unknown name smem`}},
		{"let reads dims", `2 * tile * tile * elem`, `2 * tile * m`,
			[]string{`tile.toml: let[1] (smem).value: unknown name m`}},
		{"rule", `threads <= device.max_threads`, `threads + 1`,
			[]string{`tile.toml: constraint[0].rule: gives an integer: expected true or false`}},
		{"why", `why = "warps tile the block"`, ``,
			[]string{`tile.toml: constraint[1].why: missing: say in a sentence why the rule is there`}},
		{"scratch", `name = "partial"`, `name = "tile"`, []string{
			`tile.toml: scratch[0].name: "tile" is not usable: expected a new identifier`,
			`tile.toml: launch[0].args[3]: unknown name partial`, `tile.toml: launch[1].args[0]: unknown name partial`}},
		{"entry", `entry = "product"`, `entry = ""`, []string{`tile.toml: launch[0].entry: "": expected the kernel's name`}},
		{"grid", `["ceil_div(m, tile) * ceil_div(n, tile)", "1", "split"]`, `["1", "1", "1", "1"]`,
			[]string{`tile.toml: launch[0].grid: expected 1 to 3 expressions`}},
		{"argument", `"partial", "m", "n", "k"]`, `"partial", "mm"]`,
			[]string{`tile.toml: launch[0].args[4]: unknown name mm`}},
		{"map of nothing", `smem = "smem"`, withMap(`name = "ta", tensor = "D", box = ["8", "8"]`),
			[]string{`tile.toml: launch[0].tensor_map[0].tensor: "D" is not a tensor of the problem`}},
		{"map of scratch", `smem = "smem"`, withMap(`name = "ta", tensor = "partial", box = ["8", "8"]`),
			[]string{`tile.toml: launch[0].tensor_map[0].tensor: "partial" is not a tensor of the problem`}},
		{"rank of a box", `smem = "smem"`, withMap(`name = "ta", tensor = "A", box = ["8"]`),
			[]string{`tile.toml: launch[0].tensor_map[0].box: 1 expressions: expected 2, one for each dimension of A [m k]`}},
		{"no box", `smem = "smem"`, withMap(`name = "ta", tensor = "A"`),
			[]string{`tile.toml: launch[0].tensor_map[0].box: 0 expressions: expected 2, one for each dimension of A [m k]`}},
		{"map named as a tensor", `smem = "smem"`, withMap(`name = "A", tensor = "A", box = ["8", "8"]`),
			[]string{`tile.toml: launch[0].tensor_map[0].name: "A" is not usable: expected a new identifier`}},
		{"map named as a gene", `smem = "smem"`, withMap(`name = "tile", tensor = "A", box = ["8", "8"]`),
			[]string{`tile.toml: launch[0].tensor_map[0].name: "tile" is not usable: expected a new identifier`}},
		{"map named as scratch", `smem = "smem"`, withMap(`name = "partial", tensor = "A", box = ["8", "8"]`),
			[]string{`tile.toml: launch[0].tensor_map[0].name: "partial" is not usable: expected a new identifier`}},
		{"map without a name", `smem = "smem"`, withMap(`tensor = "A", box = ["8", "8"]`),
			[]string{`tile.toml: launch[0].tensor_map[0].name: "" is not usable: expected a new identifier`}},
		{"two maps of one name", `smem = "smem"`,
			withMap(`name = "ta", tensor = "A", box = ["8", "8"] }, { name = "ta", tensor = "B", box = ["8", "8"]`), []string{
				`tile.toml: launch[0].tensor_map[1].name: "ta" is not usable: expected a new identifier`}},
		{"expressions of a map", `smem = "smem"`,
			withMap(`name = "ta", tensor = "A", box = ["tile", "mma"], swizzle = "wide"`), []string{
				`tile.toml: launch[0].tensor_map[0].swizzle: unknown name wide`,
				`tile.toml: launch[0].tensor_map[0].box[1]: gives a string: expected an integer`}},
		{"numbers of a map", `smem = "smem"`, withMap(`name = "ta", tensor = "A", box = ["0", "300"], swizzle = "48"`),
			[]string{
				`tile.toml: launch[0].tensor_map[0].swizzle: swizzle of 48 bytes: expected 0, 32, 64 or 128`,
				`tile.toml: launch[0].tensor_map[0].box[0]: 0 elements: expected 1 to 256`,
				`tile.toml: launch[0].tensor_map[0].box[1]: 300 elements: expected 1 to 256`}},
		{"a map as a table", `smem = "smem"`, "smem = \"smem\"\ntensor_map = { name = \"ta\" }",
			[]string{`tile.toml:47: launch.tensor_map: a TOML inline table does not fit here: expected a list`}},
		{"another launch's map", `args = ["partial", "C", "m * n"]`,
			"args = [\"ta\"]\n[[launch]]\nentry = \"last\"\ngrid = [\"1\"]\nblock = [\"1\"]\nargs = [\"ta\"]\ntensor_map = " +
				"[{ name = \"ta\", tensor = \"A\", box = [\"8\", \"8\"] }]", []string{
				`tile.toml: launch[1].args[0]: unknown name ta`}},
		{"key of a map", `smem = "smem"`, withMap(`name = "ta", tensor = "A", box = ["8", "8"], interleave = "16"`),
			[]string{`tile.toml:47: launch.interleave: unknown key`}},
		{"window", `smem = "smem"`, "smem = \"smem\"\nl2_window = { tensors = [\"A\", \"partial\"], when = \"tile\" }",
			[]string{
				`tile.toml: launch[0].l2_window.tensors[1]: "partial" is not a tensor of the problem`,
				`tile.toml: launch[0].l2_window.when: gives an integer: expected true or false`}},
		{"empty window", `smem = "smem"`, "smem = \"smem\"\nl2_window = { tensors = [] }",
			[]string{`tile.toml: launch[0].l2_window.tensors: missing: expected the first and the last of the tensors that ` +
				`L2 is to keep`}},
		{"unknown key", `when = "mma != 'fma'"`, `if = "mma != 'fma'"`, []string{`tile.toml:13: gene.if: unknown key`}},
	} {
		t.Run(e.name, func(t *testing.T) {
			e.check(t, familyTOML, func(b []byte) error { _, err := ParseFamily("tile.toml", "tile", b, p); return err })
		})
	}
}

func TestParseFamilyWithoutAnything(t *testing.T) {
	_, err := ParseFamily("f.toml", "f", []byte(`arch = "sm_80"`), mustProblem(t))
	want := "f.toml: gene: 0 declared: expected 1 to 64 [[gene]]\nf.toml: launch: missing: declare at least one [[launch]]"
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}

func TestMistakeShowsCaret(t *testing.T) {
	_, err := ParseFamily("tile.toml", "tile", []byte(strings.Replace(familyTOML, "tile % (4 * warps)",
		"tile % (4 * wraps)", 1)), mustProblem(t))
	want := "tile.toml: constraint[1].rule: unknown name wraps\n" +
		"    mma == 'fma' || tile % (4 * wraps) == 0\n" +
		"                                ^"
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
	var ee *expr.Error
	if ms := err.(Mistakes); !errors.As(ms[0], &ee) {
		t.Error("the mistake does not unwrap to its expr.Error")
	}
}
