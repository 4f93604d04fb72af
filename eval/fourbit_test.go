package eval

import (
	"context"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/kernels"
	"darwarp/templates"
)

// fourBitPool opens the cpu device, looking for races, on a product with weights of four bits at some sizes.
func fourBitPool(t *testing.T, problem string, dtype kernels.DType, dims ...kernels.Dims) (*Pool, *templates.Bundle) {
	t.Helper()
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("FOUR BITS ARE NOT TESTED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	b, err := templates.Builtin(problem)
	if err != nil {
		t.Fatal(err)
	}
	p := b.Problem
	p.Check.Shapes, p.Check.Inputs = dims, []string{"normal"}
	p.Workloads = []kernels.Workload{{Name: "test", Dims: dims[0], Weight: 1}}
	return openPool(t, Config{Kind: "cpu", Problem: p, Headers: templates.Include(), DType: dtype,
		Reference: b.ReferenceSource(dtype), Workloads: p.Workloads, Cache: "hot", Races: true, CacheDir: testCache}), b
}

// ring is a point of the family that most fast kernels are like.
const ring = "rows=16 warps_n=2 warps_k=2 loader=ring stages=3 scales=table split=2 reduce=last_block "

// packed is a point whose weights are packed beforehand.
const packed = "weights=packed tiles=2 warps_k=2 stages=2 "

// boxes is a point of the family for Hopper, with every kind of split.
const boxes = "rows=16 tiles=2 warps_n=2 warps_k=2 stages=2 split=2 reduce=last_block "

// columns is a point with one row of A, whose groups have columns of their own.
const columns = "scaled=columns rows=1 tiles=2 warps_n=2 warps_k=2 stages=2 abreast=2 multiplied=2 "

// fourBitTry is a point of a family, and what becomes wrong in its source, or nothing.
type fourBitTry struct{ family, name, genes, right, wrong string }

// TestFourBits: points of the two problems are right without a race, and rings that are read too early, or written
// before all have read them, are found out. The sizes have a tile that is not full, more steps than a ring has stages,
// and, with one row, half a box.
func TestFourBits(t *testing.T) {
	sometimes(t)
	w4, few := kernels.Dims{"m": 3, "n": 17, "k": 256, "group": 64}, kernels.Dims{"m": 3, "n": 17, "k": 256}
	for _, c := range []struct {
		problem string
		dtype   kernels.DType
		dims    []kernels.Dims
		tries   []fourBitTry
	}{
		{"gemm_w4a16", kernels.FP16, []kernels.Dims{w4, {"m": 17, "n": 40, "k": 896, "group": 128}}, []fourBitTry{
			{"skinny", "ring", ring + "scaled=codes", "", ""},
			{"skinny", "packed", packed + "scaled=codes scales=table rows=16", "", ""},
			{"skinny", "packed_weights", packed, "", ""},
			{"skinny", "packed_in_order", packed, "make_uint4(halves(codes.x), halves(codes.y)",
				"make_uint4(codes.x, halves(codes.y)"},
			{"skinny", "packed_for_next_step", packed, "from[i] + step * 32", "from[i] + (step ^ 1) * 32"},
			{"skinny", "packed_without_last", packed, "if (group * 8 >= unsigned(n)) return;",
				"if (group * 8 + 8 > unsigned(n)) return;"},
			{"skinny", "ring_too_early", ring, "cp_async_wait<STAGES - 2>", "cp_async_wait<STAGES - 1>"},
			{"stream", "boxes", boxes + "scaled=codes multiplied=true abreast=2", "", ""},
			{"stream", "boxes_too_early", boxes + "scaled=sums", "darwarp::mbarrier_wait(full + stage, parity);", ""},
			{"stream", "boxes_too_late", boxes + "scaled=codes",
				"darwarp::mbarrier_wait(empty + before, stage == 0 ? parity ^ 1 : parity);", ""},
			{"stream", "groups", boxes + "scaled=codes", "half * 4 + part * WORDS", "half * 4 + (part ^ 1) * WORDS"},
			{"stream", "zero_point", boxes + "scaled=codes", "-scale * zeros[at]", "-scale * (zeros[at] & 14)"},
		}},
		// bf16's small numbers leave no room for a factor.
		{"gemm_mxfp4", kernels.BF16, []kernels.Dims{few, {"m": 17, "n": 40, "k": 896}}, []fourBitTry{
			{"skinny", "packed", packed + "split=2", "", ""},
			{"skinny", "table", "warps_k=4 stages=2 cache=no_allocate scales=table split=2", "", ""},
			{"stream", "boxes", "warps_k=2 stages=1 split=2", "", ""},
		}},
		{"gemm_mxfp4", kernels.FP16, []kernels.Dims{{"m": 1, "n": 17, "k": 384}, {"m": 1, "n": 72, "k": 2176}}, []fourBitTry{
			{"stream", "columns", columns, "", ""},
			{"stream", "other_column", columns, "own = column == half * 4 + group", "own = column == half * 4 + (group ^ 1)"},
			{"stream", "no_zeros", columns, "make_uint4(0, 0, 0, 0)", "make_uint4(0, 0x3c00, 0, 0)"},
			{"stream", "last_scales", columns, "i + 1 < BOXES ? i + 1 : WARPS_K * BOXES", "i"},
			{"stream", "too_early", columns, "darwarp::mbarrier_wait(full + stage, parity);", ""},
			{"stream", "too_late", columns,
				"darwarp::mbarrier_wait(empty + before, stage == 0 ? parity ^ 1 : parity);", ""},
		}},
	} {
		pool, b := fourBitPool(t, c.problem, c.dtype, c.dims...)
		for _, try := range c.tries {
			t.Run(c.problem+"_"+try.name, func(t *testing.T) { try.run(t, pool, b) })
		}
	}
}

// run judges the point, with what is wrong in it.
func (c fourBitTry) run(t *testing.T, pool *Pool, b *templates.Bundle) {
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
}
