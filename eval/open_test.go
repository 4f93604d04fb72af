package eval

import (
	"context"
	"testing"

	"darwarp/eval/env"
	"darwarp/eval/internal/duel"
	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/trial"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
	"darwarp/templates"
)

// TestOpenFails: a pool that could not be readied is closed, and nobody is given it. A trial had taken such emulators
// for its own, and a search on an H200 ended with an error when it closed them again.
func TestOpenFails(t *testing.T) {
	if f := env.Locate().CXX; f.Path == "" {
		t.Skip("NOT TESTED: no C++ compiler")
	}
	b, err := templates.Builtin("reduction")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Kind: "cpu", Problem: b.Problem, DType: kernels.FP16, Workloads: b.Problem.SmallWorkloads(),
		Means: Means{CacheDir: testCache}, Headers: templates.Include(),
		Reference: "int variable_of_the_host;"}
	if pool, err := Open(context.Background(), cfg); err == nil || pool != nil {
		t.Errorf("%v, %v", pool, err)
	}
	on := trial.New(duel.New(verdict.NewSession(&rig.Rig{Cfg: cfg})))
	got, err := on.Trial(t.Context(), &kernels.Job{}, kernels.TrialEmulated)
	if d := got.Part(kernels.TrialEmulated); err != nil || d.Verdict != kernels.Impossible {
		t.Errorf("%+v, %v", d, err)
	}
	if err := on.Close(); err != nil {
		t.Error(err)
	}
}
