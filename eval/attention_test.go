package eval

import (
	"context"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/kernels"
	"darwarp/templates"
)

// attentionPool opens the cpu device, looking for races, on the real attention problem at sizes for a test.
func attentionPool(t *testing.T) (*Pool, *templates.Bundle) {
	t.Helper()
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("ATTENTION IS NOT TESTED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	b, err := templates.Builtin("attention")
	if err != nil {
		t.Fatal(err)
	}
	size := func(b, h, s, d, causal int) kernels.Dims {
		return kernels.Dims{"b": b, "h": h, "s": s, "d": d, "causal": causal}
	}
	p := b.Problem
	p.Check.Shapes = []kernels.Dims{size(1, 1, 1, 64, 0), size(1, 2, 17, 64, 0), size(2, 1, 37, 128, 1),
		size(1, 2, 70, 64, 1)}
	p.Check.Inputs = []string{"normal", "wide"}
	p.Workloads = []kernels.Workload{{Name: "test", Dims: size(1, 1, 79, 64, 0), Weight: 1}}
	return openPool(t, Config{Kind: "cpu", Problem: p, Headers: templates.Include(),
		DType:     kernels.FP16,
		Reference: b.ReferenceSource(kernels.FP16), Workloads: p.Workloads, Cache: "hot", Races: true, CacheDir: testCache,
		Acc: []kernels.DType{kernels.FP32, kernels.FP16}}), b
}

// fast is the part of the points below that most fast kernels share.
const fast = "mma=mma_sync loader=cp_async smem_layout=xor exp2=true "

// empty leaves some blocks no keys: theirs are fewer tiles than shares.
const empty = "block_q=16 warps=1 block_kv=80 kv_groups=2 split_kv=4 combine=separate overlap=pv rescale=lazy"

// TestAttention: points that between them use every partial of the family are right at every check shape, without a
// race, and kernels with a mistake are found out.
func TestAttention(t *testing.T) {
	sometimes(t)
	pool, b := attentionPool(t)
	tried := 0
	for name, genes := range map[string]string{ // in another order each time
		"naive": "",
		"wmma": "mma=wmma loader=vec16 stages=2 smem_layout=padded split_kv=2 combine=separate block_kv=48 " +
			"memory=dynamic exp2=true",
		"halves":    "mma=wmma acc=fp16 o_acc=fp16 loader=cp_async block_q=16 warps=2",
		"plain":     "mma=mma_sync block_q=64 exp2=true",
		"registers": "mma=mma_sync q=registers loader=vec16 smem_layout=padded stages=2 warps=2 exp2=true",
		"alternate": fast + "block_q=64 block_kv=80 q=registers rescale=lazy exp_fma=1",
		"groups":    fast + "kv_groups=2 warps=2 block_kv=16 stages=2 overlap=next_qk q=registers",
		"apart":     fast + "waits=apart kv_groups=2 warps=2 block_kv=16 stages=2 overlap=pv",
		"ahead":     fast + "waits=apart kv_groups=4 warps=1 block_q=32 block_kv=16 stages=3 q=registers rescale=lazy",
		"producers": fast + "producers=1 warps=2 stages=2 grid=persistent grid_cap=1 order=longest block_q=64",
		"split":     fast + "split_kv=4 combine=last_block warps=2 block_kv=16 stages=3 overlap=pv kv_groups=2",
		"shares":    fast + empty,
		"half_sums": fast + "acc=fp16 o_acc=fp16 warps=2 stages=2 order=heads l2_window=false",
	} {
		if tried++; Sampled() && tried > 4 {
			break
		}
		t.Run(name, func(t *testing.T) {
			job := pointOf(t, pool, b, genes)
			r, err := pool.Evaluate(context.Background(), &job)
			if err != nil || r.Outcome != kernels.OK {
				t.Errorf("%s: %v (%s), %v", genes, r.Outcome, r.Detail, err)
			}
		})
	}
	for name, c := range map[string]struct{ genes, right, wrong string }{
		"scale":   {"", "0.125f", "0.127f"},
		"no_mask": {fast + "warps=2", "if (8 * j + e >= seen)", "if (8 * j + e >= seen + 1)"},
		"no_rescale": {fast + "warps=2 q=registers", "shrink[i][half] = weight<D>(most[i][half], now);",
			"shrink[i][half] = 1.f;"},
		"other_head": {fast + "warps=2 stages=2", "V = in.V + head;", "V = in.V + head - (w.head > 0 ? D : 0);"},
		"no_barrier": {fast + "warps=2 stages=2 q=registers", "__syncthreads();  // this round has landed",
			"// this round has landed"},
		"values_not_awaited": {fast + "waits=apart warps=2 stages=2 q=registers",
			"cp_async_wait<2 * STAGES - 2>();", ""},
		"share_not_weighed": {fast + "warps=2 split_kv=2 combine=separate", "const float w = weight<D>(stat[i].x, most);",
			"const float w = 1.f;"},
		"queries_awaited": {fast + empty, "where those land.\n    cp_async_wait<0>();", ""},
	} {
		t.Run(name, func(t *testing.T) {
			job := pointOf(t, pool, b, c.genes)
			if !strings.Contains(job.Source, c.right) {
				t.Fatalf("the source has no %q", c.right)
			}
			job.Source = strings.Replace(job.Source, c.right, c.wrong, 1)
			job.ID = kernels.NewID(job.Source, b.Families[0].PlanSpec, name)
			want := kernels.Wrong
			if name == "no_barrier" || name == "queries_awaited" || name == "values_not_awaited" {
				want = kernels.Crashed
			}
			r, err := pool.Evaluate(context.Background(), &job)
			if err != nil || r.Outcome != want {
				t.Errorf("%v (%s), %v: expected %v", r.Outcome, r.Detail, err, want)
			}
		})
	}
}
