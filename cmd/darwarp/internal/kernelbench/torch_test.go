package kernelbench

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/importer"
	"darwarp/cmd/darwarp/internal/search"
	"darwarp/eval"
	"darwarp/eval/env"
	"darwarp/eval/module"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "worker" {
		os.Exit(eval.WorkerMain(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

// TestOnCPU runs modules from file to measured kernel where there are torch and a C++ compiler: two that are right, one
// of them searched at a part, and one that ends its process.
func TestOnCPU(t *testing.T) {
	r, err := module.Start(t.Context(), eval.SandboxBest, module.NoGPU)
	var missing *module.Missing
	if errors.As(err, &missing) {
		t.Skipf("SKIPPED: %v", err)
	}
	if err = errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	arch, err := kernels.ArchDevice("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, map[string]string{"2_ends.py": "import os\nos._exit(0)\n"})
	for file, name := range map[string]string{"1_relu.py": "relu", "3_mean.py": "sum_axis"} {
		text, err := os.ReadFile(filepath.Join("../importer/testdata", name+".py"))
		if err != nil {
			t.Fatal(err)
		}
		s.put(file, string(text))
	}
	b := s.b
	b.Options = search.Options{Strategy: evolve.DefaultStrategy, Seed: 1, NoBaseline: true,
		Budget: store.Budget{For: 10 * time.Minute, Evals: 2}}
	b.Device, b.Jobs = "cpu", 2
	b.Import = importer.Request{Scale: 0.5, Sandbox: eval.SandboxBest, Convert: importer.Folder,
		Devices: []kernels.Device{arch}, CacheDir: t.TempDir()}
	var out bytes.Buffer
	stop := console.OnInterrupt(t.Context())
	defer stop.Release()
	err = b.Run(stop, console.New(nil, &out, &out))
	var environment *env.Error
	if errors.As(err, &environment) {
		t.Skipf("SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.wants(out.String(), "1_relu: right, ", "2_ends: refused: its process ended", "3_mean: right, ", "strict fp32\n",
		"3 modules: 2 right, 0 wrong, 1 refused, 0 failed\n")
	s.b = b
	s.spends("1_relu", "import", "opening", "computing the truth", "searching", "closing")
	s.spends("2_ends", "import")
	for _, path := range []string{"1_relu/1_relu.db", "1_relu/1_relu-whole.db", "3_mean/3_mean-whole.db"} {
		if _, err := os.Stat(filepath.Join(b.Out, path)); err != nil {
			t.Error(err)
		}
	}
}
