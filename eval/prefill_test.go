package eval

import (
	"testing"

	"darwarp/kernels"
)

// prefillDims are b, h, g, m, n, d, causal, window, cap and even of a size.
func prefillDims(sizes ...int) kernels.Dims {
	d := kernels.Dims{}
	for i, name := range []string{"b", "h", "g", "m", "n", "d", "causal", "window", "cap", "even"} {
		d[name] = sizes[i]
	}
	return d
}

// TestPrefill: points with most of what the families have are right at every check shape, without a race, and kernels
// with a mistake that such kernels have are found out. Among the sizes are queries that see no key, a window, a cap,
// and values shorter than keys.
func TestPrefill(t *testing.T) {
	const fast = "smem_layout=xor exp2=true "
	const turns = "consumers=2 block_kv=32 stages=2 turns=true grid=persistent "
	b := builtin(t, "prefill")
	p := b.Problem
	if err := p.Fix(kernels.Fixed{"d": {192}}); err != nil {
		t.Fatal(err)
	}
	p.Check.Shapes = []kernels.Dims{prefillDims(4, 2, 2, 50, 40, 192, 1, 0, 0, 0),
		prefillDims(3, 1, 1, 40, 66, 192, 1, 20, 0, 0), prefillDims(2, 1, 1, 34, 40, 192, 0, 9, 30, 0),
		prefillDims(1, 1, 1, 70, 90, 192, 1, 20, 0, 1)} // two warpgroups, and tiles that one of them does not see
	p.Check.Draw, p.Check.Inputs = nil, []string{"normal", "wide"}
	p.Workloads = one(prefillDims(2, 1, 2, 40, 40, 192, 1, 0, 0, 0))
	gateAttempts(t, watched(b, kernels.BF16), b, []attempt{
		{family: "flash", name: "warps",
			genes: fast + "stages=3 warps=2 block_q=32 q=registers overlap=next_qk order=heads rescale=lazy"},
		{family: "hopper", name: "warpgroups", genes: turns + "overlap=next_qk order=longest rescale=exponents " +
			"exp_fma=2 cluster=2 store=chunks heads_at_once=8"},
		{"flash", "window", fast, "query + shift + 1 - window : 0", "query + shift + 2 - window : 0", kernels.Wrong},
		{"flash", "slots", fast, "/ STRIP + sequence;", "/ STRIP + sequence / 2 * 2;", kernels.Wrong},
		{"hopper", "begin", "block_kv=32 rescale=exponents grid=queue",
			"__any_sync(0xffffffffu, most[0] == LEAST || most[1] == LEAST)", "key0 == 0", kernels.Wrong},
		{"hopper", "boxes", "block_kv=32", "w.start_k + (w.first + i) * BLOCK_KV", "w.start_k + i * BLOCK_KV",
			kernels.Wrong},
	})
}

// TestLazyOverManyKeys: what a lazy rescaling leaves alone stays as it is over hundreds of tiles. The sums of weights
// went astray from O by a rounding for each tile, which the gate found at 42,642 keys on an H200.
func TestLazyOverManyKeys(t *testing.T) {
	const lazy = "smem_layout=xor exp2=true warps=1 block_q=16 block_kv=16 rescale=lazy"
	b := builtin(t, "prefill")
	p := b.Problem
	if err := p.Fix(kernels.Fixed{"d": {64}}); err != nil {
		t.Fatal(err)
	}
	p.Check.Shapes = []kernels.Dims{prefillDims(1, 1, 1, 16, 16000, 64, 0, 0, 0, 1)}
	p.Check.Draw, p.Check.Inputs = nil, []string{"normal", "wide"}
	p.Workloads = one(prefillDims(1, 1, 1, 16, 40, 64, 0, 0, 0, 1))
	gateAttempts(t, emulated(b, kernels.FP16), b, []attempt{
		{family: "flash", name: "lazy", genes: lazy},
		{"flash", "astray", lazy, "more ? weight<D>(most[i][half], now) : 1.f", "weight<D>(most[i][half], now)",
			kernels.Wrong},
	})
}
