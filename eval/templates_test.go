package eval_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"darwarp/eval"
	"darwarp/eval/env"
	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
	"darwarp/templates"
)

// sample is how many points of each family are compiled for sm_80 and for sm_90a, and a quarter of them for the others:
// DARWARP_SAMPLE, or few enough for a test.
func sample(t *testing.T) int {
	if s := os.Getenv("DARWARP_SAMPLE"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("DARWARP_SAMPLE=%s: expected a number", s)
		}
		return n
	}
	return 3
}

// compiler is a pool for one architecture with the real NVRTC.
func compiler(t *testing.T, arch string) *compile.Pool {
	t.Helper()
	where := env.Locate()
	if where.NVRTC.Path == "" || len(where.Include) == 0 {
		t.Skipf("NO TEMPLATE IS COMPILED: NVRTC or its headers not found in %v; pip install nvidia-cuda-nvrtc "+
			"nvidia-cuda-runtime nvidia-cuda-cccl nvidia-cuda-crt, or set DARWARP_CUDA", where.NVRTC.Tried)
	}
	p, err := compile.New(t.Context(), compile.Config{Library: where.NVRTC.Path, IncludeDirs: where.Include,
		Headers: templates.Include(), Arch: arch})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// ofRun is a built-in problem as a run of one of its workloads has it. Where dims are fixed its sources have kernels
// for the values of that one; all of them together would take many times as long as whatever a run compiles.
func ofRun(t *testing.T, name string, which int) *templates.Bundle {
	t.Helper()
	b, err := templates.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	loads := b.Problem.Workloads
	if b, err = b.For(loads[which%len(loads):][:1]); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTemplatesCompile compiles the default and a sample of every built-in family, and every
// reference kernel, for the architectures that the families promise.
func TestTemplatesCompile(t *testing.T) {
	archs := []string{"sm_80", "sm_89", "sm_90a", "sm_100a"}
	for _, i := range eval.Some(0, 1, 2, 3) {
		arch := archs[i]
		t.Run(arch, func(t *testing.T) {
			dev, err := kernels.ArchDevice(arch)
			if err != nil {
				t.Fatal(err)
			}
			p := compiler(t, arch)
			compiles(t, p, "harness", gpu.HarnessSource)
			for _, name := range templates.Builtins() {
				b := ofRun(t, name, 5*i+3) // of prefill and attention with several head sizes
				for _, d := range someTypes(b.Problem) {
					compiles(t, p, name+" reference "+string(d), b.ReferenceSource(d))
				}
				for _, f := range b.Families {
					if f.Runs(dev) {
						t.Run(name+"_"+f.Name, func(t *testing.T) { compileFamily(t, p, b, f, dev) })
					}
				}
			}
		})
	}
}

// someTypes are the element types of a problem, or one of them where a sample is asked for.
func someTypes(p *kernels.Problem) []kernels.DType {
	if !eval.Sampled() {
		return p.DTypes
	}
	i := rand.IntN(len(p.DTypes))
	return p.DTypes[i : i+1]
}

func compileFamily(t *testing.T, p *compile.Pool, b *templates.Bundle, f *kernels.Family, dev kernels.Device) {
	rng := rand.New(rand.NewPCG(1, uint64(dev.CC)))
	type point struct {
		g kernels.Genome
		d kernels.DType
	}
	var points []point
	sampled := sample(t)
	if dev.Arch != "sm_80" && dev.Arch != "sm_90a" {
		sampled /= 4 // a compiler for these refuses what the other two do, but for some instructions
	}
	dtypes := someTypes(b.Problem)
	for i, d := range dtypes { // what is legal may depend on the size of an element
		points = append(points, point{f.Defaults(), d})
		for range (sampled + i) / len(dtypes) {
			points = append(points, point{wander(t, rng, f, dev, d), d})
		}
	}
	var wg sync.WaitGroup
	var spilled atomic.Int32
	for _, x := range points {
		wg.Go(func() {
			g, d := x.g, x.d
			job, err := b.Job(f, g, dev, d)
			if err != nil {
				t.Errorf("%s: %v", g.Key(), err)
				return
			}
			out := compiles(t, p, fmt.Sprintf("%s %s %s", f.Name, d, g.Key()), job.Source)
			if slices.ContainsFunc(out.Resources, func(r kernels.Resources) bool { return r.SpillStores > 0 }) {
				spilled.Add(1)
			}
		})
	}
	wg.Wait()
	t.Logf("%d of %d points spill registers", spilled.Load(), len(points))
}

// wander draws a legal point without a list of them all, which takes its time under the race detector: from the
// defaults on it draws some of the genes again, three times, while the others stay.
func wander(t *testing.T, rng *rand.Rand, f *kernels.Family, dev kernels.Device, d kernels.DType) kernels.Genome {
	t.Helper()
	g := f.Defaults()
	for range 3 {
		stay := kernels.Pins{}
		for _, gene := range f.Genes {
			if v, ok := g[gene.Name]; ok && rng.IntN(3) > 0 {
				stay[gene.Name] = []kernels.Value{v}
			}
		}
		space, err := kernels.NewSpace(f, dev, d, stay)
		if err != nil {
			t.Fatal(err)
		}
		g = space.Genome(space.At(space.Sample(rng)))
	}
	return g
}

func compiles(t *testing.T, p *compile.Pool, what, source string) compile.Output {
	t.Helper()
	out := truthCompiles(t, p, what, source)
	if out.State != "" {
		t.Errorf("%s: the gate would refuse it: it keeps %s", what, out.State)
	}
	return out
}

// truthCompiles compiles a reference, which may keep counters: blocks of one share a row, and no candidate runs there.
func truthCompiles(t *testing.T, p *compile.Pool, what, source string) compile.Output {
	t.Helper()
	out, err := p.Compile(context.Background(), source)
	switch {
	case err != nil:
		t.Errorf("%s: %v", what, err)
	case out.Failure != "":
		t.Errorf("%s:\n%s", what, out.Failure)
	case len(out.Resources) == 0 || out.Resources[0].Registers == 0:
		t.Errorf("%s: the compiler told no resources: %+v", what, out.Resources)
	}
	return out
}

// TestSpillsAreReported compiles a kernel that cannot fit its registers: more live values than the
// launch bounds leave room for.
func TestSpillsAreReported(t *testing.T) {
	p := compiler(t, "sm_90a")
	out, err := p.Compile(context.Background(), `extern "C" __global__ void __launch_bounds__(1024, 2) greedy(float *x) {
  float v[64];
#pragma unroll
  for (int i = 0; i < 64; i++) v[i] = x[i * 1024 + threadIdx.x];
#pragma unroll
  for (int r = 0; r < 8; r++)
#pragma unroll
    for (int i = 0; i < 64; i++) v[i] = v[i] * v[(i + 7 * r + 1) & 63] + x[threadIdx.x + r];
#pragma unroll
  for (int i = 0; i < 64; i++) x[i * 1024 + threadIdx.x] = v[i];
}
`)
	if err != nil || out.Failure != "" {
		t.Fatal(err, out.Failure)
	}
	if r := out.Resources; len(r) != 1 || r[0].SpillStores == 0 || r[0].SpillLoads == 0 {
		t.Fatalf("resources %+v: expected spills", r)
	}
}
