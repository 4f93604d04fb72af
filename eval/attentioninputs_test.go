package eval

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
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
	const late = fast + "block_q=64 block_kv=80 q=registers rescale=lazy exp_fma=1"
	right := []attempt{{name: "naive"}, {name: "fused", genes: fused}, {name: "late", genes: late},
		{family: "hopper", name: "hopper"}}
	b := builtin(t, "attention")
	rightJobs, wrongJobs := rendered(t, b, kernels.BF16, right), rendered(t, b, kernels.BF16, withoutMaximum)
	Sometimes(t)
	pool, _ := openOn(t, "attention", kernels.BF16, attentionLoad, func(w cases.Wanted) (*cases.Set, error) {
		s, err := cases.New(w)
		if err != nil {
			return nil, err
		}
		return withClasses(s, attentionSizes, slices.Concat(w.Ordinary(true), w.Hard(), []string{device.Mixed}))
	})
	for i, job := range rightJobs {
		if r := judgeOn(t, pool, &job, everyCase(pool)); r.Outcome != kernels.Unknown {
			t.Errorf("%s is %v: %s", right[i].name, r.Outcome, r.Detail)
		}
	}
	refuseWithoutMaximum(t, pool, wrongJobs)
}

// withoutMaximum are kernels whose exponentials overflow.
var withoutMaximum = []attempt{
	{"", "no maximum", "", "before = most[r], now = fmaxf(before, top)", "before = 0.f, now = 0.f", kernels.Wrong},
	{"", "no maximum, fused", fused, "now = fmaxf(most[i][half], top)", "now = 0.f", kernels.Wrong},
	{"", "that of the first keys", "", "now = fmaxf(before, top)", "now = before > LEAST ? before : top", kernels.Wrong},
	{"", "that of the first keys, fused", fused, "now = fmaxf(most[i][half], top)",
		"now = most[i][half] > LEAST ? most[i][half] : top", kernels.Wrong},
}

// refuseWithoutMaximum judges them on classes that overflow them, and on two that show the classes' part in it.
func refuseWithoutMaximum(t *testing.T, pool *Pool, jobs []kernels.Job) {
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
	for i, job := range jobs {
		name := withoutMaximum[i].name
		none := strings.HasPrefix(name, "no maximum")
		if r := judgeOn(t, pool, &job, drawn); none && r.Outcome != kernels.Wrong {
			t.Errorf("%s at the sizes that are drawn for every candidate: %v", name, r.Outcome)
		}
		refused := []string{"wide", "outlier", device.Mixed}
		if none {
			refused = append(refused, "shift")
		}
		for _, class := range append(refused, "normal", "uniform") {
			want := kernels.Unknown
			if slices.Contains(refused, class) {
				want = kernels.Wrong
			}
			if r := judgeOn(t, pool, &job, []int{own[class]}); r.Outcome != want {
				t.Errorf("%s on inputs of class %s: %v (%s), expected %v", name, class, r.Outcome, r.Detail, want)
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
