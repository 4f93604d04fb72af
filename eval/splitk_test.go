package eval

import (
	"testing"

	"darwarp/kernels"
)

// TestSplitK: sums of which blocks of a cluster, and clusters, have shares are right without a race, and mistakes that
// such kernels have are found out. The sizes have tiles that are not full, and fewer steps than shares.
func TestSplitK(t *testing.T) {
	const genes = "split_k=8 split_cluster=2 epilogue=tensor "
	const few = "swap=true block_m=128 block_n=16 split_k=8 split_cluster=4 stages=3" // two of four blocks add
	b := builtin(t, "gemm")
	p := b.Problem
	p.Check.Shapes = []kernels.Dims{{"m": 66, "n": 72, "k": 200}}
	p.Check.Draw, p.Check.Inputs = nil, []string{"normal"}
	p.Workloads = one(kernels.Dims{"m": 64, "n": 64, "k": 1024})
	gateAttempts(t, watched(b, kernels.FP16), b, []attempt{
		{family: "hopper", name: "right", genes: genes},
		{family: "hopper", name: "few rows", genes: few},
		{family: "hopper", name: "in turns", genes: genes + "shares=interleaved"},
		{family: "hopper", name: "few rows in turns", genes: few + " shares=interleaved"},
		{"hopper", "one ticket for all warps", genes, "unit * (ADDERS / 32) + threadIdx.x / 32", "unit", kernels.Wrong},
		{"hopper", "a share of none in turns", genes + "shares=interleaved", "end(max(k, begin + 1))", "end(k)",
			kernels.Wrong},
		{"hopper", "every block adds", few, "PARTS == SPLIT_CLUSTER || cluster_rank() < PARTS", "true", kernels.Crashed},
		{"hopper", "a share of none", genes, "(first < last ? first : steps)", "first", kernels.Wrong},
		{"hopper", "a stage is still read", genes + "block_m=128 consumers=2", "meeting.all();  // the last stage", "//",
			kernels.Crashed},
	})
}
