package eval_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"darwarp/eval"
	"darwarp/eval/compiletest"
	"darwarp/eval/env"
	"darwarp/eval/internal/cpu"
	"darwarp/kernels"
	"darwarp/templates"
	"darwarp/templates/graph"
)

// asked are the graphs that a test is to take, by name: others than it says if DARWARP_GRAPHS lists some, or is "all".
func asked(t *testing.T, otherwise ...string) (files []string) {
	t.Helper()
	if list := os.Getenv("DARWARP_GRAPHS"); list != "" {
		otherwise = strings.Split(list, ",")
	}
	all, err := filepath.Glob("../templates/graph/testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		if otherwise[0] == "all" || slices.Contains(otherwise, strings.TrimSuffix(filepath.Base(file), ".json")) {
			files = append(files, file)
		}
	}
	if len(files) < len(otherwise) {
		t.Fatalf("%d graphs of %v found", len(files), otherwise)
	}
	return files
}

// TestGraphsGate opens the cpu device on the folder of a graph, which proves what its check would find, and sends the
// naive start of each family through the gate.
func TestGraphsGate(t *testing.T) {
	for _, file := range eval.Some(asked(t, "imported_relu_norm", "linear_tail_bf16", "matmul_broadcast_bf16")...) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			b := graphBundle(t, file)
			gatePoints(t, b, b.Problem.SmallWorkloads()[:1], gatedPoints(t, b))
		})
	}
}

// TestGraphsShareRows does so at a size at which blocks of the reference share a row.
func TestGraphsShareRows(t *testing.T) {
	b := graphBundle(t, "../templates/graph/testdata/frobenius.json")
	dims := kernels.Dims{"batch": 1, "features": 3, "h": 1, "w": 15000}
	l, err := b.Problem.ReferenceLaunch(dims, b.Problem.DTypes[0])
	if err != nil || l.Grid[0] != 4 { // two parts in two stages
		t.Fatalf("%+v, %v", l, err)
	}
	starts := gatedPoints(t, b)
	eval.Sometimes(t)
	gatePoints(t, b, []kernels.Workload{{Name: "long", Dims: dims}}, starts)
}

// TestRowsAreReadAgain gates rows that nothing keeps, of which a thread has several words in flight, by blocks and by
// clusters.
func TestRowsAreReadAgain(t *testing.T) {
	b := graphBundle(t, "../templates/graph/testdata/softmax.json")
	var again []gated
	for _, f := range b.Families {
		for _, cluster := range []int{1, 8} {
			g := f.Defaults()
			for gene, v := range map[string]int{"threads_per_row": 128, "cluster": cluster, "vector": 4, "items": 2} {
				g[gene] = kernels.Int(v)
			}
			again = append(again, gatedPoint(t, b, f, g, len(again) > 0))
		}
	}
	eval.Sometimes(t)
	gatePoints(t, b, b.Problem.SmallWorkloads()[:1], again)
}

// TestGraphsStartsGate sends what a search tries first through the gate, as far as the cpu device has it.
func TestGraphsStartsGate(t *testing.T) {
	for _, file := range asked(t, "frobenius") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			b := graphBundle(t, file)
			dev, dtype := cpu.Describe(), b.Problem.DTypes[0]
			var points []gated
			for _, f := range b.Families {
				for _, g := range f.Starts() {
					if f.Check(g, dev, dtype) == nil {
						points = append(points, gatedPoint(t, b, f, g, true))
					}
				}
			}
			if len(points) < 3 {
				t.Fatalf("the cpu device has %d starts, expected 3 at least", len(points))
			}
			eval.Sometimes(t)
			gatePoints(t, b, b.Problem.SmallWorkloads()[:1], points)
		})
	}
}

// gated is a point that is to pass the gate, or to be the same as one before it if it may be, or to be wrong.
type gated struct {
	job          kernels.Job
	again, wrong bool
}

// gatedPoint renders a legal point.
func gatedPoint(t *testing.T, b *templates.Bundle, f *kernels.Family, g kernels.Genome, again bool) gated {
	t.Helper()
	dev, dtype := cpu.Describe(), b.Problem.DTypes[0]
	job, err := b.Job(f, g, dev, dtype)
	if err = errors.Join(err, f.Check(g, dev, dtype)); err != nil {
		t.Fatalf("%s %s: %v", f.Name, g.Key(), err)
	}
	return gated{job: job, again: again}
}

// gatedPoints are the naive start of each family, and as many others as DARWARP_SAMPLE says.
func gatedPoints(t *testing.T, b *templates.Bundle) (list []gated) {
	t.Helper()
	for _, f := range b.Families {
		list = append(list, gatedPoint(t, b, f, f.Defaults(), false))
		if !eval.Sampled() {
			continue
		}
		rng := rand.New(rand.NewPCG(2, 3))
		for range sample(t) {
			list = append(list, gatedPoint(t, b, f, wander(t, rng, f, cpu.Describe(), b.Problem.DTypes[0]), true))
		}
	}
	return list
}

// gatePoints sends points through the gate of the cpu device.
func gatePoints(t *testing.T, b *templates.Bundle, loads []kernels.Workload, points []gated) {
	t.Helper()
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("GENERIC FAMILIES ARE NOT GATED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	dtype := b.Problem.DTypes[0]
	pool, err := eval.Open(t.Context(), eval.Config{Kind: "cpu", Problem: b.Problem, Headers: templates.Include(),
		DType: dtype, Reference: b.ReferenceSource(dtype), Workloads: loads, Cache: "hot",
		Means: eval.Means{Jobs: 1, CacheDir: compiletest.Cache(t)}, Trust: eval.Trust{Sandbox: eval.SandboxBest}})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for _, p := range points {
		p.job.Bar = kernels.NewBar(map[string]float64{loads[0].Name: 1e9})
		got, err := pool.Evaluate(t.Context(), &p.job)
		want := kernels.OK
		if p.wrong {
			want = kernels.Wrong
		}
		if err != nil || got.Outcome != want && !(p.again && got.Outcome == kernels.Duplicate) {
			t.Errorf("%s %s: %v (%s), %v", p.job.Variant.Family, p.job.Variant.Genes.Key(), got.Outcome, got.Detail, err)
		}
	}
}

// TestGraphsCompile compiles the reference and a sample of points of the folders that graphs become.
func TestGraphsCompile(t *testing.T) {
	files := asked(t, "chain", "layernorm", "batchnorm", "linear_bn", "linear_tail_bf16")
	if os.Getenv("DARWARP_SAMPLE") == "" {
		t.Setenv("DARWARP_SAMPLE", "1")
	}
	archs := []string{"sm_90a"}
	if os.Getenv("DARWARP_GRAPHS") == "all" {
		archs = []string{"sm_80", "sm_90a"}
	}
	for _, arch := range archs {
		dev, err := kernels.ArchDevice(arch)
		if err != nil {
			t.Fatal(err)
		}
		p := compiler(t, arch)
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".json")
			b := graphBundle(t, file)
			truthCompiles(t, p, name+" reference", b.ReferenceSource(b.Problem.DTypes[0]))
			for _, f := range b.Families {
				t.Run(arch+"_"+name+"_"+f.Name, func(t *testing.T) { compileFamily(t, p, b, f, dev) })
			}
		}
	}
}

// TestGraphsStarts compiles what is tried first. Numbers of a product fit in registers, also those of the form for
// lines that are no whole words, which shares them and what is in shared memory.
func TestGraphsStarts(t *testing.T) {
	const arch = "sm_90a"
	dev, err := kernels.ArchDevice(arch)
	if err != nil {
		t.Fatal(err)
	}
	p := compiler(t, arch)
	var wg sync.WaitGroup
	for _, file := range asked(t, "matmul", "matmul_tf32", "linear_lse", "matmul_bf16", "matmul_both_fp16", "sum_dim1",
		"batchnorm") {
		b := graphBundle(t, file)
		for _, f := range b.Families {
			for _, start := range f.Starts() {
				job, err := b.Job(f, start, dev, b.Problem.DTypes[0])
				if err != nil {
					t.Fatal(err)
				}
				wg.Go(func() {
					for _, r := range compiles(t, p, file, job.Source).Resources {
						if r.SpillStores > 0 {
							t.Errorf("%s %s: %s spills %d bytes", file, start.Key(), r.Entry, r.SpillStores)
						}
					}
				})
			}
		}
	}
	wg.Wait()
}

func graphBundle(t *testing.T, file string) *templates.Bundle {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	files, err := g.Folder()
	if err != nil {
		t.Fatal(err)
	}
	b, err := templates.FromFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
