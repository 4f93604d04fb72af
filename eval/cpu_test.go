package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"darwarp/eval/env"
	"darwarp/eval/internal/rig"
	"darwarp/kernels"
	"darwarp/kernels/expr"
	"darwarp/kernels/kernelstest"
	"darwarp/templates"
)

// cpuPool opens a pool over the real cpu device on the scale problem.
func cpuPool(t *testing.T, races bool) *Pool {
	t.Helper()
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("THE CPU DEVICE IS NOT TESTED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	p := kernelstest.Problem(t, kernelstest.Scale)
	return openPool(t, Config{Kind: "cpu", Problem: p, Headers: templates.Include(),
		DType: kernels.FP32,
		Reference: "extern \"C\" __global__ void reference(const float *x, double *y, float *s, int n) {\n" +
			"for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = 2.0 * x[i], s[i] = 2 * fabsf(x[i]); }",
		Workloads: p.Workloads, Cache: "hot", Races: races, Means: Means{Jobs: 1, CacheDir: testCache},
		Trust: Trust{Sandbox: SandboxBest}})
}

// cpuJob is a candidate with the given statements as the body of a kernel of 256 threads a block; i is
// the thread's element.
func cpuJob(t *testing.T, p *Pool, body string) *kernels.Job {
	t.Helper()
	spec := kernels.PlanSpec{Launches: []kernels.LaunchSpec{{Entry: "scale", Grid: []string{"ceil_div(n, 256)"},
		Block: []string{"256"}, Args: []string{"x", "y", "n"}}}}
	plan, err := kernels.CompilePlan("test", spec, p.Cfg.Problem,
		expr.Scope{"n": 0, "device": kernels.Device{}, "elem": 0})
	if err != nil {
		t.Fatal(err)
	}
	src := fmt.Sprintf("extern \"C\" __device__ int system(const char *); __constant__ int CONSTANTS[4] = {6, 6, 6, 6};\n"+
		"extern \"C\" __global__ void scale(const float *x, float *y, int n) {\nint i = blockIdx.x * 256 + threadIdx.x;\n"+
		"%s\n}\n", body)
	return &kernels.Job{ID: kernels.NewID(src, spec, "test"), Source: src, Plan: plan, Acc: kernels.FP32,
		Env: expr.Env{"device": p.Device(), "elem": 4}, Bar: kernels.NewBar(map[string]float64{"4096": 1e6})}
}

const rightBody = "if (i < n) y[i] = 2 * x[i];"

func TestCPUVerdicts(t *testing.T) {
	pool := cpuPool(t, false)
	verdicts := []struct {
		name, body string
		want       kernels.Outcome
		explain    string
	}{
		{"right", rightBody, kernels.OK, ""},
		{"wrong", "if (i < n) y[i] = 2.001f * x[i];", kernels.Wrong, "expected"},
		{"leaves_out_the_scored_size", "if (i < n && n != 4096) y[i] = 2 * x[i];", kernels.Wrong, "4096"},
		{"one_too_few", "if (i < n - (n > 1)) y[i] = 2 * x[i];", kernels.Wrong, "1025"},
		{"reads_the_output", "if (i < n) y[i] = n == 4096 ? 2 * x[i] + 0 * y[i] : 2 * x[i];", kernels.Wrong, "4096"},
		{"one_too_many", "if (i <= n) y[i] = i < n ? 2 * x[i] : 0;", kernels.Suspect, "outside of its buffers"},
		{"mutates", rightBody + " if (n == 4096 && i == 5) const_cast<float*>(x)[5] *= 1.0000001f;", kernels.Suspect,
			"its input x"},
		{"wild", rightBody + " if (i == 7) *(volatile int*)8 = 1;", kernels.Crashed, "SIGSEGV"},
		{"far_stray", rightBody + " if (n == 4096 && i == 7) y[1 << 20] = 1;", kernels.Crashed, "segmentation"},
		{"half_where_nobody_cleaned_up", "if (i < n) { float before = y[i]; y[i] = before != before ? 2 * x[i] : x[i]; }",
			kernels.Flaky, "different bits"},
		{"hangs", rightBody + " volatile int go = 1; while (go) {}", kernels.TimedOut, "did not finish"},
		{"137_kB_of_static_shared_memory", "__shared__ float s[34250]; s[threadIdx.x] = i < n ? 2 * x[i] : 0; " +
			"if (i < n) y[i] = s[threadIdx.x];", kernels.CompileFailed, "has 137000 bytes of static shared data, at most 49152"},
		{"typo", "if (i < n) y[i] = 2 * z[i];", kernels.CompileFailed, "candidate.cu:4:23: error: 'z' was not declared"},
		{"ptx", "asm volatile(\"mov.u32 %%0, %%%%laneid;\" : \"=r\"(i));", kernels.Unsupported, "candidate.cu:4: inline PTX"},
		{"disguised_ptx", "#define GLUE(a, b) a##b\nGLUE(as, m)(\"nop\");", kernels.Unsupported, "poisoned"},
		{"intrinsic", "if (i < n) y[i] = __no_such_thing(x[i]);", kernels.Unsupported, "'__no_such_thing' was not declared"},
		{"host_call", rightBody + " if (i == 0) system(\"true\");", kernels.Unsupported, "does not have system"},
		{"keeps", rightBody + " static int calls; calls++;", kernels.Suspect,
			"keeps calls (4 bytes) in memory that outlives a call"},
		{"keeps_in_heap", rightBody + " if (n == 77) y[0] = (new float[1 << 20])[i];", kernels.Suspect,
			"keeps memory of malloc and new"},
		{"reads_constants", "static const float two[4] = {2, 2, 2, 2}; if (i < n) y[i] = two[i & 3] * x[i] * (CONSTANTS[i " +
			"& 3] - 5);", kernels.OK, ""},
		{"keeps_in_constants",
			rightBody + " volatile int* p = const_cast<volatile int*>(CONSTANTS); if (n == 4096) p[0] = 7;",
			kernels.Crashed, "segmentation"},
		{"keeps_in_a_table", rightBody + " static const int table[4] = {1, 2, 3, 4}; volatile int* p = " +
			"const_cast<int*>(table); if (n == 4096) p[0] = 7;", kernels.Crashed, "segmentation"},
		{"for_another_compiler", rightBody + "}\n#ifdef __NVCC__\nint p = system(\"true\");\n#endif\n__device__ void f() {",
			kernels.CompileFailed, "line 5: #if on __NVCC__"},
		{"for_the_host", rightBody + "}\nint p = 1;\n__device__ void f() {",
			kernels.CompileFailed, "line 5: int p"},
		{"commented_asm", rightBody + " // asm(\"\")", kernels.Duplicate, "same machine code"},
	}
	for _, c := range verdicts {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "hangs" {
				defer soon(2*time.Second/rig.EmulatedFloors, 10*time.Second)()
			}
			r, err := pool.Evaluate(context.Background(), cpuJob(t, pool, c.body))
			if err != nil || r.Outcome != c.want || !strings.Contains(r.Detail, c.explain) {
				t.Errorf("%v (%s), %v: expected %v (... %s ...)", r.Outcome, r.Detail, err, c.want, c.explain)
			}
		})
	}
	after := cpuJob(t, pool, rightBody)
	after.Source += "// once more\n"
	if r, err := pool.Evaluate(context.Background(), after); err != nil || r.Outcome != kernels.OK || len(r.Times) != 1 ||
		r.Times[0].Median <= 0 {
		t.Errorf("after all that: %+v, %v", r, err)
	}
	inParts(t, pool)
	for _, c := range verdicts {
		if c.name == "hangs" || c.want == kernels.CompileFailed || c.want == kernels.Unsupported {
			continue // the slots say nothing of it
		}
		r, err := pool.Evaluate(context.Background(), cpuJob(t, pool, c.body))
		if err != nil || r.Outcome != c.want || !strings.Contains(r.Detail, c.explain) {
			t.Errorf("in parts, %s: %v (%s), %v: expected %v (... %s ...)", c.name, r.Outcome, r.Detail, err, c.want, c.explain)
		}
	}
}

func TestCPURaces(t *testing.T) {
	pool := cpuPool(t, true)
	for _, c := range []struct {
		name, body string
		want       kernels.Outcome
		explain    []string
	}{
		{"right", rightBody, kernels.OK, nil},
		{"missing_barrier", "__shared__ float s[256];\ns[threadIdx.x] = i < n ? x[i] : 0;\n" +
			"if (i < n) y[i] = s[255 - threadIdx.x] == 12345 ? 0 : 2 * x[i];",
			kernels.Crashed, []string{"candidate.cu:6", "race: thread (", "with no barrier between", "candidate.cu:5"}},
		{"never_written", "__shared__ float s[257];\ns[threadIdx.x] = 1;\n__syncthreads();\n" +
			"if (i < n) y[i] = s[256] == 12345 ? 0 : 2 * x[i];",
			kernels.Crashed, []string{"candidate.cu:7: ", "uninitialised: "}},
		{"diverges", rightBody + "\nif (threadIdx.x < 128)\n__syncthreads();\nelse\n__syncthreads();", kernels.Crashed,
			[]string{"divergence: ", "candidate.cu:6", "candidate.cu:8"}},
		{"reads_past_the_end", "if (i < n) y[i] = x[i + 1] == 12345 ? 0 : 2 * x[i];", kernels.Crashed,
			[]string{"out_of_bounds: ", "past the end of x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := pool.Evaluate(context.Background(), cpuJob(t, pool, c.body))
			if err != nil || r.Outcome != c.want {
				t.Fatalf("%v (%s), %v: expected %v", r.Outcome, r.Detail, err, c.want)
			}
			for _, part := range c.explain {
				if !strings.Contains(r.Detail, part) {
					t.Errorf("%q lacks %q", r.Detail, part)
				}
			}
			if (len(r.Sites) > 0) != (c.want == kernels.OK) {
				t.Errorf("%d access sites", len(r.Sites))
			}
			for _, s := range r.Sites {
				if s.File != "candidate.cu" || s.Line == 0 {
					t.Errorf("an access at %s:%d", s.File, s.Line)
				}
			}
		})
	}
}

// TestCPUEvidence: what a candidate's figures stand on says that they are CPU times, whether it was timed or is so far
// behind the bar that its run at the gate is its figure.
func TestCPUEvidence(t *testing.T) {
	pool := cpuPool(t, false)
	d := pool.Provenance().Device
	if d.Kind != "cpu" || !strings.Contains(d.Label(), "CPU times") || !strings.Contains(d.Toolchain, "emulation") ||
		d.CC != 90 {
		t.Errorf("device %+v", d)
	}
	slow := cpuJob(t, pool, rightBody+" if (i < n) for (int k = 0; k < 1000; ++k) y[i] += 0 * k;")
	for _, c := range []struct {
		job  *kernels.Job
		bar  float64 // 0: none, which nobody is behind
		tier string
	}{{cpuJob(t, pool, rightBody), 0, "fitness"}, {slow, 1, "gate"}} {
		c.job.Bar = kernels.NewBar(map[string]float64{"4096": c.bar})
		r, err := pool.Evaluate(context.Background(), c.job)
		if err != nil || r.Outcome != kernels.OK {
			t.Fatalf("%v (%s), %v", r.Outcome, r.Detail, err)
		}
		if len(r.Times) != 1 || r.Times[0].Tier != c.tier || !slices.Equal(r.Times[0].Tags, []string{"CPU time"}) ||
			r.Code == "" || r.Gate.Checks != len(pool.Cases.Gated()) {
			t.Errorf("result %+v, gate %+v", r, r.Gate)
		}
	}
	again := cpuJob(t, pool, "if (i < n) y[i] = x[i] + x[i];")
	final, err := pool.Final(context.Background(), again)
	if err != nil || final.Outcome != kernels.OK || len(final.Times) != 2 {
		t.Errorf("final %+v, %v", final, err)
	}
	duel, err := pool.Duel(context.Background(), slow, again)
	// On a busy machine every block of pairs may be discarded. Where one counts, the sides are many times apart.
	noisy := func(r kernels.DuelRound) bool { return r.Pairs == 0 && r.Discarded > 0 }
	if err != nil || duel.Verdict == kernels.Slower || len(duel.Rounds) == 0 ||
		!noisy(duel.Rounds[0]) && duel.Rounds[0].Ratio > 0.5 || noisy(duel.Rounds[0]) && duel.Verdict != kernels.Ambiguous {
		t.Errorf("duel %+v, %v", duel, err)
	}
}
