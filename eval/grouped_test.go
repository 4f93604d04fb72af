package eval

import (
	"testing"

	"darwarp/kernels"
)

// groupedDims are groups, tokens, n, k and least of a size.
func groupedDims(groups, tokens, n, k, least int) kernels.Dims {
	return kernels.Dims{"groups": groups, "tokens": tokens, "n": n, "k": k, "least": least}
}

// TestGrouped: a pipelined point is right at every check shape, without a race, and kernels with a mistake that such
// kernels have are found out. The sizes have groups of all rows and of one more than a tile, some without any, more
// groups than rows, and rows that start on no 16-byte boundary.
func TestGrouped(t *testing.T) {
	const genes = "mma=mma_sync block_m=32 block_n=32 block_k=32 warp_m=16 warp_n=32 loader=cp_async stages=3 " +
		"smem_layout=xor frag_buffers=2"
	b := builtin(t, "gemm_grouped")
	p := b.Problem
	p.Check.Shapes = []kernels.Dims{groupedDims(1, 33, 40, 24, 0), groupedDims(3, 99, 24, 40, 33),
		groupedDims(7, 50, 48, 72, 0), groupedDims(9, 5, 16, 32, 0), groupedDims(4, 21, 13, 17, 0)}
	p.Check.Draw, p.Check.Inputs = nil, []string{"normal"}
	p.Workloads = one(groupedDims(4, 64, 64, 64, 0))
	gateAttempts(t, watched(b, kernels.BF16), b, []attempt{
		{name: "right", genes: genes},
		{"", "slots", genes, "/ ROWS + group; }", "/ ROWS + group / 2 * 2; }", kernels.Wrong},
		{"", "rows of the next", genes, "store_tile(acc, C, work.end, n, work)", "store_tile(acc, C, tokens, n, work)",
			kernels.Crashed}, // a race
	})
}
