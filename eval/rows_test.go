package eval

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/kernels"
	"darwarp/templates"
)

// builtinPool opens the cpu device on a built-in problem, with one small size to be timed.
func builtinPool(t *testing.T, name string, d kernels.DType, size string, races bool) (*Pool, *templates.Bundle) {
	t.Helper()
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("THE MEMORY-BOUND KERNELS ARE NOT RUN: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	b, err := templates.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := b.Problem.FindWorkload(size)
	if err != nil {
		t.Fatal(err)
	}
	return openPool(t, Config{Kind: "cpu", Problem: b.Problem, Headers: templates.Include(), DType: d,
		Reference: b.ReferenceSource(d), Workloads: w, Cache: "hot", Races: races, Jobs: 2, CacheDir: testCache}), b
}

// change is a mistake put into the source of a family's naive start.
type change struct{ name, from, to string }

// TestMemoryBound: of each problem the naive start and a random point are right on the cpu device, and mistakes that
// people make are found out by the inputs that the problem asks for.
func TestMemoryBound(t *testing.T) {
	sometimes(t)
	for _, c := range []struct {
		problem string
		dtype   kernels.DType
		size    string
		wrong   []change
	}{
		{"softmax", kernels.FP32, "rows=3,cols=40", []change{
			{"no maximum", "return expf(x - top);", "return expf(x);"},
			{"the maximum of one thread", "top = team.reduce(top, [](float a, float b) { return fmaxf(a, b); });", ""},
		}},
		{"rmsnorm", kernels.FP16, "rows=3,cols=40", []change{
			{"squares in fp16", "fmaf(v[j], v[j], sum)", "sum + to_float(from_float<T>(v[j] * v[j]))"},
			{"a sum in fp16", "fmaf(v[j], v[j], sum)", "to_float(from_float<T>(fmaf(v[j], v[j], sum)))"},
		}},
		{"layernorm", kernels.FP32, "rows=3,cols=40", []change{
			{"a difference of means", "squares = fmaf(v[j] - mean, v[j] - mean, squares);",
				"squares += v[j] * v[j] - mean * mean;"},
			{"one term too few", "squares / cols", "squares / (cols - 1)"},
		}},
		{"transpose", kernels.BF16, "rows=40,cols=24", []change{
			{"a corner left out", "if (r >= rows || c >= cols) continue;",
				"if (r >= rows || c >= cols || (r == rows - 1 && c == cols - 1)) continue;"},
		}},
		{"reduction", kernels.FP32, "rows=3,cols=40", []change{
			{"the first column left out", "((long long)part * THREADS + threadIdx.x) * N;",
				"((long long)part * THREADS + threadIdx.x) * N + 1;"},
		}},
		{"bias_gelu_residual", kernels.FP32, "rows=3,cols=40", []change{
			{"by the hyperbolic tangent", "1.f + erff(t * 0.70710678f)",
				"1.f + tanhf(0.79788456f * (t + 0.044715f * t * t * t))"},
		}},
	} {
		if Sampled() && rand.IntN(2) == 0 {
			continue
		}
		t.Run(c.problem, func(t *testing.T) {
			pool, b := builtinPool(t, c.problem, c.dtype, c.size, false)
			f := b.Families[0]
			space, err := kernels.NewSpace(f, pool.Device(), c.dtype, nil)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(7, 7))
			points := []kernels.Genome{space.Genome(space.At(space.Sample(rng))), f.Defaults()}
			if Sampled() {
				points = points[:1] // what is wrong below is made of the default
			}
			for _, g := range points {
				job, err := b.Job(f, g, pool.Device(), c.dtype)
				if err != nil {
					t.Fatal(err)
				}
				if r, err := pool.Evaluate(context.Background(), &job); err != nil || r.Outcome != kernels.OK {
					t.Errorf("%s: %v (%s), %v", g.Key(), r.Outcome, r.Detail, err)
				}
			}
			for _, w := range c.wrong {
				job, err := b.Job(f, f.Defaults(), pool.Device(), c.dtype)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(job.Source, w.from) {
					t.Fatalf("%s: the source has no %q", w.name, w.from)
				}
				job.Source = strings.ReplaceAll(job.Source, w.from, w.to)
				job.ID = kernels.NewID(job.Source, f.PlanSpec, w.name)
				if r, err := pool.Evaluate(context.Background(), &job); err != nil || r.Outcome != kernels.Wrong {
					t.Errorf("%s: %v (%s), %v: expected wrong", w.name, r.Outcome, r.Detail, err)
				}
			}
		})
	}
}
