package kernels

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// edit is a file with one passage replaced, and all that is then wrong with it.
type edit struct {
	name, old, new string
	want           []string // the first line of each mistake, in order
}

func (e edit) check(t *testing.T, text string, parse func([]byte) error) {
	t.Helper()
	if !strings.Contains(text, e.old) {
		t.Fatalf("%q is not in the file", e.old)
	}
	err := parse([]byte(strings.Replace(text, e.old, e.new, 1)))
	var ms Mistakes
	if !errors.As(err, &ms) {
		t.Fatalf("%T %v: not Mistakes", err, err)
	}
	var got []string
	for _, m := range ms {
		first, _, _ := strings.Cut(m.Error(), "\n")
		got = append(got, first)
	}
	if strings.Contains(err.Error(), "struct field") {
		t.Errorf("names a type of Go: %v", err)
	}
	if strings.Join(got, "\n") != strings.Join(e.want, "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(e.want, "\n"))
	}
}

// withMap is the line of familyTOML that names the shared memory of its first launch, with a tensor map.
func withMap(m string) string {
	return "smem = \"smem\"\ntensor_map = [{ " + m + " }]"
}

// TestManyUnknownKeys: each is found by reading the file from its beginning, so no more than some are asked for.
func TestManyUnknownKeys(t *testing.T) {
	for _, text := range []string{strings.Repeat("[[a]]\n", 40_000), "gene = [" + strings.Repeat("{a=1},", 40_000) + "]",
		"a = [" + strings.Repeat("{},", 80_000) + "]"} {
		_, err := ParseFamily("f.toml", "f", []byte(text), &Problem{})
		if err == nil || !strings.Contains(err.Error(), "unknown key, as are more than 20 others") || len(err.Error()) > 200 {
			t.Errorf("%.20q: %.200v", text, err)
		}
	}
	_, err := ParseFamily("f.toml", "f", []byte(strings.Repeat("[[a]]\n", 20)), &Problem{})
	var ms Mistakes
	if !errors.As(err, &ms) || len(ms) != 20 {
		t.Errorf("%d mistakes (%v), want 20", len(ms), err)
	}
}

// TestHostileTexts: what a file says reaches a terminal as plain text, also where the file is refused.
func TestHostileTexts(t *testing.T) {
	const evil = "\x1b]0;title\a\u202e"
	escaped := `\u001b]0;title\u0007\u202e`
	for _, e := range []struct{ old, new string }{
		{`name = "product"`, `name = "` + escaped + `"`},
		{`dims = ["m"`, `dims = ["` + escaped + `", "m"`},
		{`name = "product"`, "name = \"" + evil},
		{`name = "product"`, `"` + escaped + `" = 1`},
		{`name = "product"`, `name = "` + strings.Repeat("x", 200) + `"`},
	} {
		if !strings.Contains(problemTOML, e.old) {
			t.Fatalf("%q is not in the file", e.old)
		}
		_, err := ParseProblem("problem.toml", []byte(strings.Replace(problemTOML, e.old, e.new, 1)))
		if err == nil || strings.ContainsAny(err.Error(), "\x1b\a\u202e") {
			t.Errorf("%q: %q", e.new, err)
		}
	}
	p, err := ParseProblem("problem.toml", []byte(strings.Replace(problemTOML, `name = "product"`,
		`name = "product"`+"\nabout = \""+escaped+`\n`+strings.Repeat("x", 1000)+`"`, 1)))
	if err != nil || CheckLine(p.About, MaxAbout) != nil {
		t.Errorf("about is %q (%v)", p.About, err)
	}
}

func TestParseProblemMistakes(t *testing.T) {
	for _, e := range []edit{
		{"no name", `name = "product"`, ``,
			[]string{`problem.toml: name: "" is not a name: expected letters, digits, '-', '_' and '.'`}},
		{"dims", `["m", "n", "k"]`, `["m", "m", "elem", "max", "2"]`, []string{
			`problem.toml: dims[1]: "m" is not usable: expected a new identifier`,
			`problem.toml: dims[2]: "elem" is not usable: expected a new identifier`,
			`problem.toml: dims[3]: "max" is not usable: expected a new identifier`,
			`problem.toml: dims[4]: "2" is not usable: expected a new identifier`,
		}},
		{"dtypes", `["fp16", "fp32"]`, `["fp16", "int32", "fp8", "fp16"]`, []string{
			`problem.toml: dtypes[1]: "int32": expected fp16, bf16 and fp32, each at most once`,
			`problem.toml: dtypes[2]: "fp8": expected fp16, bf16 and fp32, each at most once`,
			`problem.toml: dtypes[3]: "fp16": expected fp16, bf16 and fp32, each at most once`}},
		{"no dtypes", `dtypes = ["fp16", "fp32"]`, ``,
			[]string{`problem.toml: dtypes: missing: name at least one of fp16, bf16, fp32`}},
		{"no flops", `flops = "2 * m * n * k"`, ``, []string{
			`problem.toml: flops: empty: expected an expression, as 2 * m * n`}},
		{"bytes", `elem * (m`, `elem * (p`, []string{`problem.toml: bytes: unknown name p`}},
		{"negative work", `"2 * m * n * k"`, `"0 - m"`, []string{
			`problem.toml: workload[0] (square): -512 operations and 1572864 bytes at k=512,m=512,n=512: expected at least ` +
				`0 and 1`,
			`problem.toml: workload[1] (skinny): -16 operations and 557056 bytes at k=512,m=16,n=512: expected at least 0 and 1`,
			`problem.toml: check.shapes[0]: -1 operations and 6 bytes at k=1,m=1,n=1: expected at least 0 and 1`,
			`problem.toml: check.shapes[1]: -33 operations and 7622 bytes at k=65,m=33,n=17: expected at least 0 and 1`}},
		{"role", `role = "out"`, `role = "output"`, []string{`problem.toml: tensor[2].role: "output": expected in or out`,
			`problem.toml: tensor: no tensor has role = "out"`}},
		{"tensor names", `name = "B"`, `name = "k"`,
			[]string{`problem.toml: tensor[1].name: "k" is not usable: expected a new identifier`}},
		{"tensor named as the type", `name = "B"`, `name = "T"`,
			[]string{`problem.toml: tensor[1].name: "T" is not usable: expected a new identifier`}},
		{"tensor dtype", `dtype = "fp32" }`, `dtype = "fp64" }`,
			[]string{`problem.toml: tensor[2].dtype: unknown dtype "fp64": expected fp16, bf16, fp32, int32, int64, bool, ` +
				`e4m3, e5m2, e8m0, int8 or uint8`}},
		{"shape", `shape = ["m", "k"]`, `shape = ["m", "k - 1"]`,
			[]string{`problem.toml: check.shapes[0]: tensor A shape[1]: k - 1 is 0 at k=1,m=1,n=1: expected at least 1, and ` +
				`a tensor below 70368744177664 elements`}},
		{"huge shape", `shape = ["m", "k"]`, `shape = ["m", "k * 4294967296", "4294967296", "m * 4294967296"]`, []string{
			`problem.toml: workload[0] (square): tensor A shape[1]: k * 4294967296 is 2199023255552 at k=512,m=512,n=512: ` +
				`expected at least 1, and a tensor below 70368744177664 elements`,
			`problem.toml: workload[1] (skinny): tensor A shape[2]: 4294967296 is 4294967296 at k=512,m=16,n=512: expected ` +
				`at least 1, and a tensor below 70368744177664 elements`,
			`problem.toml: check.shapes[0]: tensor A shape[2]: 4294967296 is 4294967296 at k=1,m=1,n=1: expected at least ` +
				`1, and a tensor below 70368744177664 elements`,
			`problem.toml: check.shapes[1]: tensor A shape[2]: 4294967296 is 4294967296 at k=65,m=33,n=17: expected at ` +
				`least 1, and a tensor below 70368744177664 elements`}},
		{"no shape", `shape = ["m", "k"]`, `shape = []`,
			[]string{`problem.toml: tensor[0].shape: missing: expected one expression per axis`}},
		{"workload name", `name = "skinny"`, `name = "all"`,
			[]string{`problem.toml: workload[1].name: "all" is not usable: expected a new name of letters, digits, '-', '_' ` +
				`and '.'`}},
		{"workload twice", `name = "skinny"`, `name = "square"`,
			[]string{`problem.toml: workload[1].name: "square" is not usable: expected a new name of letters, digits, '-', ` +
				`'_' and '.'`}},
		{"weight", `weight = 2.0`, `weight = nan`,
			[]string{`problem.toml: workload[0].weight: NaN: expected a positive number`}},
		{"workload dims", `{ m = 16, n = 512, k = 512 }`, `{ m = -1, n = 512, l = 1 }`, []string{
			`problem.toml: workload[1].dims.m: -1: expected 0 (for a dimension that is a flag) to 2147483647`,
			`problem.toml: workload[1].dims: dimension k is missing`,
			`problem.toml: workload[1].dims: unknown dimension "l": expected m, n, k`}},
		{"no shapes", `shapes = [{ m = 1, n = 1, k = 1 }, { m = 33, n = 17, k = 65 }]`, ``,
			[]string{`problem.toml: check.shapes: missing: list small sizes that straddle tile edges, as in [{ m = 1, n = 1 ` +
				`}, ...]`}},
		{"inputs", `reduction = "k"`, "reduction = \"k\"\ninputs = [\"normal\", \"zeros\"]",
			[]string{`problem.toml: check.inputs[1]: unknown input class "zeros": expected one of normal, uniform, cancel, ` +
				`onehot, wide, exact, denormal, large, offset, extreme`}},
		{"hard classes", `reduction = "k"`, "reduction = \"k\"\nwithout = [\"zeros\", \"special\", \"normal\"]", []string{
			`problem.toml: check.without[1]: "special": expected one of constant, zeros, lead, tiny, huge, ` +
				`shift, outlier, ordered, alike, needles, single (special ` +
				`= false leaves out inf and NaN)`,
			`problem.toml: check.without[2]: "normal": expected one of constant, zeros, lead, tiny, huge, ` +
				`shift, outlier, ordered, alike, needles, single (special ` +
				`= false leaves out inf and NaN)`}},
		{"accumulators", `reduction = "k"`, "reduction = \"k\"\naccumulate = [\"fp32\", \"int32\"]",
			[]string{`problem.toml: check.accumulate[1]: "int32": expected fp32, fp22, fp16 or bf16`}},
		{"terms", `reduction = "k"`, "reduction = \"k\"\nterms = [{ tensor = \"C\", dim = \"k\" }, { tensor = \"A\", dim " +
			"= \"n\" }, { tensor = \"A\", dim = \"k\", neutral = \"none\" }]", []string{
			`problem.toml: check.terms[0].tensor: "C": expected an input tensor`,
			`problem.toml: check.terms[1].dim: "n": expected the dim that is the length of an axis of A`,
			`problem.toml: check.terms[2].neutral: "none": expected a number, as in "-inf"`}},
		{"draw", `reduction = "k"`, "reduction = \"k\"\ndraw = { m = \"some\", n = 1000, k = [1, -1], z = 1 }", []string{
			`problem.toml: check.draw.k[1]: -1: expected a size`,
			`problem.toml: check.draw.m: "some": expected "any", the number that sizes are multiples of, or a list of sizes`,
			`problem.toml: check.draw.n: 1000: expected 1 or more, and no more than the largest size of n`,
			`problem.toml: check.draw.z: unknown dimension: expected m, n, k`}},
		{"ulps", `reduction = "k"`, "reduction = \"k\"\nulps = -1.0",
			[]string{`problem.toml: check.ulps: -1: expected a number of units, 0 or more`}},
		{"ulps that are no number", `reduction = "k"`, "reduction = \"k\"\nulps = nan",
			[]string{`problem.toml: check.ulps: NaN: expected a number of units, 0 or more`}},
		{"ulps without end", `reduction = "k"`, "reduction = \"k\"\nulps = inf", []string{`problem.toml: check.ulps: +Inf: ` +
			`expected less than 8388608: so many units in the last place are the whole value`}},
		{"ulps of everything", `reduction = "k"`, "reduction = \"k\"\nulps = 8388608", []string{`problem.toml: ` +
			`check.ulps: 8.388608e+06: expected less than 8388608: so many units in the last place are the whole value`}},
		{"reduction", `reduction = "k"`, `reduction = "k / 2"`,
			[]string{`problem.toml: check.shapes[0]: check.reduction: k / 2 gives 0 at k=1,m=1,n=1: expected at least 1`}},
		{"reference", `file = "reference.cu"`, `file = "../reference.cu"`,
			[]string{`problem.toml: reference.file: "../reference.cu": expected the plain kernel's file in this folder, as ` +
				`in "reference.cu"`}},
		{"reference entry", `entry = "reference"`, `entry = "ref<T>"`,
			[]string{`problem.toml: reference.entry: "ref<T>": expected the kernel's name`}},
		{"reference block", `block = ["256"]`, `block = ["2048"]`, []string{
			`problem.toml: workload[0] (square): reference at k=512,m=512,n=512: block of [2048 1 1] threads: expected 1 to ` +
				`1024, at most 64 in the third`,
			`problem.toml: workload[1] (skinny): reference at k=512,m=16,n=512: block of [2048 1 1] threads: expected 1 to ` +
				`1024, at most 64 in the third`,
			`problem.toml: check.shapes[0]: reference at k=1,m=1,n=1: block of [2048 1 1] threads: expected 1 to 1024, at ` +
				`most 64 in the third`,
			`problem.toml: check.shapes[1]: reference at k=65,m=33,n=17: block of [2048 1 1] threads: expected 1 to 1024, ` +
				`at most 64 in the third`}},
		{"reference kind", `file = "reference.cu"`, "kind = \"python\"\nclass = \"Model\"\nfile = \"reference.cu\"", []string{
			`problem.toml: reference.kind: "python": expected cuda or torch`,
			`problem.toml: reference: class, eval and precision are those of a module: expected kind = "torch"`}},
		{"a module that is launched", `file = "reference.cu"`,
			"kind = \"torch\"\nclass = \"a b\"\nprecision = \"fp8\"\nfile = \"model.py\"", []string{
				`problem.toml: reference: entry, grid and block are those of a kernel: expected none with kind = "torch"`,
				`problem.toml: reference.class: "a b": expected the name of a class in model.py`,
				`problem.toml: reference.precision: "fp8": expected fp32, fp16 or bf16`,
				`problem.toml: check.exact: expected false with reference.kind = "torch": what a module gives is rounded ` +
					`somewhere`}},
		{"reference grid", `grid = ["ceil_div(m * n, 256)"]`, `grid = []`,
			[]string{`problem.toml: reference.grid: expected 1 to 3 expressions`}},
		{"no maker", `role = "in"`, `role = "in", made = true`,
			[]string{`problem.toml: reference.maker: missing: expected the kernel that makes the inputs that are made`}},
		{"maker of nothing", `block = ["256"]`,
			"block = [\"256\"]\n[reference.maker]\nentry = \"a b\"\ngrid = []\nblock = [\"1\"]",
			[]string{`problem.toml: reference.maker: makes nothing: expected an input with made = true`,
				`problem.toml: reference.maker.entry: "a b": expected the kernel's name`,
				`problem.toml: reference.maker.grid: expected 1 to 3 expressions`}},
		{"made and drawn", `role = "in"`, `role = "in", made = true, dtype = "int32", range = [0, 3]`, []string{
			`problem.toml: tensor[0].made: expected neither range nor draw: the numbers follow from other inputs`,
			`problem.toml: reference.maker: missing: expected the kernel that makes the inputs that are made`}},
		{"made of eight bits", `role = "in"`, `role = "in", made = true, dtype = "e4m3"`, []string{
			`problem.toml: tensor[0].made: e4m3: expected fp16, bf16, fp32 or int32 of what is made`,
			`problem.toml: reference.maker: missing: expected the kernel that makes the inputs that are made`}},
		{"output that is made", `role = "out"`, `role = "out", made = true`, []string{
			`problem.toml: tensor[2].made: only inputs are made from others`,
			`problem.toml: reference.maker: missing: expected the kernel that makes the inputs that are made`}},
		{"baseline", `[check]`, "[[baseline]]\nkind = \"triton\"\n[check]",
			[]string{`problem.toml: baseline[0].kind: unknown baseline "triton": expected one of cublaslt, torch`}},
		{"torch without a call", `[check]`, "[[baseline]]\nkind = \"torch\"\n[check]",
			[]string{`problem.toml: baseline[0].call: expected a Python expression on one line that gives the output, as in ` +
				`"A @ B.T"`}},
		{"torch backend", `[check]`, "[[baseline]]\nkind = \"torch\"\ncall = \"x\"\nbackend = \"fast\"\n[check]",
			[]string{`problem.toml: baseline[0].backend: unknown backend "fast": expected one of eager, compile, ` +
				`max-autotune, flash, efficient, math, cudnn`}},
		{"baseline name", `[check]`, "[[baseline]]\nkind = \"torch\"\nname = \"default\"\ncall = \"x\"\n[check]",
			[]string{`problem.toml: baseline[0].name: "default" is not usable: expected a new name of letters, digits, '-', ` +
				`'_' and '.'`}},
		{"baseline when", `[check]`, "[[baseline]]\nkind = \"torch\"\nwhen = \"zz > 1\"\ncall = \"x\"\n[check]",
			[]string{`problem.toml: baseline[0].when: unknown name zz`}},
		{"cublaslt with a call", `[check]`, "[[baseline]]\nkind = \"cublaslt\"\ncall = \"x\"\n[check]",
			[]string{`problem.toml: baseline[0]: call, backend, tf32 and module are keys of kind = "torch"`}},
		{"torch module", `[check]`, "[[baseline]]\nkind = \"torch\"\ncall = \"x\"\nmodule = \"os, sys\"\n[check]",
			[]string{`problem.toml: baseline[0].module: "os, sys" is no Python module: expected a name as in ` +
				`"flash_attn_interface"`}},
		{"operands", `[check]`, "[check]\noperands = \"bf16\"",
			[]string{`problem.toml: check.operands: "bf16": expected "tf32"`}},
		{"operands of half precision", `[check]`, "[check]\noperands = \"tf32\"",
			[]string{`problem.toml: check.operands: "tf32" is for problems in fp32 alone, without rounded_terms`}},
		{"unknown key", `weight = 2.0`, `wieght = 2.0`, []string{`problem.toml:15: workload.wieght: unknown key`}},
		{"syntax", `weight = 2.0`, `weight = `, []string{`problem.toml:15: unexpected character U+000A at start of value`}},
		{"type", `weight = 2.0`, `weight = "two"`,
			[]string{`problem.toml:15: workload.weight: a TOML string does not fit here: expected a number`}},
		{"number", `weight = 2.0`, `weight = 1e400`,
			[]string{`problem.toml:15: workload.weight: unable to parse float: "1e400": value out of range`}},
	} {
		t.Run(e.name, func(t *testing.T) {
			e.check(t, problemTOML, func(b []byte) error { _, err := ParseProblem("problem.toml", b); return err })
		})
	}
}

func TestProblemDefaults(t *testing.T) {
	p := mustProblem(t)
	if got := p.DefaultWorkloads(); len(got) != 1 || got[0].Name != "square" {
		t.Errorf("default workloads: %v", got)
	}
	if p.Workloads[1].Weight != 1 || p.Workloads[0].Weight != 2 {
		t.Errorf("weights: %v %v", p.Workloads[0].Weight, p.Workloads[1].Weight)
	}
	if fmt.Sprint(p.Check.Inputs) != fmt.Sprint(DefaultInputs) || !p.ExactTest() {
		t.Errorf("check: %+v", p.Check)
	}
	none, err := ParseProblem("problem.toml", []byte(strings.Replace(problemTOML, "default = true", "", 1)))
	if err != nil || len(none.DefaultWorkloads()) != 1 || none.DefaultWorkloads()[0].Name != "square" {
		t.Errorf("the first workload is the default where none is: %v", err)
	}
}

func TestFindWorkload(t *testing.T) {
	p := mustProblem(t)
	for _, c := range []struct{ in, want string }{
		{"all", "square skinny"}, {"default", "square"}, {"skinny", "skinny"}, {"m=4, n=5,k=6", "k=6,m=4,n=5"},
		{"tall", `unknown workload "tall": expected square, skinny, or sizes as in k=512,m=512,n=512`},
		{"m=4,n=5", `workload "m=4,n=5": dimension k is missing`},
		{"m=4,n=5,p=6", `workload "m=4,n=5,p=6": unknown dimension "p": expected m, n, k`},
		{"m=x,n=5,k=6", `workload "m=x,n=5,k=6": cannot read "m=x": expected NAME=SIZE`},
		{"m=-1,n=5,k=6", `workload "m=-1,n=5,k=6": m=-1: expected 0 to 2147483647`},
		{"m=0,m=0,n=5,k=6", `workload "m=0,m=0,n=5,k=6": m occurs twice`},
		{"m=1,m=2,n=5,k=6", `workload "m=1,m=2,n=5,k=6": m occurs twice`},
	} {
		ws, err := p.FindWorkload(c.in)
		var names []string
		for _, w := range ws {
			names = append(names, w.Name)
		}
		got := strings.Join(names, " ")
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
}

func TestProblemSizes(t *testing.T) {
	p := mustProblem(t)
	d := Dims{"m": 3, "n": 4, "k": 5}
	flops, bytes, err := p.Work(d, FP16)
	if err != nil || flops != 120 || bytes != 94 {
		t.Errorf("work: %v %v %v", flops, bytes, err)
	}
	if k, err := p.Reduction(d, FP16); err != nil || k != 5 {
		t.Errorf("reduction: %v %v", k, err)
	}
	b, err := p.Buffers(d, FP16)
	if err != nil || len(b) != 3 || b[0].Bytes() != 30 || b[2].Bytes() != 48 || !b[2].Out || b[2].Elems() != 12 {
		t.Errorf("buffers: %+v %v", b, err)
	}
	l, err := p.ReferenceLaunch(d, FP16)
	if err != nil || l.Grid != [3]int{1, 1, 1} || l.Block != [3]int{256, 1, 1} || l.Cluster != [3]int{1, 1, 1} {
		t.Errorf("reference: %+v %v", l, err)
	}
}

func TestSmallWorkloads(t *testing.T) {
	p := &Problem{DTypes: []DType{FP16}, DimNames: []string{"n"}, Workloads: []Workload{
		{Name: "large", Dims: Dims{"n": 1000}, Default: true}, {Name: "least", Dims: Dims{"n": 10}},
		{Name: "declared", Dims: Dims{"n": 100}, Small: true}}}
	n := &notes{}
	p.exprs.flops, p.exprs.bytes = p.intExpr(n, "flops", "n", p.dimScope()), p.intExpr(n, "bytes", "n", p.dimScope())
	if err := n.err(); err != nil {
		t.Fatal(err)
	}
	if got := p.SmallWorkloads(); len(got) != 1 || got[0].Name != "declared" {
		t.Errorf("%v, expected the one that is declared small", got)
	}
	p.Workloads = p.Workloads[:2]
	if got := p.SmallWorkloads(); len(got) != 1 || got[0].Name != "least" {
		t.Errorf("%v, expected the one with the least arithmetic", got)
	}
}
