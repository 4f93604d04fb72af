package eval

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/templates"
)

// attentionSizes are a small scored one, one of the check shapes, and some that sessions have drawn in which right
// kernels were refused while attention had lines of huge numbers.
var attentionSizes = []kernels.Dims{
	{"b": 1, "h": 2, "s": 128, "d": 64, "causal": 0},
	{"b": 1, "h": 1, "s": 63, "d": 64, "causal": 1},
	{"b": 2, "h": 4, "s": 3, "d": 64, "causal": 0},
	{"b": 1, "h": 2, "s": 12, "d": 64, "causal": 0},
	{"b": 2, "h": 4, "s": 40, "d": 64, "causal": 1},
}

// attentionOn opens the cpu device on attention in bf16 with the cases that a test makes of the problem: the same ones
// in every run.
func attentionOn(t *testing.T, add func(w wanted) (*caseSet, error)) (*Pool, *templates.Bundle) {
	t.Helper()
	if f := Locate().CXX; f.Path == "" {
		t.Skipf("ATTENTION'S INPUTS ARE NOT TESTED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	b, err := templates.Builtin("attention")
	if err != nil {
		t.Fatal(err)
	}
	w := wanted{b.Problem, kernels.BF16, []kernels.Workload{{Name: "test", Weight: 1,
		Dims: kernels.Dims{"b": 1, "h": 2, "s": 64, "d": 64, "causal": 0}}}, emulated, nil, rand.New(rand.NewPCG(17, 1))}
	cases, err := add(w)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := Open(t.Context(), Config{Kind: "cpu", Problem: w.problem, Headers: templates.Include(), DType: w.dtype,
		Reference: b.ReferenceSource(w.dtype), Workloads: w.workloads, Cache: "hot", CacheDir: testCache, Jobs: 2,
		shared: &shared{cases: cases}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return pool, b
}

// judgeOn gates a candidate on some of the cases: right is Unknown, for nothing is timed.
func judgeOn(t *testing.T, pool *Pool, job *kernels.Job, cases []int) kernels.Result {
	t.Helper()
	e := &evaluation{Pool: pool, job: job, again: true}
	for _, step := range []func(context.Context) error{e.resolve, e.compile} {
		if err := step(t.Context()); err != nil || e.res.Outcome != kernels.Unknown {
			t.Fatalf("%v (%s), %v", e.res.Outcome, e.res.Detail, err)
		}
	}
	if _, err := e.learn(t.Context(), cases); err != nil {
		t.Fatal(err)
	}
	return e.res
}

// withClasses adds a case of each class at each of the sizes.
func (s *caseSet) withClasses(sizes []kernels.Dims, classes []string) (*caseSet, error) {
	for _, size := range sizes {
		for _, class := range classes {
			if err := s.add(device.Case{Dims: size, Class: class}); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// fused is a point that scales scores and subtracts their maximum in one operation, as most fast kernels do.
const fused = fast + "warps=2"

// TestAttentionInputs: right kernels are right at the sizes that a session draws, and on every class at those above. A
// kernel without a running maximum is refused on each class whose exponentials overflow, at a size of attention's own.
func TestAttentionInputs(t *testing.T) {
	pool, b := attentionOn(t, func(w wanted) (*caseSet, error) {
		s, err := newCases(w)
		if err != nil {
			return nil, err
		}
		return s.withClasses(attentionSizes, slices.Concat(w.ordinary(true), w.hard(), []string{device.Mixed}))
	})
	all, own := []int{}, map[string]int{} // the second by class
	for i, c := range pool.cases.cases {
		all = append(all, i)
		if maps.Equal(c.Dims, attentionSizes[0]) {
			own[c.Class] = i
		}
	}
	for name, genes := range map[string]string{"naive": "", "fused": fused,
		"lazy": fast + "block_q=64 block_kv=80 q=registers rescale=lazy exp_fma=1"} {
		job := attentionJob(t, pool, b, genes)
		if r := judgeOn(t, pool, &job, all); r.Outcome != kernels.Unknown {
			t.Errorf("%s is %v: %s", name, r.Outcome, r.Detail)
		}
	}
	for _, c := range []struct {
		name, genes  string
		right, wrong string
		refused      []string // input classes
	}{
		{"no maximum", "", "before = most[r], now = fmaxf(before, top)", "before = 0.f, now = 0.f",
			[]string{"wide", "shift", "outlier", device.Mixed}},
		{"no maximum, fused", fused, "now = fmaxf(most[i][half], top)", "now = 0.f",
			[]string{"wide", "shift", "outlier", device.Mixed}},
		{"that of the first keys", "", "now = fmaxf(before, top)", "now = before > LEAST ? before : top",
			[]string{"wide", "outlier", device.Mixed}},
		{"that of the first keys, fused", fused, "now = fmaxf(most[i][half], top)",
			"now = most[i][half] > LEAST ? most[i][half] : top", []string{"wide", "outlier", device.Mixed}},
	} {
		job := attentionJob(t, pool, b, c.genes)
		if !strings.Contains(job.Source, c.right) {
			t.Fatalf("%s: the source has no %q", c.name, c.right)
		}
		job.Source = strings.Replace(job.Source, c.right, c.wrong, 1)
		job.ID = kernels.NewID(job.Source, b.Families[0].PlanSpec, c.name)
		for _, class := range append(c.refused, "normal", "uniform") { // the last two show the classes' part in it
			want := kernels.Unknown
			if slices.Contains(c.refused, class) {
				want = kernels.Wrong
			}
			if r := judgeOn(t, pool, &job, []int{own[class]}); r.Outcome != want {
				t.Errorf("%s on inputs of class %s: %v (%s), expected %v", c.name, class, r.Outcome, r.Detail, want)
			}
		}
	}
}

// TestAttentionHuge: with lines of huge numbers a right kernel is refused, which is why the problem goes without them.
func TestAttentionHuge(t *testing.T) {
	pool, b := attentionOn(t, func(w wanted) (*caseSet, error) {
		if !slices.Contains(w.problem.Check.Without, "huge") {
			t.Error("attention has lines of huge numbers")
		}
		w.problem.Check.Without = nil
		return noCases(w).withClasses(attentionSizes, []string{device.Mixed})
	})
	job := attentionJob(t, pool, b, fused)
	r := judgeOn(t, pool, &job, []int{0, 1, 2, 3, 4})
	if r.Outcome != kernels.Wrong {
		t.Errorf("%v (%s): expected that the rounding of a score overflows an exponential", r.Outcome, r.Detail)
	}
	t.Log(r.Detail)
}
