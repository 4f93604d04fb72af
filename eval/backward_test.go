package eval

import (
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// backwardBundle is the real problem attention_backward at sizes for a test: one key, and sequences that end beside
// tiles, full and causal. What the forward pass has saved is made on the device.
func backwardBundle(t *testing.T, d int) *templates.Bundle {
	t.Helper()
	size := func(s, causal int) kernels.Dims {
		return kernels.Dims{"b": 1, "h": 1, "s": s, "d": d, "causal": causal}
	}
	loads := one(size(40, 1))
	b, err := builtin(t, "attention_backward").For(loads)
	if err != nil {
		t.Fatal(err)
	}
	p := b.Problem
	p.Check.Shapes = []kernels.Dims{size(1, 0), size(70, 1), size(50, 0)}
	p.Check.Draw, p.Check.Inputs = nil, []string{"normal", "wide"}
	p.Workloads = loads
	return b
}

// TestAttentionBackward: a point of each family, with most of what it has, is right at every check shape, without a
// race.
// What kernels get wrong here is in the problem gradients of the gate's own test.
func TestAttentionBackward(t *testing.T) {
	b := backwardBundle(t, 64)
	gateAttempts(t, watched(b, kernels.FP16), b, []attempt{
		{family: "warps", name: "warps", genes: "others=4 delta=before order=heads"},
		{family: "tiled", name: "tiled", genes: "keys=32 keys_warps=2 queries=32 queries_warps=2 queries_step=32 " +
			"loader=cp_async stages=3 smem_layout=xor early=true launches=together order=longest"},
		{family: "hopper", name: "hopper", genes: "keys_consumers=2 queries_step=48 order=longest"},
		{family: "onepass", name: "onepass", genes: "step=48 transposed=true stages=3 exchanges=2 dk=first"},
	})
}

// TestOnePass: two warpgroups that share dQ, by its columns and transposed, are right, and so are lanes that add it
// and a dK that waits for the next step.
func TestOnePass(t *testing.T) {
	b := backwardBundle(t, 128)
	gateAttempts(t, watched(b, kernels.FP16), b, []attempt{
		{family: "onepass", name: "columns", genes: "consumers=2 dq=next dv=last exchanges=2"},
		{family: "onepass", name: "lanes",
			genes: "consumers=2 step=80 transposed=true dv=last order=heads adder=lanes"},
		{family: "onepass", name: "next step",
			genes: "consumers=2 step=48 transposed=true dv=last dk=next stages=3 exchanges=2"},
	})
}

// TestOrderedSums: blocks that add to dQ in order have the same bits under every order of blocks, which a problem
// without atomics asks for.
func TestOrderedSums(t *testing.T) {
	b := backwardBundle(t, 64)
	b.Problem.Check.Atomics = false
	b.Problem.Check.Shapes = []kernels.Dims{{"b": 4, "h": 1, "s": 150, "d": 64, "causal": 0}}
	gateAttempts(t, watched(b, kernels.FP16), b, []attempt{{family: "onepass", name: "ordered", genes: "adds=ordered"}})
}
