package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/kernels"
	"darwarp/store"
)

// TestExportSaysOnTrial: an export, alone or of a portfolio, says which parts of the whole trial were not tried, the
// many launches among them, and a candidate that fell is not exported.
func TestExportSaysOnTrial(t *testing.T) {
	t.Setenv("PATH", "") // no nvcc
	t.Setenv("TESTDATA", "testdata")
	t.Setenv("DARWARP_CUDA", filepath.Join(t.TempDir(), "none")) // nothing is compiled for an export
	doubts := func(v kernels.Doubted, parts ...kernels.TrialPart) (all []kernels.Doubt) {
		for _, p := range parts {
			all = append(all, kernels.Doubt{Part: p, Verdict: v})
		}
		return all
	}
	champion := append(append([]kernels.TrialPart{}, kernels.QuickTrial...), kernels.SlowTrial...)
	for _, c := range []struct {
		name, says, heading string
		found               []kernels.Doubt
	}{
		{"untried", "is on trial: not tried yet: classes, fresh, disturbed, emulated, sanitized, launches.", "on trial", nil},
		{"a champion's parts", "asks for, and an export's asks for more: not tried yet: launches.", "on trial",
			doubts(kernels.Passed, champion...)},
		{"all", "", "stood", doubts(kernels.Passed, kernels.WholeTrial...)},
		{"one failed", "failed its trial (launches)", "", doubts(kernels.Failed, kernels.TrialLaunches)},
	} {
		for _, portfolio := range []bool{false, true} {
			if portfolio && (c.found == nil || c.heading == "stood") {
				continue
			}
			dir := t.TempDir()
			path, out := filepath.Join(dir, "run.db"), filepath.Join(dir, "out")
			if err := makeRun(path, false); err != nil {
				t.Fatal(err)
			}
			triedRun(t, path, c.found)
			said := exporting(t, path, out, portfolio)
			if strings.Contains(said, "trial") != (c.says != "") || !strings.Contains(said, c.says) {
				t.Errorf("%s, portfolio %v: %s", c.name, portfolio, said)
			}
			text, _ := os.ReadFile(filepath.Join(out, "README.md"))
			heading := "## Trial: " + c.heading + "\n"
			if portfolio {
				heading = "- kernel 0: " + c.heading + ": classes"
			}
			if (len(text) > 0) != (c.heading != "") || c.heading != "" && !strings.Contains(string(text), heading) {
				t.Errorf("%s, portfolio %v: no %q in README.md of %d bytes", c.name, portfolio, heading, len(text))
			}
		}
	}
}

// exporting is what is said while a run is exported, its error included.
func exporting(t *testing.T, path, out string, portfolio bool) string {
	t.Helper()
	args := []string{"export", path, "-o", out}
	if portfolio {
		args = append(args, "--portfolio", "2")
	}
	var said bytes.Buffer
	root := newApp(&console.Console{Out: &bytes.Buffer{}, Err: &said}).rootCmd()
	root.SetArgs(args)
	root.SetErr(&said)
	if err := root.ExecuteContext(t.Context()); err != nil {
		said.WriteString(err.Error())
	}
	return said.String()
}

// triedRun enters parts of a trial of the best candidate of a run, and a portfolio of it and another one.
func triedRun(t *testing.T, path string, found []kernels.Doubt) {
	t.Helper()
	r, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	best, err := r.Find("best")
	if err != nil {
		t.Fatal(err)
	}
	start, err := r.Start()
	if err != nil {
		t.Fatal(err)
	}
	p := kernels.Portfolio{K: 2, Kernels: []kernels.ID{best.ID, start.ID}, Single: best.ID, Cache: "hot",
		Gain: kernels.Gain{Ratio: 1, Lo: 1, Hi: 1}, Provenance: best.Result.Provenance}
	for i, w := range r.Meta().Workloads {
		p.Choices = append(p.Choices, kernels.Choice{Workload: w.Name, Kernel: i % 2, Time: 1000, Single: 1000,
			Gain: kernels.Gain{Ratio: 1, Lo: 1, Hi: 1}})
	}
	if err := r.PutPortfolio(p); err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		return
	}
	if err := r.PutTrial(kernels.Trial{ID: best.ID, At: best.At, Parts: found}); err != nil {
		t.Fatal(err)
	}
}
