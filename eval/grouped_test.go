package eval

import (
	"context"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/kernels"
	"darwarp/templates"
)

// groupedDims are groups, tokens, n, k and least of a size.
func groupedDims(groups, tokens, n, k, least int) kernels.Dims {
	return kernels.Dims{"groups": groups, "tokens": tokens, "n": n, "k": k, "least": least}
}

// groupedPool opens the cpu device, looking for races, on the real gemm_grouped at sizes for a test: groups of all rows
// and of one more than a tile, some without any, more groups than rows, and rows that start on no 16-byte boundary.
func groupedPool(t *testing.T) (*Pool, *templates.Bundle) {
	t.Helper()
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("GROUPED PRODUCTS ARE NOT TESTED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	b, err := templates.Builtin("gemm_grouped")
	if err != nil {
		t.Fatal(err)
	}
	p := b.Problem
	p.Check.Shapes = []kernels.Dims{groupedDims(1, 33, 40, 24, 0), groupedDims(3, 99, 24, 40, 33),
		groupedDims(7, 50, 48, 72, 0), groupedDims(9, 5, 16, 32, 0), groupedDims(4, 21, 13, 17, 0)}
	p.Check.Draw = nil
	p.Check.Inputs = []string{"normal"}
	p.Workloads = []kernels.Workload{{Name: "test", Dims: groupedDims(4, 64, 64, 64, 0), Weight: 1}}
	return openPool(t, Config{Kind: "cpu", Problem: p, Headers: templates.Include(), DType: kernels.BF16,
		Reference: b.ReferenceSource(kernels.BF16), Workloads: p.Workloads, Cache: "hot", Races: true,
		CacheDir: testCache}), b
}

// TestGrouped: a pipelined point is right at every check shape, without a race, and kernels with a mistake that such
// kernels have are found out.
func TestGrouped(t *testing.T) {
	sometimes(t)
	pool, b := groupedPool(t)
	const genes = "mma=mma_sync block_m=32 block_n=32 block_k=32 warp_m=16 warp_n=32 loader=cp_async stages=3 " +
		"smem_layout=xor frag_buffers=2"
	for name, c := range map[string]struct {
		right, wrong string
		want         kernels.Outcome
	}{
		"right": {want: kernels.OK},
		"slots": {"/ ROWS + group; }", "/ ROWS + group / 2 * 2; }", kernels.Wrong},
		"rows of the next": {"store_tile(acc, C, work.end, n, work)", "store_tile(acc, C, tokens, n, work)",
			kernels.Crashed}, // a race
	} {
		t.Run(name, func(t *testing.T) {
			job := pointOf(t, pool, b, genes)
			if !strings.Contains(job.Source, c.right) {
				t.Fatalf("the source has no %q", c.right)
			}
			job.Source = strings.Replace(job.Source, c.right, c.wrong, 1)
			job.ID = kernels.NewID(job.Source, b.Families[0].PlanSpec, name)
			r, err := pool.Evaluate(context.Background(), &job)
			if err != nil || r.Outcome != c.want {
				t.Errorf("%v (%s), %v: expected %v", r.Outcome, r.Detail, err, c.want)
			}
		})
	}
}
