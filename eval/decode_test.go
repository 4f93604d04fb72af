package eval

import (
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// decodeDims are b, h, g, t, s, d, page, least, window and cap of a size.
func decodeDims(sizes ...int) kernels.Dims {
	d := kernels.Dims{}
	for i, name := range []string{"b", "h", "g", "t", "s", "d", "page", "least", "window", "cap"} {
		d[name] = sizes[i]
	}
	return d
}

// decodeBundle is a real decode problem at sizes for a test: sequences of one key and of 70 at least, tokens that see
// no key, more queries than a tile has rows, pages, a window and a cap.
func decodeBundle(t *testing.T, problem string) *templates.Bundle {
	t.Helper()
	b := builtin(t, problem)
	p := b.Problem
	p.Check.Shapes = []kernels.Dims{decodeDims(4, 2, 3, 1, 70, 64, 0, 1, 0, 0),
		decodeDims(4, 1, 2, 9, 80, 64, 16, 1, 0, 0), decodeDims(4, 1, 2, 2, 75, 128, 32, 1, 20, 0),
		decodeDims(2, 1, 1, 2, 67, 128, 0, 67, 0, 30)}
	p.Check.Inputs = []string{"normal", "wide"}
	p.Workloads = one(decodeDims(4, 1, 2, 1, 64, 64, 0, 1, 0, 0))
	return b
}

// streamed is the part of the points below that most fast kernels share.
const streamed = "mma=mma_sync smem_layout=xor exp2=true "

// TestDecode: points that between them use every partial of the family are right at every check shape, without a race,
// and kernels with a mistake that decode kernels have are found out.
func TestDecode(t *testing.T) {
	b := decodeBundle(t, "decode")
	gateAttempts(t, watched(b, kernels.BF16), b, []attempt{
		{name: "naive"},
		{name: "naive_last", genes: "split_by=number splits=4 combine=last_block order=heads exp2=true"},
		{name: "plain", genes: "mma=mma_sync warps=1"},
		{name: "padded", genes: "mma=mma_sync smem_layout=padded tile=32 stages=2 exp2=true split_by=number splits=2"},
		{name: "stages",
			genes: streamed + "stages=3 warps=2 split_by=number splits=8 share=cache q=registers order=heads"},
		{name: "waves", genes: streamed + "m_tiles=2 stages=2 split_by=waves waves=1 combine=last_block warps=2"},
		{name: "tiles", genes: streamed + "tile=64 warps=1 stages=2 q=registers split_by=number splits=2"},
		{"", "no_maximum", streamed + "split_by=number splits=2 warps=1",
			"w = weight<D>(whole.x, most), v = weight<D>(other.x, most)", "w = 1.f, v = 1.f", kernels.Wrong},
		{"", "next_page", streamed, "const int page = __ldg(in.table",
			"const int page = __ldg(in.table + (key + 16 < w.length)", kernels.Wrong},
		{"", "causal", "", "length - (in.t - 1 - of_group % in.t)", "length - (in.t - of_group % in.t) + (in.t == 1)",
			kernels.Wrong},
		{"", "all_seen", streamed, "if (key >= seen ||", "if (key >= w.length ||", kernels.Wrong},
		{"", "own_shares", streamed + "split_by=number splits=2 combine=last_block", "fmaf(v, other.y, w * whole.y)",
			"w * whole.y", kernels.Wrong},
		{"", "base_two", "", "+ logf(whole.y)", "+ log2f(whole.y)", kernels.Wrong},
		{"", "token_as_head", "", "of_group % in.t", "of_group / (in.group / in.t)", kernels.Wrong},
		{"", "ring_too_short", streamed + "stages=2 warps=1", "fill(i + STAGES - 1);",
			"fill(i + STAGES - 1); fill(i + STAGES);", kernels.Crashed}, // a copy to a stage that is not free yet is a race
	})
}

// TestDecodeFP8: what the family does otherwise where the cache is e4m3 is right, too, without a race: both ways to
// widen codes in bf16, queries in either place, scales and logarithms of sums with and without shares of keys.
func TestDecodeFP8(t *testing.T) {
	b := decodeBundle(t, "decode_fp8")
	gateAttempts(t, watched(b, kernels.BF16), b, []attempt{
		{name: "naive", genes: "split_by=number splits=2"},
		{name: "bits", genes: streamed + "stages=2 split_by=number splits=4 combine=last_block"},
		{name: "cuda", genes: streamed + "widen=cuda q=registers m_tiles=2 warps=2"},
		{name: "tiles", genes: streamed + "widen=cuda tile=32 stages=2 warps=2 split_by=waves waves=1"},
		{"", "scale_of_first", streamed, "in.K_scale + head % in.h", "in.K_scale", kernels.Wrong},
		{"", "values_unscaled", streamed, "sum[e] *= w.value_scale", "sum[e] *= w.key_scale", kernels.Wrong},
		{"", "base_two", streamed, "+ logf(whole.y)", "+ log2f(whole.y)", kernels.Wrong},
	})
}
