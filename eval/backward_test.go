package eval

import (
	"context"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/kernels"
	"darwarp/templates"
)

// backwardPool opens the cpu device, looking for races, on the real problem attention_backward at sizes for a test: one
// key, and sequences that end beside tiles, full and causal. What the forward pass has saved is made on the device.
func backwardPool(t *testing.T) (*Pool, *templates.Bundle) {
	t.Helper()
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("ATTENTION_BACKWARD IS NOT TESTED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	b, err := templates.Builtin("attention_backward")
	if err != nil {
		t.Fatal(err)
	}
	p := b.Problem
	if err := p.Fix(kernels.Fixed{"d": {64}}); err != nil {
		t.Fatal(err)
	}
	size := func(s, causal int) kernels.Dims {
		return kernels.Dims{"b": 1, "h": 1, "s": s, "d": 64, "causal": causal}
	}
	p.Check.Shapes = []kernels.Dims{size(1, 0), size(70, 1), size(50, 0)}
	p.Check.Draw = nil
	p.Check.Inputs = []string{"normal", "wide"}
	p.Workloads = []kernels.Workload{{Name: "test", Dims: size(40, 1), Weight: 1}}
	return openPool(t, Config{Kind: "cpu", Problem: p, Headers: templates.Include(), DType: kernels.FP16,
		Reference: b.ReferenceSource(kernels.FP16), Workloads: p.Workloads, Cache: "hot", Races: true,
		CacheDir: testCache}), b
}

// TestAttentionBackward: points with most of what the families have are right at every check shape, without a race, and
// kernels with a mistake that such kernels have are found out.
func TestAttentionBackward(t *testing.T) {
	pool, b := backwardPool(t)
	const fast = "keys=32 keys_warps=2 queries=32 queries_warps=2 loader=cp_async smem_layout=xor launches=together "
	for name, c := range map[string]struct{ family, genes, right, wrong string }{
		"naive":       {"naive", "others=4 delta=before order=heads", "", ""},
		"tiled":       {"tiled", fast + "stages=3 queries_step=32 early=true order=longest", "", ""},
		"end of keys": {"tiled", fast, "other < end && (", "("},
		"hopper":      {"hopper", "keys_consumers=2 queries_step=48 order=longest", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := b.Family(c.family)
			if err != nil {
				t.Fatal(err)
			}
			job := pointOfFamily(t, pool, b, f, c.genes)
			want := kernels.OK
			if c.right != "" {
				if want = kernels.Wrong; !strings.Contains(job.Source, c.right) {
					t.Fatalf("the source has no %q", c.right)
				}
				job.Source = strings.Replace(job.Source, c.right, c.wrong, 1)
				job.ID = kernels.NewID(job.Source, f.PlanSpec, name)
			}
			r, err := pool.Evaluate(context.Background(), &job)
			if err != nil || r.Outcome != want {
				t.Errorf("%s: %v (%s), %v: expected %s", c.genes, r.Outcome, r.Detail, err, want)
			}
		})
	}
}
