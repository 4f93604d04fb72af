package templates

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"darwarp/kernels"
)

// loads are workloads of attention by name.
func loads(t *testing.T, b *Bundle, names ...string) (out []kernels.Workload) {
	t.Helper()
	for _, n := range names {
		w, err := b.Problem.FindWorkload(n)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, w...)
	}
	return out
}

func builtinFor(t *testing.T, problem string, names ...string) *Bundle {
	t.Helper()
	whole, err := Builtin(problem)
	if err != nil {
		t.Fatal(err)
	}
	b, err := whole.For(loads(t, whole, names...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFor: sources have the kernels of the run's head sizes, and plans no launch at others.
func TestFor(t *testing.T) {
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		names []string
		sizes map[int]bool
	}{
		{[]string{"8x16x512x64"}, map[int]bool{64: true, 128: false}},
		{[]string{"4x16x4096x128", "1x8x512x128"}, map[int]bool{64: false, 128: true}},
		{[]string{"8x16x512x64", "4x16x4096x128"}, map[int]bool{64: true, 128: true}},
	} {
		b := builtinFor(t, "attention", tt.names...)
		for _, f := range b.Families {
			g := f.Defaults()
			if f.Name == "flash" { // with a second kernel, for all head sizes
				g["split_kv"], g["combine"] = kernels.Int(2), kernels.String("separate")
			}
			job, err := b.Job(f, g, dev, kernels.FP16)
			if err != nil {
				t.Fatal(err)
			}
			for d, want := range tt.sizes {
				if strings.Contains(job.Source, fmt.Sprintf("attention_%d(", d)) != want ||
					strings.Contains(job.Source, fmt.Sprintf("combine<%d>(in", d)) != (want && f.Name == "flash") {
					t.Errorf("%v, %s: d = %d: %v\n%s", tt.names, f.Name, d, !want, job.Source)
				}
				_, err := job.Resolve(kernels.Dims{"b": 1, "h": 1, "s": 64, "d": d, "causal": 1})
				if (err == nil) != want {
					t.Errorf("%v, %s: launches at d = %d: %v", tt.names, f.Name, d, err)
				}
			}
		}
	}
}

// TestForKeepsWhole: a run of all values, and a problem that fixes nothing, have the bundle as it is; so has a run that
// was begun before there were fixed dims. What was fixed is fixed again for other workloads.
func TestForKeepsWhole(t *testing.T) {
	attention, err := Builtin("attention")
	if err != nil {
		t.Fatal(err)
	}
	gemm, err := Builtin("gemm")
	if err != nil {
		t.Fatal(err)
	}
	one := builtinFor(t, "attention", "8x16x512x64")
	if one.Hash() == attention.Hash() || one.Files[fixedFile] == nil || attention.Files[fixedFile] != nil {
		t.Error("nothing was fixed, or in the bundle that was there")
	}
	if got := builtinFor(t, "gemm", "2048"); got.Hash() != gemm.Hash() {
		t.Error("gemm has changed")
	}
	both, err := one.For(loads(t, attention, "8x16x512x64", "4x16x4096x128"))
	if err != nil || both.Hash() != attention.Hash() {
		t.Errorf("all head sizes: %v, another bundle", err)
	}
	other, err := one.For(loads(t, attention, "4x16x4096x128"))
	if err != nil || other.Hash() != builtinFor(t, "attention", "4x16x4096x128").Hash() {
		t.Errorf("the other head size: %v", err)
	}
}

// TestFixedIsCarried: a run's files say what its sources were rendered for, and so does a bundle that has grown.
func TestFixedIsCarried(t *testing.T) {
	b := builtinFor(t, "attention", "8x16x512x64")
	again, err := FromFiles(b.Files)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	id := func(b *Bundle) kernels.ID {
		job, err := b.Job(b.Families[0], b.Families[0].Defaults(), dev, kernels.FP16)
		if err != nil {
			t.Fatal(err)
		}
		return job.ID
	}
	if id(again) != id(b) {
		t.Error("read again, the same point is another candidate")
	}
	whole, err := Builtin("attention")
	if err != nil {
		t.Fatal(err)
	}
	if id(whole) == id(b) {
		t.Error("another source has the same ID")
	}
	d, err := b.Draft(draftFor64, "#include <darwarp/darwarp.cuh>\nconstexpr int THREADS = {{.threads}};\n"+
		"extern \"C\" __global__ void attention_64(const __half* Q, __half* O, int s) { O[s] = Q[s]; }\n", dev, kernels.FP16)
	if err != nil {
		t.Fatal(err)
	}
	if d.Family.Launched["attention_128"] || !d.Family.Launched["attention_64"] {
		t.Errorf("a draft for a run of d = 64 launches %v", d.Family.Launched)
	}
}

// draftFor64 declares a family as a model may write it, with a launch that the run does not need.
const draftFor64 = `
arch = "sm_80"
[[gene]]
name = "threads"
values = [32, 64]
default = 32
[[launch]]
when = "d == 64"
entry = "attention_64"
grid = ["b * h"]
block = ["threads"]
args = ["Q", "O", "s"]
[[launch]]
when = "d == 128"
entry = "attention_128"
grid = ["b * h"]
block = ["threads"]
args = ["Q", "O", "s"]
`

// TestFixedFileIsChecked: a run may have been made by anybody.
func TestFixedFileIsChecked(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":      "d = 64",
		"unknown dim":  `{"s": [512]}`,
		"no values":    `{"d": []}`,
		"not of these": `{"d": [96]}`,
		"twice":        `{"d": [64, 64]}`,
		"words":        `{"d": ["64"]}`,
		"a fraction":   `{"d": [64.5]}`,
	} {
		b, err := Builtin("attention")
		if err != nil {
			t.Fatal(err)
		}
		files := maps.Clone(b.Files)
		files[fixedFile] = []byte(text)
		if _, err := FromFiles(files); err == nil || !strings.Contains(err.Error(), fixedFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOtherVariantsAreGuarded: a source of its own has no launch at sizes that the run does not judge.
func TestOtherVariantsAreGuarded(t *testing.T) {
	b := builtinFor(t, "attention", "8x16x512x64")
	plan := kernels.PlanSpec{Launches: []kernels.LaunchSpec{{Entry: "k", Grid: []string{"b * h"}, Block: []string{"32"},
		Args: []string{"Q", "O"}}}}
	job, err := b.VariantJob(kernels.Variant{Source: "x", Plan: &plan}, kernels.Device{}, kernels.FP16)
	if err != nil {
		t.Fatal(err)
	}
	for d, want := range map[int]bool{64: true, 128: false} {
		_, err := job.Resolve(kernels.Dims{"b": 1, "h": 1, "s": 4, "d": d, "causal": 0})
		if (err == nil) != want {
			t.Errorf("d = %d: %v", d, err)
		}
	}
}
