package eval

import (
	"context"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/kernels"
	"darwarp/templates"
)

// backwardPool opens the cpu device, looking for races, on the real problem attention_backward at sizes for a test: one
// key, and sequences that end beside tiles, full and causal. What the forward pass has saved is made on the device.
func backwardPool(t *testing.T, d int, change ...func(*kernels.Problem)) (*Pool, *templates.Bundle) {
	t.Helper()
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("ATTENTION_BACKWARD IS NOT TESTED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	b, err := templates.Builtin("attention_backward")
	if err != nil {
		t.Fatal(err)
	}
	size := func(s, causal int) kernels.Dims {
		return kernels.Dims{"b": 1, "h": 1, "s": s, "d": d, "causal": causal}
	}
	loads := []kernels.Workload{{Name: "test", Dims: size(40, 1), Weight: 1}}
	if b, err = b.For(loads); err != nil {
		t.Fatal(err)
	}
	p := b.Problem
	p.Check.Shapes = []kernels.Dims{size(1, 0), size(70, 1), size(50, 0)}
	p.Check.Draw = nil
	p.Check.Inputs = []string{"normal", "wide"}
	p.Workloads = loads
	for _, f := range change {
		f(p)
	}
	return openPool(t, Config{Kind: "cpu", Problem: p, Headers: templates.Include(), DType: kernels.FP16,
		Reference: b.ReferenceSource(kernels.FP16), Workloads: p.Workloads, Cache: "hot", Races: true,
		CacheDir: testCache}), b
}

// TestAttentionBackward: a point of each family, with most of what it has, is right at every check shape, without a
// race.
// What kernels get wrong here is in the problem gradients of the gate's own test.
func TestAttentionBackward(t *testing.T) {
	sometimes(t)
	pool, b := backwardPool(t, 64)
	for family, genes := range map[string]string{
		"warps": "others=4 delta=before order=heads",
		"tiled": "keys=32 keys_warps=2 queries=32 queries_warps=2 queries_step=32 loader=cp_async stages=3 " +
			"smem_layout=xor early=true launches=together order=longest",
		"hopper":  "keys_consumers=2 queries_step=48 order=longest",
		"onepass": "step=48 transposed=true stages=3 exchanges=2 dk=first",
	} {
		t.Run(family, func(t *testing.T) {
			f, err := b.Family(family)
			if err != nil {
				t.Fatal(err)
			}
			job := pointOfFamily(t, pool, b, f, genes)
			r, err := pool.Evaluate(context.Background(), &job)
			if err != nil || r.Outcome != kernels.OK {
				t.Errorf("%s: %v (%s), %v", genes, r.Outcome, r.Detail, err)
			}
		})
	}
}

// TestOnePass: two warpgroups that share dQ, by its columns and transposed, are right, and so are lanes that add it
// and a dK that waits for the next step.
func TestOnePass(t *testing.T) {
	sometimes(t)
	pool, b := backwardPool(t, 128)
	f, err := b.Family("onepass")
	if err != nil {
		t.Fatal(err)
	}
	for _, genes := range []string{
		"consumers=2 dq=next dv=last exchanges=2",
		"consumers=2 step=80 transposed=true dv=last order=heads adder=lanes",
		"consumers=2 step=48 transposed=true dv=last dk=next stages=3 exchanges=2",
	} {
		job := pointOfFamily(t, pool, b, f, genes)
		r, err := pool.Evaluate(context.Background(), &job)
		if err != nil || r.Outcome != kernels.OK {
			t.Errorf("%s: %v (%s), %v", genes, r.Outcome, r.Detail, err)
		}
	}
}

// TestOrderedSums: blocks that add to dQ in order have the same bits under every order of blocks, which a problem
// without atomics asks for.
func TestOrderedSums(t *testing.T) {
	sometimes(t)
	pool, b := backwardPool(t, 64, func(p *kernels.Problem) {
		p.Check.Atomics = false
		p.Check.Shapes = []kernels.Dims{{"b": 4, "h": 1, "s": 150, "d": 64, "causal": 0}}
	})
	f, err := b.Family("onepass")
	if err != nil {
		t.Fatal(err)
	}
	job := pointOfFamily(t, pool, b, f, "adds=ordered")
	r, err := pool.Evaluate(context.Background(), &job)
	if err != nil || r.Outcome != kernels.OK {
		t.Errorf("%v (%s), %v", r.Outcome, r.Detail, err)
	}
}
