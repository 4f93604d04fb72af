package eval

import (
	"context"
	"math/rand/v2"
	"testing"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
	"darwarp/templates"
)

// openOn opens the cpu device on a built-in problem with the cases that a test makes of it: the same ones in every run.
func openOn(t *testing.T, name string, dtype kernels.DType, load kernels.Dims,
	add func(w cases.Wanted) (*cases.Set, error)) (*Pool, *templates.Bundle) {
	t.Helper()
	needCXX(t)
	b := builtin(t, name)
	w := cases.Wanted{Problem: b.Problem, DType: dtype, Effort: cases.Emulated(),
		Workloads: one(load), RNG: rand.New(rand.NewPCG(17, 1))}
	set, err := add(w)
	if err != nil {
		t.Fatal(err)
	}
	return openPoolWith(t, Config{Kind: "cpu", Problem: w.Problem, Headers: templates.Include(), DType: dtype,
		Reference: b.ReferenceSource(dtype), Workloads: w.Workloads, Cache: "hot",
		Means: Means{CacheDir: testCache, Jobs: 2}}, rig.Options{Shared: &rig.Shared{Cases: set}}), b
}

// judgeOn gates a candidate on some of the cases: right is Unknown, for nothing is timed.
func judgeOn(t *testing.T, pool *Pool, job *kernels.Job, cases []int) kernels.Result {
	t.Helper()
	e := &verdict.Evaluation{Session: pool.Session, Job: job, Again: true}
	for _, step := range []func(context.Context) error{e.Resolve, e.Compile} {
		if err := step(t.Context()); err != nil || e.Res.Outcome != kernels.Unknown {
			t.Fatalf("%v (%s), %v", e.Res.Outcome, e.Res.Detail, err)
		}
	}
	if _, err := e.Learn(t.Context(), cases); err != nil {
		t.Fatal(err)
	}
	return e.Res
}

// withClasses adds a case of each class at each of the sizes.
func withClasses(s *cases.Set, sizes []kernels.Dims, classes []string) (*cases.Set, error) {
	for _, size := range sizes {
		for _, class := range classes {
			if err := s.Add(device.Case{Dims: size, Class: class}); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

func everyCase(pool *Pool) (list []int) {
	for i := range pool.Cases.List {
		list = append(list, i)
	}
	return list
}
