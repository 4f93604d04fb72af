package eval

import (
	"context"
	"strings"
	"testing"

	"darwarp/eval/env"
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

// decodePool opens the cpu device, looking for races, on a real decode problem at sizes for a test: sequences of one
// key and of 70 at least, tokens that see no key, more queries than a tile has rows, pages, a window and a cap.
func decodePool(t *testing.T, problem string) (*Pool, *templates.Bundle) {
	t.Helper()
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("DECODE IS NOT TESTED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	b, err := templates.Builtin(problem)
	if err != nil {
		t.Fatal(err)
	}
	p := b.Problem
	p.Check.Shapes = []kernels.Dims{decodeDims(4, 2, 3, 1, 70, 64, 0, 1, 0, 0),
		decodeDims(4, 1, 2, 9, 80, 64, 16, 1, 0, 0), decodeDims(4, 1, 2, 2, 75, 128, 32, 1, 20, 0),
		decodeDims(2, 1, 1, 2, 67, 128, 0, 67, 0, 30)}
	p.Check.Inputs = []string{"normal", "wide"}
	p.Workloads = []kernels.Workload{{Name: "test", Dims: decodeDims(4, 1, 2, 1, 64, 64, 0, 1, 0, 0), Weight: 1}}
	return openPool(t, Config{Kind: "cpu", Problem: p, Headers: templates.Include(), DType: kernels.BF16,
		Reference: b.ReferenceSource(kernels.BF16), Workloads: p.Workloads, Cache: "hot", Races: true,
		CacheDir: testCache}), b
}

// streamed is the part of the points below that most fast kernels share.
const streamed = "mma=mma_sync smem_layout=xor exp2=true "

// TestDecode: points that between them use every partial of the family are right at every check shape, without a race,
// and kernels with a mistake that decode kernels have are found out.
func TestDecode(t *testing.T) {
	sometimes(t)
	pool, b := decodePool(t, "decode")
	tried := 0
	for name, genes := range map[string]string{ // in another order each time
		"naive":      "",
		"naive_last": "split_by=number splits=4 combine=last_block order=heads exp2=true",
		"plain":      "mma=mma_sync warps=1",
		"padded":     "mma=mma_sync smem_layout=padded tile=32 stages=2 exp2=true split_by=number splits=2",
		"stages":     streamed + "stages=3 warps=2 split_by=number splits=8 share=cache q=registers order=heads",
		"waves":      streamed + "m_tiles=2 stages=2 split_by=waves waves=1 combine=last_block warps=2",
		"tiles":      streamed + "tile=64 warps=1 stages=2 q=registers split_by=number splits=2",
	} {
		if tried++; Sampled() && tried > 3 {
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
	findsOut(t, pool, b, map[string]planted{
		"no_maximum": {streamed + "split_by=number splits=2 warps=1",
			"w = weight<D>(whole.x, most), v = weight<D>(other.x, most)", "w = 1.f, v = 1.f"},
		"next_page": {streamed, "const int page = __ldg(in.table",
			"const int page = __ldg(in.table + (key + 16 < w.length)"},
		"causal":   {"", "length - (in.t - 1 - of_group % in.t)", "length - (in.t - of_group % in.t) + (in.t == 1)"},
		"all_seen": {streamed, "if (key >= seen ||", "if (key >= w.length ||"},
		"own_shares": {streamed + "split_by=number splits=2 combine=last_block", "fmaf(v, other.y, w * whole.y)",
			"w * whole.y"},
		"base_two":       {"", "+ logf(whole.y)", "+ log2f(whole.y)"},
		"token_as_head":  {"", "of_group % in.t", "of_group / (in.group / in.t)"},
		"ring_too_short": {streamed + "stages=2 warps=1", "fill(i + STAGES - 1);", "fill(i + STAGES - 1); fill(i + STAGES);"},
	})
}

// planted is a mistake in a point: what is right in its source, and what stands there instead.
type planted struct{ genes, right, wrong string }

// findsOut tells that the gate refuses points with a mistake. Copies to a stage that is not free yet are a race.
func findsOut(t *testing.T, pool *Pool, b *templates.Bundle, mistakes map[string]planted) {
	for name, c := range mistakes {
		t.Run(name, func(t *testing.T) {
			job := pointOf(t, pool, b, c.genes)
			if !strings.Contains(job.Source, c.right) {
				t.Fatalf("the source has no %q", c.right)
			}
			job.Source = strings.Replace(job.Source, c.right, c.wrong, 1)
			job.ID = kernels.NewID(job.Source, b.Families[0].PlanSpec, name)
			want := kernels.Wrong
			if name == "ring_too_short" {
				want = kernels.Crashed
			}
			r, err := pool.Evaluate(context.Background(), &job)
			if err != nil || r.Outcome != want {
				t.Errorf("%v (%s), %v: expected %v", r.Outcome, r.Detail, err, want)
			}
		})
	}
}

// TestDecodeFP8: what the family does otherwise where the cache is e4m3 is right, too, without a race: both ways to
// widen codes in bf16, queries in either place, scales and logarithms of sums with and without shares of keys.
func TestDecodeFP8(t *testing.T) {
	sometimes(t)
	pool, b := decodePool(t, "decode_fp8")
	tried := 0
	for name, genes := range map[string]string{ // in another order each time
		"naive": "split_by=number splits=2",
		"bits":  streamed + "stages=2 split_by=number splits=4 combine=last_block",
		"cuda":  streamed + "widen=cuda q=registers m_tiles=2 warps=2",
		"tiles": streamed + "widen=cuda tile=32 stages=2 warps=2 split_by=waves waves=1",
	} {
		if tried++; Sampled() && tried > 2 {
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
	findsOut(t, pool, b, map[string]planted{
		"scale_of_first":  {streamed, "in.K_scale + head % in.h", "in.K_scale"},
		"values_unscaled": {streamed, "sum[e] *= w.value_scale", "sum[e] *= w.key_scale"},
		"base_two":        {streamed, "+ logf(whole.y)", "+ log2f(whole.y)"},
	})
}
