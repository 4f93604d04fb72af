package main

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/measure"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
	"darwarp/templates"
)

// madeRun is a run that no search has made, and where it is.
func madeRun(t *testing.T) (run *store.Run, path string) {
	t.Helper()
	t.Setenv("TESTDATA", "testdata")
	path = filepath.Join(t.TempDir(), "r.db")
	if err := makeRun(path, false); err != nil {
		t.Fatal(err)
	}
	run, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Close() })
	return run, path
}

// measuredRun is a run whose champion was measured with a made-up device, beside the baselines of a choice.
func measuredRun(t *testing.T, baselines ...string) *record.Record {
	t.Helper()
	run, _ := madeRun(t)
	rec, err := record.Of(run)
	if err != nil {
		t.Fatal(err)
	}
	space, err := kernels.NewSpace(rec.Bundle.Families[0], run.Meta().Device, kernels.FP32, nil)
	if err != nil {
		t.Fatal(err)
	}
	rec.Bundle.Problem.Baselines = []kernels.Baseline{{Name: "compiled", Kind: "torch", Backend: "compile"},
		{Name: "cublaslt", Kind: "cublaslt"}, {Name: "absent", Kind: "torch"}}
	fin := fakeFinisher{device: run.Meta().Device}
	s := &session.Session{Evaluator: fin, Bundle: rec.Bundle, DType: kernels.FP32, Workloads: run.Meta().Workloads,
		Cache: "hot", Spaces: []*kernels.Space{space}}
	champion, _ := run.Champion()
	end := measure.End{Session: s, Publisher: fin, Run: run, Baselines: baselines, Say: t.Logf}
	if err := end.Final(t.Context(), champion); err != nil {
		t.Fatal(err)
	}
	return rec
}

// TestMeasureAgain follows what is stored of the measurement at the end.
func TestMeasureAgain(t *testing.T) {
	rec := measuredRun(t)
	c, err := rec.Pick("")
	if err != nil {
		t.Fatal(err)
	}
	figures, err := rec.Figures(c)
	if err != nil {
		t.Fatal(err)
	}
	table, err := figures.Table()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	table.Write(&out)
	for _, want := range []string{
		"vs naive start  vs cublaslt",
		"small     hot    1.000 us [0.990, 1.010]  49.15 GB/s",
		"small     cold   2.000 us [1.980, 2.020]",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "0.80x"); n < 4 {
		t.Errorf("%d duels with cublaslt shown, expected 4:\n%s", n, out.String())
	}
	a := newApp(&console.Console{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}})
	sum := evolve.Summary{Winner: evolve.Winner{Champion: c.ID, Speedup: 1.79}}
	if err := a.Required(0.9, rec, sum); !isExit(err, exit.NotBeaten) {
		t.Errorf("--require 0.9 against a baseline that is faster: %v", err)
	}
	if err := a.Required(0.8, rec, sum); err != nil {
		t.Errorf("--require 0.8: %v", err)
	}
}

// TestMeasureInTurn: what takes longest is measured last, and what was not asked for is not.
func TestMeasureInTurn(t *testing.T) {
	for _, c := range []struct{ chosen, want []string }{
		{nil, []string{"", kernels.NaiveStart, "cublaslt", "compiled", ""}},
		{[]string{"compiled"}, []string{"", kernels.NaiveStart, "compiled", ""}},
		{[]string{"absent"}, []string{"", kernels.NaiveStart, ""}},
	} {
		rec := measuredRun(t, c.chosen...)
		all, err := rec.Baselines()
		if err != nil {
			t.Fatal(err)
		}
		all = all[1:] // the run was made with one
		var names []string
		for _, b := range all {
			if names = append(names, b.Name); !b.IsBaseline() {
				names[len(names)-1] = "" // the winner
			}
		}
		if !slices.Equal(names, c.want) {
			t.Errorf("%v: %q, expected %q", c.chosen, names, c.want)
		}
		if len(all[0].Sanitized) > 0 || len(all[len(all)-1].Sanitized) == 0 || len(all[len(all)-1].Times) != 4 {
			t.Errorf("the winner's own times: %+v, then %+v", all[0], all[len(all)-1])
		}
	}
}

func isExit(err error, code int) bool {
	e, ok := err.(*exit.Error)
	return ok && e.Code == code
}

// fakeFinisher measures made-up figures: cuBLASLt is a quarter faster than any candidate.
type fakeFinisher struct {
	evolve.Evaluator
	device kernels.Device
}

func (f fakeFinisher) Device() kernels.Device { return f.device }

func (f fakeFinisher) Capabilities() kernels.Capabilities {
	return kernels.Capabilities{Publisher: f, Sanitize: f.sanitize}
}

func (f fakeFinisher) sanitize(context.Context, *kernels.Job) ([]kernels.Sanitized, string, error) {
	return []kernels.Sanitized{{Tool: "memcheck", Verdict: kernels.Clean}}, "", nil
}

func (f fakeFinisher) Provenance() kernels.Provenance {
	return kernels.Provenance{Device: f.device, Protocol: "test", CacheMode: "hot"}
}

func (f fakeFinisher) times(ns float64) (out []kernels.Timing) {
	for _, w := range []string{"small", "large"} {
		for i, cache := range []string{"hot", "cold"} {
			m := ns * float64(i+1)
			out = append(out, kernels.Timing{Workload: w, Median: m, Lo: 0.99 * m, Hi: 1.01 * m, Cache: cache, Tier: "final"})
		}
	}
	return out
}

func (f fakeFinisher) Final(_ context.Context, job *kernels.Job) (kernels.Result, error) {
	return kernels.Result{Outcome: kernels.OK, Times: f.times(1000), Provenance: f.Provenance().Key()}, nil
}

func (f fakeFinisher) FindBaseline(_ context.Context, name string) (map[string]string, error) {
	if name == "absent" {
		return map[string]string{name: "not found"}, nil
	}
	return nil, nil
}

func (f fakeFinisher) BaselineTimes(_ context.Context, name string) (kernels.BaselineResult, error) {
	return kernels.BaselineResult{Name: name, Kind: kernels.BaselineName, Times: f.times(800),
		Provenance: f.Provenance().Key()}, nil
}

func (f fakeFinisher) About(name, workload string) string { return "algorithm 1" }

func (f fakeFinisher) Compare(_ context.Context, name string, job *kernels.Job, cache string) (kernels.Duel, error) {
	d := kernels.Duel{Champion: name, ChampionKind: kernels.BaselineName, Challenger: job.ID.Short(), Ratio: 1.25,
		Provenance: f.Provenance().Key()}
	for _, w := range []string{"small", "large"} {
		d.Rounds = append(d.Rounds, kernels.DuelRound{Workload: w, Cache: cache, Ratio: 1.25})
	}
	return d, nil
}

func (f fakeFinisher) Versus(ctx context.Context, a, b *kernels.Job, cache string) (kernels.Duel, error) {
	d, err := f.Compare(ctx, a.ID.Short(), b, cache)
	d.ChampionKind = kernels.CandidateName
	return d, err
}

// TestExportHint: the end of a search names the command that exports its winner where that is possible.
func TestExportHint(t *testing.T) {
	r := measuredRun(t)
	id, _ := r.Champion()
	for problem, possible := range map[string]bool{
		"gemm": true, "gemm_fp8": true, "gemm_mxfp4": true, "attention_backward": false,
	} {
		b, err := templates.Builtin(problem)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		a := newApp(&console.Console{Out: &out, Err: &out})
		if err := a.Summary(r, b.Problem, evolve.Summary{Winner: evolve.Winner{Champion: id}}, nil); err != nil {
			t.Fatal(err)
		}
		said := out.String()
		if got := strings.Contains(said, " export "); got != possible || !strings.Contains(said, " lineage ") {
			t.Errorf("%s: %s", problem, said)
		}
	}
}
