package eval

import (
	"testing"

	"darwarp/kernels"
)

// fast is the part of the points below that most fast kernels share.
const fast = "mma=mma_sync loader=cp_async smem_layout=xor exp2=true "

// empty leaves some blocks no keys: theirs are fewer tiles than shares.
const empty = "block_q=16 warps=1 block_kv=80 kv_groups=2 split_kv=4 combine=separate overlap=pv rescale=lazy"

// TestAttention: points that between them use every partial of the family are right at every check shape, without a
// race, and kernels with a mistake are found out.
func TestAttention(t *testing.T) {
	size := func(b, h, s, d, causal int) kernels.Dims {
		return kernels.Dims{"b": b, "h": h, "s": s, "d": d, "causal": causal}
	}
	b := builtin(t, "attention")
	p := b.Problem
	p.Check.Shapes = []kernels.Dims{size(1, 1, 1, 64, 0), size(1, 2, 17, 64, 0), size(2, 1, 37, 128, 1),
		size(1, 2, 70, 64, 1)}
	p.Check.Inputs = []string{"normal", "wide"}
	p.Workloads = one(size(1, 1, 79, 64, 0))
	cfg := watched(b, kernels.FP16)
	cfg.Acc = []kernels.DType{kernels.FP32, kernels.FP16}
	gateAttempts(t, cfg, b, attentionAttempts)
}

var attentionAttempts = []attempt{
	{name: "naive"},
	{name: "wmma", genes: "mma=wmma loader=vec16 stages=2 smem_layout=padded split_kv=2 combine=separate block_kv=48 " +
		"memory=dynamic exp2=true"},
	{name: "halves", genes: "mma=wmma acc=fp16 o_acc=fp16 loader=cp_async block_q=16 warps=2"},
	{name: "plain", genes: "mma=mma_sync block_q=64 exp2=true"},
	{name: "registers", genes: "mma=mma_sync q=registers loader=vec16 smem_layout=padded stages=2 warps=2 exp2=true"},
	{name: "alternate", genes: fast + "block_q=64 block_kv=80 q=registers rescale=lazy exp_fma=1"},
	{name: "groups", genes: fast + "kv_groups=2 warps=2 block_kv=16 stages=2 overlap=next_qk q=registers"},
	{name: "apart", genes: fast + "waits=apart kv_groups=2 warps=2 block_kv=16 stages=2 overlap=pv"},
	{name: "ahead",
		genes: fast + "waits=apart kv_groups=4 warps=1 block_q=32 block_kv=16 stages=3 q=registers rescale=lazy"},
	{name: "producers",
		genes: fast + "producers=1 warps=2 stages=2 grid=persistent grid_cap=1 order=longest block_q=64"},
	{name: "split", genes: fast + "split_kv=4 combine=last_block warps=2 block_kv=16 stages=3 overlap=pv kv_groups=2"},
	{name: "shares", genes: fast + empty},
	{name: "half_sums", genes: fast + "acc=fp16 o_acc=fp16 warps=2 stages=2 order=heads l2_window=false"},
	{"", "scale", "", "0.125f", "0.127f", kernels.Wrong},
	{"", "no_mask", fast + "warps=2", "if (8 * j + e >= seen)", "if (8 * j + e >= seen + 1)", kernels.Wrong},
	{"", "no_rescale", fast + "warps=2 q=registers", "shrink[i][half] = weight<D>(most[i][half], now);",
		"shrink[i][half] = 1.f;", kernels.Wrong},
	{"", "other_head", fast + "warps=2 stages=2", "V = in.V + head;", "V = in.V + head - (w.head > 0 ? D : 0);",
		kernels.Wrong},
	{"", "no_barrier", fast + "warps=2 stages=2 q=registers", "__syncthreads();  // this round has landed",
		"// this round has landed", kernels.Crashed},
	{"", "values_not_awaited", fast + "waits=apart warps=2 stages=2 q=registers", "cp_async_wait<2 * STAGES - 2>();", "",
		kernels.Crashed},
	{"", "share_not_weighed", fast + "warps=2 split_kv=2 combine=separate", "const float w = weight<D>(stat[i].x, most);",
		"const float w = 1.f;", kernels.Wrong},
	{"", "queries_awaited", fast + empty, "where those land.\n    cp_async_wait<0>();", "", kernels.Crashed},
}
