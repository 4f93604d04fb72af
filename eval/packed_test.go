package eval_test

import (
	"strings"
	"testing"

	"darwarp/eval/internal/compile"
	"darwarp/kernels"
	"darwarp/templates"
)

// TestPackedCompiles: points that have to be asked for are in no sample of a space, so those whose weights are packed
// are compiled here.
func TestPackedCompiles(t *testing.T) {
	for _, arch := range []string{"sm_89", "sm_90a"} {
		dev, err := kernels.ArchDevice(arch)
		if err != nil {
			t.Fatal(err)
		}
		p := compiler(t, arch)
		for problem, genes := range map[string][]string{
			"gemm_w4a16": {"", "tiles=4 scales=table scaled=sums", "rows=16 stages=2 split=2"},
			"gemm_mxfp4": {"", "rows=16 tiles=2 stages=4 scales=table cache=no_allocate"},
		} {
			for _, d := range []kernels.DType{kernels.FP16, kernels.BF16} {
				for _, text := range genes {
					compilePacked(t, p, problem, "weights=packed "+text, dev, d)
				}
			}
		}
		compilePacked(t, p, "gemm_w4a16", "weights=packed tiles=2 warps_k=8 scales=table scaled=codes", dev, kernels.FP16)
	}
}

func compilePacked(t *testing.T, p *compile.Pool, problem, genes string, dev kernels.Device, d kernels.DType) {
	t.Helper()
	b, err := templates.Builtin(problem)
	if err != nil {
		t.Fatal(err)
	}
	f, err := b.Family("skinny")
	if err != nil {
		t.Fatal(err)
	}
	g := f.Defaults()
	for _, kv := range strings.Fields(genes) {
		name, value, _ := strings.Cut(kv, "=")
		g[name] = kernels.ParseValue(value)
	}
	if err := f.Check(g, dev, d); err != nil {
		t.Fatalf("%s: %v", genes, err)
	}
	job, err := b.Job(f, g, dev, d)
	if err != nil {
		t.Fatal(err)
	}
	compiles(t, p, problem+" "+genes+" "+string(d), job.Source)
}
