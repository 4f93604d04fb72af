package eval

import (
	"context"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/kernels"
	"darwarp/templates"
)

// prefillDims are b, h, g, m, n, d, causal, window, cap and even of a size.
func prefillDims(sizes ...int) kernels.Dims {
	d := kernels.Dims{}
	for i, name := range []string{"b", "h", "g", "m", "n", "d", "causal", "window", "cap", "even"} {
		d[name] = sizes[i]
	}
	return d
}

// prefillPool opens the cpu device, looking for races, on the real prefill problem at sizes for a test: queries that
// see no key, a window, a cap, and values shorter than keys.
func prefillPool(t *testing.T) (*Pool, *templates.Bundle) {
	t.Helper()
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("PREFILL IS NOT TESTED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	b, err := templates.Builtin("prefill")
	if err != nil {
		t.Fatal(err)
	}
	p := b.Problem
	if err := p.Fix(kernels.Fixed{"d": {192}}); err != nil {
		t.Fatal(err)
	}
	p.Check.Shapes = []kernels.Dims{prefillDims(4, 2, 2, 50, 40, 192, 1, 0, 0, 0),
		prefillDims(3, 1, 1, 40, 66, 192, 1, 20, 0, 0), prefillDims(2, 1, 1, 34, 40, 192, 0, 9, 30, 0),
		prefillDims(1, 1, 1, 70, 90, 192, 1, 20, 0, 1)} // two warpgroups, and tiles that one of them does not see
	p.Check.Draw = nil
	p.Check.Inputs = []string{"normal", "wide"}
	p.Workloads = []kernels.Workload{{Name: "test", Dims: prefillDims(2, 1, 2, 40, 40, 192, 1, 0, 0, 0), Weight: 1}}
	return openPool(t, Config{Kind: "cpu", Problem: p, Headers: templates.Include(), DType: kernels.BF16,
		Reference: b.ReferenceSource(kernels.BF16), Workloads: p.Workloads, Cache: "hot", Races: true,
		CacheDir: testCache}), b
}

// TestPrefill: points with most of what the families have are right at every check shape, without a race, and kernels
// with a mistake that such kernels have are found out.
func TestPrefill(t *testing.T) {
	sometimes(t)
	pool, b := prefillPool(t)
	const fast = "smem_layout=xor exp2=true "
	const turns = "consumers=2 block_kv=32 stages=2 turns=true grid=persistent "
	for i, genes := range []string{
		fast + "stages=3 warps=2 block_q=32 q=registers overlap=next_qk order=heads rescale=lazy",
		turns + "overlap=next_qk order=longest rescale=exponents exp_fma=2 cluster=2 store=chunks heads_at_once=8",
	} {
		t.Run(b.Families[i].Name, func(t *testing.T) {
			job := pointOfFamily(t, pool, b, b.Families[i], genes)
			r, err := pool.Evaluate(context.Background(), &job)
			if err != nil || r.Outcome != kernels.OK {
				t.Errorf("%s: %v (%s), %v", genes, r.Outcome, r.Detail, err)
			}
		})
	}
	for name, c := range map[string]struct {
		family              int
		genes, right, wrong string
	}{
		"window": {0, fast, "query + shift + 1 - window : 0", "query + shift + 2 - window : 0"},
		"slots":  {0, fast, "/ STRIP + sequence;", "/ STRIP + sequence / 2 * 2;"},
		"begin": {1, "block_kv=32 rescale=exponents grid=queue",
			"__any_sync(0xffffffffu, most[0] == LEAST || most[1] == LEAST)", "key0 == 0"},
		"boxes": {1, "block_kv=32", "w.start_k + (w.first + i) * BLOCK_KV", "w.start_k + i * BLOCK_KV"},
	} {
		t.Run(name, func(t *testing.T) {
			job := pointOfFamily(t, pool, b, b.Families[c.family], c.genes)
			if !strings.Contains(job.Source, c.right) {
				t.Fatalf("the source has no %q", c.right)
			}
			job.Source = strings.Replace(job.Source, c.right, c.wrong, 1)
			job.ID = kernels.NewID(job.Source, b.Families[c.family].PlanSpec, name)
			r, err := pool.Evaluate(context.Background(), &job)
			if err != nil || r.Outcome != kernels.Wrong {
				t.Errorf("%v (%s), %v: expected wrong", r.Outcome, r.Detail, err)
			}
		})
	}
}
