package eval

import (
	"context"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/kernels"
	"darwarp/templates"
)

// splitPool opens the cpu device, looking for races, on gemm at a size for a test of divided sums: with tiles that are
// not full, and with fewer steps than shares.
func splitPool(t *testing.T) (*Pool, *templates.Bundle, *kernels.Family) {
	t.Helper()
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("DIVIDED SUMS ARE NOT TESTED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	b, err := templates.Builtin("gemm")
	if err != nil {
		t.Fatal(err)
	}
	p := b.Problem
	p.Check.Shapes = []kernels.Dims{{"m": 66, "n": 72, "k": 200}}
	p.Check.Draw, p.Check.Inputs = nil, []string{"normal"}
	p.Workloads = []kernels.Workload{{Name: "test", Dims: kernels.Dims{"m": 64, "n": 64, "k": 1024}, Weight: 1}}
	pool := openPool(t, Config{Kind: "cpu", Problem: p, Headers: templates.Include(), DType: kernels.FP16,
		Reference: b.ReferenceSource(kernels.FP16), Workloads: p.Workloads, Cache: "hot", Races: true, CacheDir: testCache})
	for _, f := range b.Families {
		if f.Name == "hopper" {
			return pool, b, f
		}
	}
	t.Fatal("gemm has no family for Hopper")
	return nil, nil, nil
}

// TestSplitK: sums of which blocks of a cluster, and clusters, have shares are right without a race, and mistakes that
// such kernels have are found out.
func TestSplitK(t *testing.T) {
	sometimes(t)
	pool, b, f := splitPool(t)
	const genes = "split_k=8 split_cluster=2 epilogue=tensor "
	const few = "swap=true block_m=128 block_n=16 split_k=8 split_cluster=4 stages=3" // two of four blocks add
	for name, c := range map[string]struct {
		genes, right, wrong string
		want                kernels.Outcome
	}{
		"right":                    {genes: genes, want: kernels.OK},
		"few rows":                 {genes: few, want: kernels.OK},
		"in turns":                 {genes: genes + "shares=interleaved", want: kernels.OK},
		"few rows in turns":        {genes: few + " shares=interleaved", want: kernels.OK},
		"one ticket for all warps": {genes, "unit * (ADDERS / 32) + threadIdx.x / 32", "unit", kernels.Wrong},
		"a share of none in turns": {genes + "shares=interleaved", "end(max(k, begin + 1))", "end(k)", kernels.Wrong},
		"every block adds":         {few, "PARTS == SPLIT_CLUSTER || cluster_rank() < PARTS", "true", kernels.Crashed},
		"a share of none":          {genes, "(first < last ? first : steps)", "first", kernels.Wrong},
		"a stage is still read": {genes + "block_m=128 consumers=2", "meeting.all();  // the last stage", "//",
			kernels.Crashed},
	} {
		t.Run(name, func(t *testing.T) {
			job := pointOfFamily(t, pool, b, f, c.genes)
			if !strings.Contains(job.Source, c.right) {
				t.Fatalf("the source has no %q", c.right)
			}
			job.Source = strings.Replace(job.Source, c.right, c.wrong, 1)
			job.ID = kernels.NewID(job.Source, f.PlanSpec, name)
			r, err := pool.Evaluate(context.Background(), &job)
			if err != nil || r.Outcome != c.want {
				t.Errorf("%v (%s), %v: expected %v", r.Outcome, r.Detail, err, c.want)
			}
		})
	}
}
