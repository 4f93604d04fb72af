package eval

import (
	"context"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/kernels"
	"darwarp/templates"
)

// latentDims are b, h, t, s, page and least of a size.
func latentDims(sizes ...int) kernels.Dims {
	d := kernels.Dims{}
	for i, name := range []string{"b", "h", "t", "s", "page", "least"} {
		d[name] = sizes[i]
	}
	return d
}

// latentPool opens the cpu device, looking for races, on the real problem at sizes for a test: several tiles, sequences
// of one key, tokens that see no key, two tiles of queries of which the second is not full, pages of part of a tile and
// of all of it.
func latentPool(t *testing.T) (*Pool, *templates.Bundle) {
	t.Helper()
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("DECODE IS NOT TESTED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	b, err := templates.Builtin("decode_mla")
	if err != nil {
		t.Fatal(err)
	}
	p := b.Problem
	p.Check.Shapes = []kernels.Dims{latentDims(2, 2, 1, 200, 0, 200), latentDims(4, 3, 3, 70, 16, 1),
		latentDims(1, 35, 2, 66, 64, 66)}
	p.Check.Draw = nil
	p.Check.Inputs = []string{"normal"}
	p.Workloads = []kernels.Workload{{Name: "test", Dims: latentDims(1, 33, 2, 70, 0, 1), Weight: 1}}
	return openPool(t, Config{Kind: "cpu", Problem: p, Headers: templates.Include(), DType: kernels.BF16,
		Reference: b.ReferenceSource(kernels.BF16), Workloads: p.Workloads, Cache: "hot", Races: true,
		CacheDir: testCache}), b
}

// TestDecodeMLA: points that between them use every partial of both families are right at every check shape, without a
// race, and kernels with a mistake that such kernels have are found out.
func TestDecodeMLA(t *testing.T) {
	sometimes(t)
	pool, b := latentPool(t)
	const ring = "parts=3 "
	const spare = ring + "splits=8 combine=last_block" // more shares than tiles
	for name, c := range map[string]struct {
		family int
		genes  string
	}{
		"plain":   {0, "warps=2 split_by=number splits=2 combine=last_block exp2=true"},
		"waves":   {0, "rows=2 share=cache order=heads"},
		"one":     {1, "rescale=lazy"},
		"cluster": {1, ring + "cluster=2 splits=2 combine=last_block order=heads"},
		"shares":  {1, "parts=9 cluster=2 split_by=waves waves=1 share=cache"},
		"spare":   {1, spare},
	} {
		t.Run(name, func(t *testing.T) {
			job := pointOfFamily(t, pool, b, b.Families[c.family], c.genes)
			r, err := pool.Evaluate(context.Background(), &job)
			if err != nil || r.Outcome != kernels.OK {
				t.Errorf("%s: %v (%s), %v", c.genes, r.Outcome, r.Detail, err)
			}
		})
	}
	for name, c := range map[string]struct {
		planted
		want kernels.Outcome
	}{
		"own_maximum":  {planted{ring, "fmaxf(mine[half], others[half])", "mine[half]"}, kernels.Wrong},
		"half_the_sum": {planted{ring, "sums[0] += others[0], ", "sums[0] += 0.f, "}, kernels.Wrong},
		"next_page":    {planted{ring, "min(key, w.length - 1), pages", "min(key + 16, w.length - 1), pages"}, kernels.Wrong},
		"causal":       {planted{ring, "(in.t - 1 - of_group", "(in.t - 2 - of_group"}, kernels.Wrong},
		"weights_late": {planted{ring, "mbarrier_wait(ring.weighed(), phase);", ""}, kernels.Crashed},
		"negative": {planted{spare, "mbarrier_wait(ring.weighed(), phase ^ 1);",
			"mbarrier_wait(ring.weighed(), (w.end - w.begin) % 2);"}, kernels.Crashed},
	} {
		t.Run(name, func(t *testing.T) {
			job := pointOfFamily(t, pool, b, b.Families[1], c.genes)
			if !strings.Contains(job.Source, c.right) {
				t.Fatalf("the source has no %q", c.right)
			}
			job.Source = strings.Replace(job.Source, c.right, c.wrong, 1)
			job.ID = kernels.NewID(job.Source, b.Families[1].PlanSpec, name)
			r, err := pool.Evaluate(context.Background(), &job)
			if err != nil || r.Outcome != c.want {
				t.Errorf("%v (%s), %v: expected %v", r.Outcome, r.Detail, err, c.want)
			}
		})
	}
}
