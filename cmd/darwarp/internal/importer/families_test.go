package importer

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"darwarp/eval"
	"darwarp/eval/compiletest"
	"darwarp/eval/env"
	"darwarp/eval/module"
	"darwarp/kernels"
	"darwarp/templates"
)

// TestFamilies takes a module of each family from its file to right kernels: imported, its reference held against the
// module, and the naive start of the folder's first family through the gate of the cpu device. It needs torch, for the
// CPU is enough.
func TestFamilies(t *testing.T) {
	r := withTorch(t)
	cache := compiletest.Cache(t)
	for _, tt := range []struct{ name, family string }{
		{"new_gelu", "map"}, {"sum_axis", "columns"}, {"argmax", "columns"}, {"softmax", "rows"}, {"layernorm", "rows"},
		{"batchnorm", "spread"}, {"mse", "spread"}, {"cumsum_reverse", "scan"}, {"max_pool", "windows"},
		{"linear_relu", "matmul"}, {"rmsnorm_plain", "rows"}, {"bounds", "map"}, {"conv_depthwise", "map"},
		{"attention_masked", "pipeline"}, {"attention_plain", "pipeline"}, {"attention_grouped", "pipeline"},
		{"attention_repeated", "pipeline"}, {"matmul_broadcast", "matmul"}, {"prod_axis", "columns"},
		{"normalized_image", "map"}, {"first_ones", "pipeline"},
		{"prod_first", "columns"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := request(t, tt.name, Folder)
			req.CacheDir = cache
			made, err := run(t.Context(), r, req)
			var environment *env.Error
			if errors.As(err, &environment) {
				t.Skipf("SKIPPED: %v", err)
			}
			if err != nil {
				t.Fatal(err)
			}
			b, err := templates.Load(os.DirFS(req.Dir))
			if err != nil {
				t.Fatal(err)
			}
			if f := b.Families[0]; f.Name != tt.family || made.Cases < 5 {
				t.Errorf("family %s, %d cases", f.Name, made.Cases)
			}
			passes(t, b, cache)
		})
	}
}

// TestAlone takes modules to folders as if no family took them, and the naive starts of their families through a gate
// that the module itself is the truth of: right kernels are right by that, too. It needs torch.
func TestAlone(t *testing.T) {
	r := withTorch(t)
	cache := compiletest.Cache(t)
	for _, name := range []string{"new_gelu", "softmax", "layernorm", "batchnorm", "cumsum_reverse", "max_pool",
		"linear_swish_groupnorm", "logsumexp", "truth_values"} {
		t.Run(name, func(t *testing.T) {
			var families map[string][]byte
			req := request(t, name, func(graph []byte) (_ map[string][]byte, err error) {
				if families, err = Folder(graph); err == nil {
					err = errors.New("none is wanted")
				}
				return nil, err
			})
			req.CacheDir, req.Alone = cache, true
			made, err := run(t.Context(), r, req)
			if err != nil || made.Alone != "none is wanted" || made.Cases < 5 {
				t.Fatalf("%+v, %v", made, err)
			}
			for file, text := range families {
				if file != problemFile && file != "reference.cu" {
					if err := os.WriteFile(filepath.Join(req.Dir, file), text, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			b, err := templates.Load(os.DirFS(req.Dir))
			if err != nil {
				t.Fatal(err)
			}
			passes(t, b, cache)
		})
	}
}

// passes sends the naive start of a folder through the gate of the cpu device, at its least size.
func passes(t *testing.T, b *templates.Bundle, cache string) {
	t.Helper()
	dtype, sizes := b.Problem.DTypes[0], b.Problem.SmallWorkloads()[:1]
	cfg := eval.Config{Kind: "cpu", Problem: b.Problem, Headers: templates.Include(),
		DType: dtype, Reference: b.ReferenceSource(dtype), Workloads: sizes, Cache: "hot",
		Means: eval.Means{Jobs: 1, CacheDir: cache},
		Trust: eval.Trust{Sandbox: eval.SandboxBest, Foreign: true}}
	if b.Problem.Reference.IsModule() {
		teller, err := module.NewTeller(t.Context(), b.Problem, b.Reference, eval.SandboxBest, module.NoGPU)
		if err != nil {
			t.Fatal(err)
		}
		defer teller.Close()
		cfg.Teller = teller
	}
	pool, err := eval.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	job, err := b.Job(b.Families[0], b.Families[0].Defaults(), pool.Device(), dtype)
	if err != nil {
		t.Fatal(err)
	}
	job.Bar = kernels.NewBar(map[string]float64{sizes[0].Name: 1e9})
	if got, err := pool.Evaluate(t.Context(), &job); err != nil || got.Outcome != kernels.OK {
		t.Errorf("%v (%s), %v", got.Outcome, got.Detail, err)
	}
}
