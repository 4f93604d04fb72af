package eval

import (
	"context"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

// torchPool is a pool over the fake device worker whose problem has torch baselines, with a torch that is
// as fake as the GPU. The helper is the real one.
func torchPool(t *testing.T, baselines string) *Pool {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("TORCH BASELINES ARE NOT TESTED: python3 not found")
	}
	here, err := filepath.Abs("testdata/torch")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", here)
	pool := fakePool(t)
	p := kernelstest.Problem(t, kernelstest.Scale+baselines)
	pool.Cfg.Problem = p
	return pool
}

const torchBaselines = `
[[baseline]]
kind = "torch"
call = "x * 2"
[[baseline]]
kind = "torch"
name = "compiled"
call = "x * 2"
backend = "compile"
[[baseline]]
kind = "torch"
name = "wrong"
call = "x * 3"
[[baseline]]
kind = "torch"
name = "typo"
call = "z * 3"
[[baseline]]
kind = "torch"
name = "refused"
call = "x * 2"
backend = "cudnn"
[[baseline]]
kind = "torch"
name = "large"
call = "x * 2"
when = "n > 100000"
[[baseline]]
kind = "torch"
name = "module"
call = "x * len(concurrent.futures.__name__.split('.'))"
module = "concurrent.futures"
[[baseline]]
kind = "torch"
name = "not_installed"
call = "x * 2"
module = "attention_that_nobody_has"
[[baseline]]
kind = "cublaslt"
`

// found are the pool's baselines that run here, and why the others do not.
func found(t *testing.T, pool *Pool) (names []string, missing map[string]string) {
	t.Helper()
	missing = map[string]string{}
	for _, b := range pool.Cfg.Problem.Baselines {
		lacks, err := pool.FindBaseline(t.Context(), b.Name)
		if err != nil {
			t.Fatal(err)
		}
		if maps.Copy(missing, lacks); missing[b.Name] == "" {
			names = append(names, b.Name)
		}
	}
	return names, missing
}

func TestTorchBaselines(t *testing.T) {
	pool := torchPool(t, torchBaselines)
	ctx := context.Background()
	names, missing := found(t, pool)
	if !slices.Equal(names, []string{"torch", "compiled", "module"}) {
		t.Errorf("baselines %v, missing %v", names, missing)
	}
	for name, want := range map[string]string{"wrong": "gives something else: ",
		"typo":          "NameError: name 'z' is not defined",
		"refused":       "RuntimeError: No available kernel. Aborting execution.",
		"large":         "no check shape of up to 32 MiB is one of its own",
		"not_installed": "No module named 'attention_that_nobody_has'",
		"cublaslt":      "not found"} {
		if !strings.Contains(missing[name], want) || strings.Contains(missing[name], "\n") {
			t.Errorf("%s: %q, expected %q", name, missing[name], want)
		}
	}
	b, err := pool.BaselineTimes(ctx, "torch")
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Times) != 2 || b.Times[0].Median != 250e3 || b.Times[0].Cache != "hot" || b.Times[1].Cache != "cold" ||
		b.Times[0].Samples < 60 {
		t.Errorf("times %+v", b.Times)
	}
	for _, cache := range []string{"hot", "cold"} {
		d, err := pool.Compare(ctx, "compiled", fakeJob(t, pool, "good"), cache)
		if err != nil {
			t.Fatal(err)
		}
		if d.Champion != "compiled" || d.Verdict != kernels.Faster || len(d.Rounds) != 1 || d.Rounds[0].Cache != cache ||
			d.Ratio < 0.03 || d.Ratio > 0.05 {
			t.Errorf("10 us against 250 us: %+v", d)
		}
	}
	if about := pool.About("compiled", "4096"); about != "torch 0.0-fake, compile" {
		t.Errorf("about %q", about)
	}
}

func TestTorchMissing(t *testing.T) {
	pool := torchPool(t, torchBaselines)
	none, err := filepath.Abs("testdata/notorch")
	if err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(t.TempDir(), "python3")
	for _, c := range []struct{ name, key, value, want string }{
		{"no python", "DARWARP_PYTHON", python,
			python + " not found: set DARWARP_PYTHON to a Python that has torch"},
		{"no torch", "PYTHONPATH", none, "No module named 'torch' (DARWARP_PYTHON names another Python)"},
		{"no GPU", "DARWARP_FAKE_TORCH", "blind", "torch 0.0-fake sees no GPU"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(c.key, c.value)
			pool.torch = helper{}
			names, missing := found(t, pool)
			if len(names) != 0 {
				t.Fatal(names)
			}
			for _, name := range []string{"torch", "compiled"} {
				if why := missing[name]; !strings.Contains(why, c.want) || strings.Contains(why, "\n") {
					t.Errorf("%s: %q, expected %q", name, why, c.want)
				}
			}
		})
	}
}
