package eval

import (
	"math/rand/v2"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// small is the configuration of the cpu device for one size.
func small(t *testing.T, b *templates.Bundle, d kernels.DType, size string) Config {
	t.Helper()
	w, err := b.Problem.FindWorkload(size)
	if err != nil {
		t.Fatal(err)
	}
	cfg := emulated(b, d)
	cfg.Workloads, cfg.Jobs = w, 2
	return cfg
}

// TestMemoryBound: of each problem the naive start and a random point are right on the cpu device, and mistakes that
// people make are found out by the inputs that the problem asks for.
func TestMemoryBound(t *testing.T) {
	for _, c := range []struct {
		problem string
		dtype   kernels.DType
		size    string
		wrong   []attempt
	}{
		{"softmax", kernels.FP32, "rows=3,cols=40", []attempt{
			{"", "no maximum", "", "return expf(x - top);", "return expf(x);", kernels.Wrong},
			{"", "the maximum of one thread", "", "top = team.reduce(top, [](float a, float b) { return fmaxf(a, b); });", "",
				kernels.Wrong},
		}},
		{"rmsnorm", kernels.FP16, "rows=3,cols=40", []attempt{
			{"", "squares in fp16", "", "fmaf(v[j], v[j], sum)", "sum + to_float(from_float<T>(v[j] * v[j]))", kernels.Wrong},
			{"", "a sum in fp16", "", "fmaf(v[j], v[j], sum)", "to_float(from_float<T>(fmaf(v[j], v[j], sum)))", kernels.Wrong},
		}},
		{"layernorm", kernels.FP32, "rows=3,cols=40", []attempt{
			{"", "a difference of means", "", "squares = fmaf(v[j] - mean, v[j] - mean, squares);",
				"squares += v[j] * v[j] - mean * mean;", kernels.Wrong},
			{"", "one term too few", "", "squares / cols", "squares / (cols - 1)", kernels.Wrong},
		}},
		{"transpose", kernels.BF16, "rows=40,cols=24", []attempt{
			{"", "a corner left out", "", "if (r >= rows || c >= cols) continue;",
				"if (r >= rows || c >= cols || (r == rows - 1 && c == cols - 1)) continue;", kernels.Wrong},
		}},
		{"reduction", kernels.FP32, "rows=3,cols=40", []attempt{
			{"", "the first column left out", "", "((long long)part * THREADS + threadIdx.x) * N;",
				"((long long)part * THREADS + threadIdx.x) * N + 1;", kernels.Wrong},
		}},
		{"bias_gelu_residual", kernels.FP32, "rows=3,cols=40", []attempt{
			{"", "by the hyperbolic tangent", "", "1.f + erff(t * 0.70710678f)",
				"1.f + tanhf(0.79788456f * (t + 0.044715f * t * t * t))", kernels.Wrong},
		}},
	} {
		t.Run(c.problem, func(t *testing.T) {
			b := builtin(t, c.problem)
			attempts := append(c.wrong, attempt{name: "naive"})
			jobs := rendered(t, b, c.dtype, attempts)
			Sometimes(t)
			needCXX(t)
			pool := openPool(t, small(t, b, c.dtype, c.size))
			judgeAttempts(t, pool, append(attempts, attempt{name: "drawn"}), append(jobs, drawnJob(t, b, pool)))
		})
	}
}

// drawnJob is a point at random.
func drawnJob(t *testing.T, b *templates.Bundle, pool *Pool) kernels.Job {
	t.Helper()
	f, dtype := b.Families[0], pool.Cfg.DType
	space, err := kernels.NewSpace(f, pool.Device(), dtype, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := space.Genome(space.At(space.Sample(rand.New(rand.NewPCG(7, 7)))))
	t.Log(g.Key())
	job, err := b.Job(f, g, pool.Device(), dtype)
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// TestScoredRows: rows that no workload of a run has go to kernels that read them again. Those are right, too, and what
// is wrong there is found out, though it is never timed.
func TestScoredRows(t *testing.T) {
	const kept = "keep=registers vector=8 threads_per_row=32 items=1"
	for _, c := range []struct{ problem, size, genes, wrong string }{
		{"softmax", "rows=3,cols=256", kept + " exp=exp2", "softmax_again<VECTOR, 1>(x, y, rows, cols);"},
		{"rmsnorm", "rows=3,cols=512", kept, "rmsnorm_again<1, 1>(x, weight, y, rows, cols);"},
		{"layernorm", "rows=3,cols=257", kept, "layernorm_again<VECTOR, 1>(x, weight, bias, y, rows, cols);"},
	} {
		t.Run(c.problem, func(t *testing.T) {
			whole := builtin(t, c.problem)
			loads, err := whole.Problem.FindWorkload(c.size)
			if err != nil {
				t.Fatal(err)
			}
			b, err := whole.For(loads)
			if err != nil {
				t.Fatal(err)
			}
			gateAttempts(t, small(t, b, kernels.FP16, c.size), b, []attempt{
				{name: "as they are", genes: c.genes},
				{"", "never written", c.genes, c.wrong, "", kernels.Wrong},
			})
		})
	}
}
