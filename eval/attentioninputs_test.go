package eval

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/templates"
)

// attentionLoad is what is scored here.
var attentionLoad = kernels.Dims{"b": 1, "h": 2, "s": 64, "d": 64, "causal": 0}

// attentionSizes are a small scored one, one of the check shapes, and some that sessions have drawn in which right
// kernels were refused while attention had lines of huge numbers.
var attentionSizes = []kernels.Dims{
	{"b": 1, "h": 2, "s": 128, "d": 64, "causal": 0},
	{"b": 1, "h": 1, "s": 63, "d": 64, "causal": 1},
	{"b": 2, "h": 4, "s": 3, "d": 64, "causal": 0},
	{"b": 1, "h": 2, "s": 12, "d": 64, "causal": 0},
	{"b": 2, "h": 4, "s": 40, "d": 64, "causal": 1},
}

// fused is a point that scales scores and subtracts their maximum in one operation, as most fast kernels do.
const fused = fast + "warps=2"

// TestAttentionInputs: right kernels are right at the sizes that a session draws, and on every class at those above. A
// kernel without a running maximum is refused on each class whose exponentials overflow, at a size of attention's own.
func TestAttentionInputs(t *testing.T) {
	sometimes(t)
	pool, b := openOn(t, "attention", kernels.BF16, attentionLoad, func(w cases.Wanted) (*cases.Set, error) {
		s, err := cases.New(w)
		if err != nil {
			return nil, err
		}
		return withClasses(s, attentionSizes, slices.Concat(w.Ordinary(true), w.Hard(), []string{device.Mixed}))
	})
	flash, hopper := b.Families[0], b.Families[1]
	for _, c := range []struct {
		f     *kernels.Family
		genes string
	}{{flash, ""}, {flash, fused}, {flash, fast + "block_q=64 block_kv=80 q=registers rescale=lazy exp_fma=1"},
		{hopper, ""}} {
		job := pointOfFamily(t, pool, b, c.f, c.genes)
		if r := judgeOn(t, pool, &job, everyCase(pool)); r.Outcome != kernels.Unknown {
			t.Errorf("%s %s is %v: %s", c.f.Name, c.genes, r.Outcome, r.Detail)
		}
	}
	refuseWithoutMaximum(t, pool, b)
}

// refuseWithoutMaximum: kernels whose exponentials overflow.
func refuseWithoutMaximum(t *testing.T, pool *Pool, b *templates.Bundle) {
	t.Helper()
	own, drawn := map[string]int{}, []int{} // the first by class
	for i, c := range pool.Cases.List {
		switch known := slices.ContainsFunc(attentionSizes, func(d kernels.Dims) bool { return maps.Equal(c.Dims, d) }); {
		case maps.Equal(c.Dims, attentionSizes[0]):
			own[c.Class] = i
		case c.Class == device.Mixed && !c.Trial && !known:
			drawn = append(drawn, i)
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
		job := pointOf(t, pool, b, c.genes)
		if !strings.Contains(job.Source, c.right) {
			t.Fatalf("%s: the source has no %q", c.name, c.right)
		}
		job.Source = strings.Replace(job.Source, c.right, c.wrong, 1)
		job.ID = kernels.NewID(job.Source, b.Families[0].PlanSpec, c.name)
		if r := judgeOn(t, pool, &job, drawn); strings.HasPrefix(c.name, "no maximum") && r.Outcome != kernels.Wrong {
			t.Errorf("%s at the sizes that are drawn for every candidate: %v", c.name, r.Outcome)
		}
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
	pool, b := openOn(t, "attention", kernels.BF16, attentionLoad, func(w cases.Wanted) (*cases.Set, error) {
		if !slices.Contains(w.Problem.Check.Without, "huge") {
			t.Error("attention has lines of huge numbers")
		}
		w.Problem.Check.Without = nil
		return withClasses(cases.Empty(w), attentionSizes, []string{device.Mixed})
	})
	job := pointOf(t, pool, b, fused)
	r := judgeOn(t, pool, &job, everyCase(pool))
	if r.Outcome != kernels.Wrong {
		t.Errorf("%v (%s): expected that the rounding of a score overflows an exponential", r.Outcome, r.Detail)
	}
}
