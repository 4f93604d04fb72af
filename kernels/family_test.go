package kernels

import (
	"strings"
	"testing"
)

func TestCheckNamesEveryBrokenConstraint(t *testing.T) {
	f := mustFamily(t, familyTOML)
	err := f.Check(Genome{"mma": String("wmma"), "tile": Int(16), "warps": Int(8)}, Device{MaxThreads: 128}, FP16)
	want := "illegal: a block has at most that many threads (threads <= device.max_threads)\nillegal: warps tile the " +
		"block (mma == 'fma' || tile % (4 * warps) == 0)"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestFamilyRuns(t *testing.T) {
	for _, c := range []struct {
		arch string
		cc   int
		want bool
	}{{"sm_80", 80, true}, {"sm_80", 90, true}, {"sm_80", 75, false}, {"sm_90a", 90, true}, {"sm_90a", 100, false},
		{"sm_100a", 100, true}} {
		f := mustFamily(t, strings.Replace(familyTOML, "sm_80", c.arch, 1))
		if got := f.Runs(Device{CC: c.cc}); got != c.want {
			t.Errorf("%s on %d: %v", c.arch, c.cc, got)
		}
	}
}

func TestAccumulator(t *testing.T) {
	f := mustFamily(t, familyTOML)
	if got := f.Accumulator(Genome{"acc": String("fp16")}); got != FP16 {
		t.Errorf("got %s", got)
	}
	if got := f.Accumulator(Genome{}); got != FP32 {
		t.Errorf("default: %s", got)
	}
}

// TestOutElem: an element of the output has its own size, in expressions of a point and in those that cut a space.
func TestOutElem(t *testing.T) {
	const out = `, dtype = "fp32" }`
	for _, c := range []struct {
		declared string
		dtype    DType
		want     int
	}{{" }", FP16, 2}, {" }", FP32, 4}, {out, FP16, 4}, {`, dtype = "bf16" }`, FP32, 2}} {
		p, err := ParseProblem("problem.toml", []byte(strings.Replace(problemTOML, out, c.declared, 1)))
		if err != nil {
			t.Fatal(err)
		}
		f, err := ParseFamily("wide.toml", "wide", []byte(wideTOML), p)
		if err != nil {
			t.Fatal(err)
		}
		env, err := f.Env(Genome{}, hopper(t), c.dtype)
		if err != nil || env["bytes"] != c.want {
			t.Errorf("%s, C %q: bytes = %v, %v", c.dtype, c.declared, env["bytes"], err)
		}
		s, err := NewSpace(f, hopper(t), c.dtype, nil)
		if err != nil || s.Len() != 1 || s.Genome(s.At(0))["width"] != Int(c.want) {
			t.Errorf("%s, C %q: %v", c.dtype, c.declared, err)
		}
	}
	taken := strings.Replace(wideTOML, "bytes", "out_elem", 1)
	if _, err := ParseFamily("f.toml", "f", []byte(taken), mustProblem(t)); err == nil {
		t.Error("a let may be called out_elem")
	}
}

const wideTOML = `arch = "sm_80"
[[gene]]
name = "width"
values = [1, 2, 4]
default = 1
[[let]]
name = "bytes"
value = "out_elem"
[[constraint]]
rule = "width == out_elem"
why = "a store is one element"
[[launch]]
entry = "k"
grid = ["1"]
block = ["32"]
args = ["A", "B", "C", "m", "n", "k"]
`
