package evolve

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"darwarp/eval"
	"darwarp/eval/compiletest"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
	"darwarp/templates"
)

// The family reads more than it needs, at least sixty times as much with any other value of a gene than the default.
// However busy the machine is, the naive start remains the fastest: nothing that follows depends on what was measured.
// One gene is in a comment alone, so that there are duplicates, and one has a value that cannot be launched.
const (
	idleFamily = `
arch = "sm_80"
[[gene]]
name = "reads"
values = [64, 4096, 16384]
default = 64
[[gene]]
name = "unused"
values = [1, 2]
default = 1
[[gene]]
name = "threads"
values = [128, 2048]
default = 128
[[launch]]
entry = "scale"
grid = ["ceil_div(n, threads)"]
block = ["threads"]
args = ["x", "y", "n"]
`
	idleTemplate = `#include <darwarp/darwarp.cuh>
// {{.unused}}
extern "C" __global__ void scale(const {{.T}}* x, {{.T}}* y, int n) {
    const int i = blockIdx.x * {{.threads}} + threadIdx.x;
    if (i >= n) return;
    float most = x[i];
    for (int j = 0; j < {{.reads}}; ++j) most = fmaxf(most, x[(i + j) % n]);
    y[i] = most < x[i] ? 0.f : 2.f * x[i];
}
`
	idleReference = `#include <darwarp/darwarp.cuh>
extern "C" __global__ void reference(const T* x, double* y, float* s, int n) {
    for (int i = threadIdx.x; i < n; i += 32) y[i] = 2. * x[i], s[i] = 2.f * fabsf(x[i]);
}
`
)

// inTurn asks a pool for one verdict at a time.
type inTurn struct{ *eval.Pool }

func (inTurn) Slots() int    { return 1 }
func (inTurn) InOrder() bool { return true }

// What is measured, or is another thing on another machine, by the names of its fields. A cost is an object of seconds,
// a tier says how long it was worth measuring, and tags come with the longer ones.
var (
	numbers = regexp.MustCompile(`"(at|elapsed|rate|sms|l2_bytes|memory_bytes|checks|elements|worst|median|lo|hi|` +
		`samples|score|best|reign|speedup|gain|took)":-?[0-9][0-9.e+-]*`)
	texts   = regexp.MustCompile(`"(at|toolchain|code|proof|tier)":"[^"]*"`)
	costs   = regexp.MustCompile(`"(cost)":\{[^}]*\}`)
	tags    = regexp.MustCompile(`,"tags":\[[^\]]*\]`)
	machine = regexp.MustCompile(`("kind":"cpu","name":)"[^"]*"`)
)

// masked replaces the values of measured fields.
func masked(log []byte) []byte {
	for _, field := range []*regexp.Regexp{numbers, texts, costs} {
		log = field.ReplaceAll(log, []byte(`"$1":"#"`))
	}
	return machine.ReplaceAll(tags.ReplaceAll(log, nil), []byte(`$1"#"`))
}

// cpuScenario is a search on the cpu device, with one compiler, one verdict after the other.
func cpuScenario() scenario {
	var pool *eval.Pool
	return scenario{
		name: "cpu",
		cfg: func(t *testing.T) (cfg Config) {
			cfg, pool = cpuSearch(t)
			return cfg
		},
		ev:   func(*testing.T, Config) Evaluator { return inTurn{pool} },
		mask: masked,
	}
}

func cpuSearch(t *testing.T) (Config, *eval.Pool) {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skipf("THE SEARCH ON THE CPU DEVICE IS NOT COMPARED: %v", err)
	}
	problem := strings.ReplaceAll(kernelstest.Scale, "4096", "1024")
	b, err := templates.FromFiles(map[string][]byte{"problem.toml": []byte(problem), "reference.cu": []byte(idleReference),
		"idle.toml": []byte(idleFamily), "idle.cu.tmpl": []byte(idleTemplate)})
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Bundle: b, DType: kernels.FP32, Workloads: b.Problem.Workloads, Seed: 1}
	pool, err := eval.Open(t.Context(), eval.Config{Kind: "cpu", Problem: b.Problem, Headers: templates.Include(),
		DType: cfg.DType, Reference: b.ReferenceSource(cfg.DType), Workloads: cfg.Workloads, Cache: "hot",
		Means: eval.Means{Jobs: 1, CacheDir: compiletest.Cache(t)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	space, err := kernels.NewSpace(b.Families[0], pool.Device(), cfg.DType, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Spaces = []*kernels.Space{space}
	return cfg, pool
}
