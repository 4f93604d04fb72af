package eval

import (
	"testing"

	"darwarp/kernels"
)

// latentDims are b, h, t, s, page and least of a size.
func latentDims(sizes ...int) kernels.Dims {
	d := kernels.Dims{}
	for i, name := range []string{"b", "h", "t", "s", "page", "least"} {
		d[name] = sizes[i]
	}
	return d
}

// TestDecodeMLA: points that between them use every partial of both families are right at every check shape, without a
// race, and kernels with a mistake that such kernels have are found out. The sizes have several tiles, sequences of one
// key, tokens that see no key, two tiles of queries of which the second is not full, pages of part of a tile and of all
// of it.
func TestDecodeMLA(t *testing.T) {
	const ring = "parts=3 "
	const spare = ring + "splits=8 combine=last_block" // more shares than tiles
	b := builtin(t, "decode_mla")
	p := b.Problem
	p.Check.Shapes = []kernels.Dims{latentDims(2, 2, 1, 200, 0, 200), latentDims(4, 3, 3, 70, 16, 1),
		latentDims(1, 35, 2, 66, 64, 66)}
	p.Check.Draw, p.Check.Inputs = nil, []string{"normal"}
	p.Workloads = one(latentDims(1, 33, 2, 70, 0, 1))
	gateAttempts(t, watched(b, kernels.BF16), b, []attempt{
		{name: "plain", genes: "warps=2 split_by=number splits=2 combine=last_block exp2=true"},
		{name: "waves", genes: "rows=2 share=cache order=heads"},
		{family: "hopper", name: "one", genes: "rescale=lazy"},
		{family: "hopper", name: "cluster", genes: ring + "cluster=2 splits=2 combine=last_block order=heads"},
		{family: "hopper", name: "shares", genes: "parts=9 cluster=2 split_by=waves waves=1 share=cache"},
		{family: "hopper", name: "spare", genes: spare},
		{"hopper", "own_maximum", ring, "fmaxf(mine[half], others[half])", "mine[half]", kernels.Wrong},
		{"hopper", "half_the_sum", ring, "sums[0] += others[0], ", "sums[0] += 0.f, ", kernels.Wrong},
		{"hopper", "next_page", ring, "min(key, w.length - 1), pages", "min(key + 16, w.length - 1), pages",
			kernels.Wrong},
		{"hopper", "causal", ring, "(in.t - 1 - of_group", "(in.t - 2 - of_group", kernels.Wrong},
		{"hopper", "weights_late", ring, "mbarrier_wait(ring.weighed(), phase);", "", kernels.Crashed},
		{"hopper", "negative", spare, "mbarrier_wait(ring.weighed(), phase ^ 1);",
			"mbarrier_wait(ring.weighed(), (w.end - w.begin) % 2);", kernels.Crashed},
	})
}
