package eval

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// fakeSanitizer is a compute-sanitizer in PATH: a script that has the tool in $tool and the report's file in $out.
func fakeSanitizer(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	body := "#!/bin/sh\nwhile [ \"$1\" != --log-file ]; do [ \"$1\" = --tool ] && tool=$2; shift; done\nout=$2\n" +
		script + "\n"
	if err := os.WriteFile(filepath.Join(dir, "compute-sanitizer"), []byte(body), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// Only a complete report without a finding is clean; missing, empty, cut off and killed say nothing.
func TestSanitize(t *testing.T) {
	const (
		clean = "echo '========= COMPUTE-SANITIZER' >$out\ncase $tool in racecheck) echo '========= RACECHECK SUMMARY: 0 " +
			"hazards displayed (0 errors, 0 warnings)';; *) echo '========= ERROR SUMMARY: 0 errors';; esac >>$out\n"
		found = "printf '========= COMPUTE-SANITIZER\\n========= Invalid __global__ read of size 4 bytes\\n=========     " +
			"at k+0x90 in k.cu:3\\n========= ERROR SUMMARY: 2 errors\\n' >$out\nexit 86\n"
		race = "printf '========= Error: Race reported between Write access at k+0x10 and Read access at k+0x20 [4 " +
			"hazards]\\n========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\\n' >$out\nexit 86\n"
	)
	pool := fakePool(t)
	job := fakeJob(t, pool, "good")
	for _, c := range []struct{ name, script, verdict, detail string }{
		{"clean", clean, kernels.Clean, ""},
		{"found", found, kernels.Dirty, "Invalid __global__ read of size 4 bytes at k+0x90 in k.cu:3"},
		{"race", race, kernels.Dirty, "Race reported between"},
		{"missing report", "exit 0", kernels.NotSanitized, "no complete report"},
		{"empty report", ": >$out", kernels.NotSanitized, "no complete report"},
		{"cut off", "echo '========= COMPUTE-SANITIZER' >$out\nkill -9 $$", kernels.NotSanitized, "signal: killed"},
		{"clean, then killed", clean + "kill -9 $$", kernels.NotSanitized, "reports nothing, but ended with signal: killed"},
		{"clean, but the worker failed", clean + "echo out of memory; exit 70", kernels.NotSanitized, "out of memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeSanitizer(t, c.script)
			got, why, err := pool.Sanitize(context.Background(), job)
			if err != nil || why != "" || len(got) != len(sanitizers) {
				t.Fatalf("%+v, %q, %v", got, why, err)
			}
			for i, s := range got {
				if s.Tool != sanitizers[i] || s.Verdict != c.verdict || !strings.Contains(s.Detail, c.detail) {
					t.Errorf("%+v, expected %s: ...%s...", s, c.verdict, c.detail)
				}
			}
			if kernels.AllClean(got) != (c.verdict == kernels.Clean) {
				t.Errorf("all clean: %v", kernels.AllClean(got))
			}
		})
	}
	t.Run("padding", func(t *testing.T) { // no gap behind a buffer hides an access from memcheck
		args := filepath.Join(t.TempDir(), "args")
		dir := t.TempDir()
		script := "#!/bin/sh\necho $* >>" + args + "\n"
		if err := os.WriteFile(filepath.Join(dir, "compute-sanitizer"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
		if _, _, err := pool.Sanitize(context.Background(), job); err != nil {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(args)
		for line := range strings.Lines(string(data)) {
			if strings.Contains(line, "--tool memcheck") != strings.Contains(line, "--padding 65536") {
				t.Error(line)
			}
		}
		if strings.Count(string(data), "--padding") != 1 {
			t.Errorf("%s", data)
		}
	})
	t.Run("not installed", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		t.Setenv("CUDA_HOME", t.TempDir())
		if got, why, err := pool.Sanitize(context.Background(), job); findTool("compute-sanitizer") == "" &&
			(got != nil || !strings.Contains(why, "not found") || err != nil) {
			t.Errorf("%+v, %q, %v", got, why, err)
		}
	})
}

// TestToWatch: scored sizes that are small enough come first, and check shapes and drawn sizes until there is no time
// for more; neither trial cases nor large ones.
func TestToWatch(t *testing.T) {
	p, err := kernels.ParseProblem("problem.toml", []byte(caseProblem))
	if err != nil {
		t.Fatal(err)
	}
	e := effort{shape: 1e9, classes: 1e9, drawn: 1e6, bank: 1e9, trial: 1e9, memory: 1 << 30}
	cases, err := newCases(wanted{p, kernels.FP16, p.Workloads, e, nil, device.SecretNumbers()})
	if err != nil {
		t.Fatal(err)
	}
	pool := &Pool{cfg: Config{Problem: p, DType: kernels.FP16}}
	pool.cases = cases
	list, total := pool.toWatch(), 0.0
	for n, i := range list {
		c := &cases.cases[i]
		total += pool.workOf(c)
		if c.Trial || pool.workOf(c) > watchedWork/watchedShare || (c.Workload != "") != (n < len(p.Workloads)) {
			t.Errorf("number %d is %s, trial %v, %.2g of work", n, c.Name, c.Trial, pool.workOf(c))
		}
	}
	if len(list) < len(p.Check.Shapes) || total > watchedWork {
		t.Errorf("%d cases, %.2g of work", len(list), total)
	}
	large := slices.IndexFunc(cases.cases, func(c device.Case) bool { return c.Workload == "" && !c.Trial })
	cases.cases[large].Dims = kernels.Dims{}
	for dim, n := range p.Workloads[0].Dims {
		cases.cases[large].Dims[dim] = 64 * n
	}
	if got := pool.toWatch(); slices.Contains(got, large) || len(got) != len(list)-1 {
		t.Errorf("a size of %.2g of work is watched, or others are not", pool.workOf(&cases.cases[large]))
	}
}
