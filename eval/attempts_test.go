package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/eval/internal/cpu"
	"darwarp/kernels"
	"darwarp/templates"
)

// attempt is a point of a family, with a mistake put into its source or without one, and what the gate is to say of it.
type attempt struct {
	family, name string          // without a family it is one of the problem's first one
	genes        string          // what differs from the defaults, as in "mma=wmma warps=2"
	right, wrong string          // a part of the source, and the mistake in its place; without that part it stays as it is
	want         kernels.Outcome // for a point with a mistake
}

// refused stands for any outcome of a kernel that has run and is not right.
const refused = kernels.Unknown

// job renders the point. It is an error if the family no longer has a gene, a value or what the mistake replaces.
func (c *attempt) job(b *templates.Bundle, d kernels.DType) (kernels.Job, error) {
	f := b.Families[0]
	if c.family != "" {
		var err error
		if f, err = b.Family(c.family); err != nil {
			return kernels.Job{}, err
		}
	}
	job, err := jobOf(b, f, c.genes, cpu.Describe(), d)
	if err != nil {
		return job, err
	}
	if !strings.Contains(job.Source, c.right) {
		return job, fmt.Errorf("the source of %q has no %q", c.genes, c.right)
	}
	job.Source = strings.Replace(job.Source, c.right, c.wrong, 1)
	job.ID = kernels.NewID(job.Source, f.PlanSpec, c.name)
	return job, nil
}

// TestStaleAttempts: points and mistakes that a family does not have are told before any is drawn.
func TestStaleAttempts(t *testing.T) {
	b := builtin(t, "gemm")
	for name, c := range map[string]struct {
		attempt
		want string
	}{
		"family": {attempt{family: "hoper"}, "hoper"},
		"gene":   {attempt{family: "hopper", genes: "split_q=2"}, "split_q"},
		"value":  {attempt{family: "hopper", genes: "split_k=6"}, "split_k"},
		"rule":   {attempt{family: "hopper", genes: "split_k=2 split_cluster=4"}, "split_k=2 split_cluster=4"},
		"text":   {attempt{right: "no such text", want: kernels.Wrong}, `has no "no such text"`},
	} {
		if _, err := c.job(b, kernels.FP16); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
		}
	}
}

// judge sends the point through the gate.
func (c *attempt) judge(t *testing.T, pool *Pool, job *kernels.Job) {
	t.Helper()
	r, err := pool.Evaluate(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	want := []kernels.Outcome{c.want}
	switch {
	case c.right == "":
		want = []kernels.Outcome{kernels.OK}
	case c.want == refused:
		want = []kernels.Outcome{kernels.Wrong, kernels.Crashed, kernels.TimedOut, kernels.Suspect, kernels.Flaky}
	}
	if !slices.Contains(want, r.Outcome) {
		t.Errorf("%s: %v (%s), expected one of %v", c.genes, r.Outcome, r.Detail, want)
	}
}

// sampledRight is how many points without a mistake are judged where tests are sampled.
const sampledRight = 4

// rendered are the points as jobs. A test that is sampled asks for them before it is skipped, so that none is stale
// unnoticed.
func rendered(t *testing.T, b *templates.Bundle, d kernels.DType, attempts []attempt) []kernels.Job {
	t.Helper()
	jobs := make([]kernels.Job, len(attempts))
	for i := range attempts {
		var err error
		if jobs[i], err = attempts[i].job(b, d); err != nil {
			t.Fatalf("%s: %v", attempts[i].name, err)
		}
	}
	return jobs
}

// gateAttempts renders all points, every time, and sends them through the gate of the cpu device: where tests are
// sampled one time of four, and without some of the right ones.
func gateAttempts(t *testing.T, cfg Config, b *templates.Bundle, attempts []attempt) {
	t.Helper()
	jobs := rendered(t, b, cfg.DType, attempts)
	Sometimes(t)
	needCXX(t)
	judgeAttempts(t, openPool(t, cfg), attempts, jobs)
}

func judgeAttempts(t *testing.T, pool *Pool, attempts []attempt, jobs []kernels.Job) {
	t.Helper()
	right := 0
	for _, i := range rand.Perm(len(attempts)) {
		c := &attempts[i]
		if c.right == "" {
			if right++; Sampled() && right > sampledRight {
				continue
			}
		}
		t.Run(c.name, func(t *testing.T) { c.judge(t, pool, &jobs[i]) })
	}
}

// needCXX skips a test that emulates kernels where there is no compiler for them.
func needCXX(t *testing.T) {
	t.Helper()
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("NO KERNEL IS EMULATED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
}

// builtin is a built-in problem.
func builtin(t *testing.T, name string) *templates.Bundle {
	t.Helper()
	b, err := templates.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// emulated is the configuration of the cpu device for all workloads of a problem.
func emulated(b *templates.Bundle, d kernels.DType) Config {
	return Config{Kind: "cpu", Problem: b.Problem, Headers: templates.Include(), DType: d,
		Reference: b.ReferenceSource(d), Workloads: b.Problem.Workloads, Cache: "hot", Means: Means{CacheDir: testCache}}
}

// watched looks for races besides, for a problem whose check shapes and one workload are small.
func watched(b *templates.Bundle, d kernels.DType) Config {
	cfg := emulated(b, d)
	cfg.Races = true
	return cfg
}

// one is a list of a small workload.
func one(dims kernels.Dims) []kernels.Workload {
	return []kernels.Workload{{Name: "test", Dims: dims, Weight: 1}}
}

// jobOf is the default of a family with some genes set, as in "vector=8 keep=shared".
func jobOf(b *templates.Bundle, f *kernels.Family, genes string, dev kernels.Device,
	d kernels.DType) (kernels.Job, error) {
	g := f.Defaults()
	for _, kv := range strings.Fields(genes) {
		name, value, _ := strings.Cut(kv, "=")
		g[name] = kernels.ParseValue(value)
	}
	if err := f.Check(g, dev, d); err != nil {
		return kernels.Job{}, fmt.Errorf("%s: %w", genes, err)
	}
	return b.Job(f, g, dev, d)
}

// pointOf is a point of a problem's first family.
func pointOf(t *testing.T, pool *Pool, b *templates.Bundle, genes string) kernels.Job {
	t.Helper()
	job, err := jobOf(b, b.Families[0], genes, pool.Device(), pool.Cfg.DType)
	if err != nil {
		t.Fatal(err)
	}
	return job
}
