package eval

import (
	"fmt"
	"testing"

	"darwarp/kernels"
)

// ring is a point of the family that most fast kernels are like.
const ring = "rows=16 warps_n=2 warps_k=2 loader=ring stages=3 scales=table split=2 reduce=last_block "

// packed is a point whose weights are packed beforehand.
const packed = "weights=packed tiles=2 warps_k=2 stages=2 "

// kept is a point of either family whose numbers of A lie in shared memory before a span begins.
const kept = "numbers=kept rows=16 tiles=2 warps_n=2 warps_k=2 stages=2 span=16 split=2 reduce=last_block "

// cluster is a point whose blocks add their sums by way of each other's shared memory.
const cluster = "rows=8 tiles=2 warps_n=2 warps_k=2 stages=2 split=4 reduce=cluster "

// boxes is a point of the family for Hopper, with every kind of split.
const boxes = "rows=16 tiles=2 warps_n=2 warps_k=2 stages=2 split=2 reduce=last_block "

// columns is a point with one row of A, whose groups have columns of their own.
const columns = "scaled=columns rows=1 tiles=2 warps_n=2 warps_k=2 stages=2 abreast=2 multiplied=true "

// TestFourBits: points of the two problems are right without a race, and rings that are read too early, or written
// before all have read them, are found out. The sizes have a tile that is not full, more steps than a ring has stages
// or a span has, and, with one row, half a box.
func TestFourBits(t *testing.T) {
	w4, few := kernels.Dims{"m": 3, "n": 17, "k": 256, "group": 64}, kernels.Dims{"m": 3, "n": 17, "k": 256}
	for _, c := range []struct {
		problem  string
		dtype    kernels.DType
		dims     []kernels.Dims
		attempts []attempt
	}{
		{"gemm_w4a16", kernels.FP16, []kernels.Dims{w4, {"m": 17, "n": 40, "k": 4480, "group": 128}}, []attempt{
			{family: "skinny", name: "ring", genes: ring + "scaled=codes"},
			{family: "skinny", name: "packed", genes: packed + "scaled=codes scales=table rows=16"},
			{family: "skinny", name: "packed_weights", genes: packed},
			{"skinny", "packed_in_order", packed, "make_uint4(halves(codes.x), halves(codes.y)",
				"make_uint4(codes.x, halves(codes.y)", refused},
			{"skinny", "packed_for_next_step", packed, "from[i] + step * 32", "from[i] + (step ^ 1) * 32", refused},
			{"skinny", "packed_without_last", packed, "if (group * 8 >= unsigned(n)) return;",
				"if (group * 8 + 8 > unsigned(n)) return;", refused},
			{"skinny", "ring_too_early", ring, "cp_async_wait<STAGES - 2>", "cp_async_wait<STAGES - 1>", refused},
			{family: "skinny", name: "kept", genes: kept + "scales=table scaled=codes"},
			{family: "stream", name: "kept_boxes", genes: kept + "scaled=codes abreast=2"},
			{family: "skinny", name: "cluster", genes: cluster},
			{"skinny", "cluster_reads_early", cluster,
				"darwarp::cluster_arrive();\n    darwarp::cluster_wait();\n    const int end", "const int end", refused},
			{"skinny", "cluster_without_last", cluster, "rank < SPLIT_K", "rank < SPLIT_K - 1", refused},
			{"skinny", "kept_too_early", kept + "scales=table",
				"share.end - first));\n        __syncthreads();", "share.end - first));", refused},
			{"stream", "kept_too_late", kept + "scaled=codes split=1",
				"__syncthreads();  // nobody reads the last span's any more", "", refused},
			{"stream", "kept_of_first_span", kept + "scaled=codes",
				"kept.at(step - first", "kept.at((step - first) % 8", refused},
			{"stream", "kept_sums_of_half", kept + "scaled=codes",
				"sum += __shfl_xor_sync(0xffffffffu, sum, 2);", "", refused},
			{family: "stream", name: "boxes", genes: boxes + "scaled=codes multiplied=true abreast=2"},
			{"stream", "boxes_too_early", boxes + "scaled=sums", "darwarp::mbarrier_wait(full + stage, parity);",
				"", refused},
			{"stream", "boxes_too_late", boxes + "scaled=codes",
				"darwarp::mbarrier_wait(empty + before, stage == 0 ? parity ^ 1 : parity);", "", refused},
			{"stream", "groups", boxes + "scaled=codes", "half * 4 + part * WORDS",
				"half * 4 + (part ^ 1) * WORDS", refused},
			{"stream", "zero_point", boxes + "scaled=codes", "-scale * zeros[at]",
				"-scale * (zeros[at] & 14)", refused},
		}},
		// bf16's small numbers leave no room for a factor.
		{"gemm_mxfp4", kernels.BF16, []kernels.Dims{few, {"m": 17, "n": 40, "k": 896}}, []attempt{
			{family: "skinny", name: "packed", genes: packed + "split=2"},
			{family: "skinny", name: "table", genes: "warps_k=4 stages=2 cache=no_allocate scales=table split=2"},
			{family: "stream", name: "boxes", genes: "warps_k=2 stages=1 split=2"},
		}},
		{"gemm_mxfp4", kernels.FP16, []kernels.Dims{{"m": 1, "n": 17, "k": 384}, {"m": 1, "n": 72, "k": 2176}}, []attempt{
			{family: "stream", name: "columns", genes: columns},
			{family: "stream", name: "columns_kept", genes: columns + "numbers=kept"},
			{"stream", "columns_of_last_span", columns + "numbers=kept", "(first + i - share.first / 2) % (SPAN / 2)",
				"(first + i - share.first / 2) % (SPAN / 4)", refused},
			{"stream", "columns_without_zeros", columns + "numbers=kept",
				"make_uint4(0, 0, 0, 0)", "make_uint4(0, 0x3c00, 0, 0)", refused},
			{family: "stream", name: "sums_kept", genes: columns + "numbers=kept scaled=sums"},
			{"stream", "other_column", columns, "own = column == half * 4 + group",
				"own = column == half * 4 + (group ^ 1)", refused},
			{"stream", "no_zeros", columns, "make_uint4(0, 0, 0, 0)", "make_uint4(0, 0x3c00, 0, 0)", refused},
			{"stream", "last_scales", columns, "i + 1 < BOXES ? i + 1 : WARPS_K * BOXES", "i", refused},
			{"stream", "too_early", columns, "darwarp::mbarrier_wait(full + stage, parity);", "", refused},
			{"stream", "too_late", columns,
				"darwarp::mbarrier_wait(empty + before, stage == 0 ? parity ^ 1 : parity);", "", refused},
		}},
	} {
		t.Run(fmt.Sprintf("%s_%s", c.problem, c.dtype), func(t *testing.T) {
			b := builtin(t, c.problem)
			p := b.Problem
			p.Check.Shapes, p.Check.Inputs = c.dims, []string{"normal"}
			p.Workloads = one(c.dims[0])
			gateAttempts(t, watched(b, c.dtype), b, c.attempts)
		})
	}
}
