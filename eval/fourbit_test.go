package eval

import (
	"context"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/kernels"
	"darwarp/templates"
)

// fourBitPool opens the cpu device, looking for races, on a product with weights of four bits at two sizes: with a tile
// that is not full, and with more steps than a ring has stages.
func fourBitPool(t *testing.T, problem string) (*Pool, *templates.Bundle) {
	t.Helper()
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("FOUR BITS ARE NOT TESTED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	b, err := templates.Builtin(problem)
	if err != nil {
		t.Fatal(err)
	}
	dtype, p := kernels.FP16, b.Problem
	dims := []kernels.Dims{{"m": 3, "n": 17, "k": 256, "group": 64}, {"m": 17, "n": 40, "k": 896, "group": 128}}
	if problem == "gemm_mxfp4" {
		dtype = kernels.BF16 // whose small numbers leave no room for a factor
		for _, d := range dims {
			delete(d, "group")
		}
	}
	p.Check.Shapes, p.Check.Inputs = dims, []string{"normal"}
	p.Workloads = []kernels.Workload{{Name: "test", Dims: dims[0], Weight: 1}}
	return openPool(t, Config{Kind: "cpu", Problem: p, Headers: templates.Include(), DType: dtype,
		Reference: b.ReferenceSource(dtype), Workloads: p.Workloads, Cache: "hot", Races: true, CacheDir: testCache}), b
}

// ring is a point of the family that most fast kernels are like.
const ring = "rows=16 warps_n=2 warps_k=2 loader=ring stages=3 scales=table split=2 reduce=last_block "

// boxes is a point of the family for Hopper, with every kind of split.
const boxes = "rows=16 tiles=2 warps_n=2 warps_k=2 stages=2 split=2 reduce=last_block "

// TestFourBits: points of the two problems are right without a race, and rings that are read too early, or written
// before all have read them, are found out.
func TestFourBits(t *testing.T) {
	sometimes(t)
	type try struct {
		family, name, genes string
		right, wrong        string // what becomes wrong in the source, or nothing
	}
	for problem, tries := range map[string][]try{
		"gemm_w4a16": {
			{"skinny", "ring", ring + "scaled=codes", "", ""},
			{"skinny", "ring_too_early", ring, "cp_async_wait<STAGES - 2>", "cp_async_wait<STAGES - 1>"},
			{"stream", "boxes", boxes + "scaled=codes", "", ""},
			{"stream", "boxes_too_early", boxes + "scaled=sums", "darwarp::mbarrier_wait(ring.full + stage, parity);",
				""},
			{"stream", "boxes_too_late", boxes + "scaled=codes",
				"darwarp::mbarrier_wait(ring.empty + before, stage == 0 ? parity ^ 1 : parity);", ""},
			{"stream", "groups", boxes + "scaled=codes", "half * 4 + part * WORDS", "half * 4 + (part ^ 1) * WORDS"},
			{"stream", "zero_point", boxes + "scaled=codes", "-scale * zeros[at]", "-scale * (zeros[at] & 14)"},
		},
		"gemm_mxfp4": {
			{"skinny", "table", "warps_k=4 stages=2 cache=no_allocate scales=table split=2", "", ""},
			{"stream", "boxes", "warps_k=2 stages=1 split=2", "", ""},
		},
	} {
		pool, b := fourBitPool(t, problem)
		for _, c := range tries {
			t.Run(problem+"_"+c.name, func(t *testing.T) {
				f, err := b.Family(c.family)
				if err != nil {
					t.Fatal(err)
				}
				job := pointOfFamily(t, pool, b, f, c.genes)
				if !strings.Contains(job.Source, c.right) {
					t.Fatalf("the source has no %q", c.right)
				}
				job.Source = strings.Replace(job.Source, c.right, c.wrong, 1)
				job.ID = kernels.NewID(job.Source, f.PlanSpec, c.name)
				r, err := pool.Evaluate(context.Background(), &job)
				if err != nil || (r.Outcome == kernels.OK) != (c.right == "") || r.Outcome == kernels.CompileFailed {
					t.Errorf("%v (%s), %v", r.Outcome, r.Detail, err)
				}
			})
		}
	}
}
