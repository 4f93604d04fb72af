package eval

import (
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// caseProblem has three dims of which each varies, and one that is the same everywhere.
const caseProblem = `name = "product"
dims = ["m", "n", "k"]
dtypes = ["fp16"]
flops = "2 * m * n * k"
bytes = "elem * (m * k + n * k + m * n)"
[[tensor]]
name = "A"
role = "in"
shape = ["m", "k"]
[[tensor]]
name = "B"
role = "in"
shape = ["n", "k"]
[[tensor]]
name = "C"
role = "out"
shape = ["m", "n"]
[[workload]]
name = "64"
dims = { m = 64, n = 64, k = 64 }
[[workload]]
name = "128"
dims = { m = 128, n = 128, k = 128 }
[check]
reduction = "k"
inputs = ["normal", "uniform", "wide"]
shapes = [{ m = 1, n = 1, k = 1 }, { m = 33, n = 9, k = 17 }]
[reference]
file = "reference.cu"
entry = "reference"
grid = ["m"]
block = ["n"]
`

func parseCases(t *testing.T, text string, e effort) (*kernels.Problem, *caseSet) {
	t.Helper()
	p, err := kernels.ParseProblem("problem.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := newCases(wanted{p, p.DTypes[0], p.Workloads, e, nil, rand.New(rand.NewPCG(1, 2))})
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// TestCasesOfWorkloads: a bank with new inputs in every set, of which candidates are gated on two, and all other
// classes on trial.
func TestCasesOfWorkloads(t *testing.T) {
	_, s := parseCases(t, caseProblem, effort{shape: 1e9, classes: 1e9, drawn: 1e6, bank: 1e9, trial: 1e9, memory: 1 << 30,
		long: 1 << 16})
	for _, w := range []string{"64", "128"} {
		bank, seeds := s.byLoad[w], map[uint64]bool{}
		if len(bank) != bankSize || len(s.seeds(w)) != seedsPerWorkload {
			t.Fatalf("%s: a bank of %d, %d for every candidate", w, len(bank), len(s.seeds(w)))
		}
		for n, i := range bank {
			c := &s.cases[i]
			if c.Class != "normal" || c.Workload != w || c.Trial != (n >= seedsPerWorkload) {
				t.Errorf("%s: set %d is %+v", w, n, c)
			}
			seeds[c.Seed] = true
		}
		if len(seeds) != bankSize {
			t.Errorf("%s: %d different seeds", w, len(seeds))
		}
		found := map[string]bool{}
		for _, i := range s.trials[w] {
			if c := &s.cases[i]; !c.Trial || c.Workload != w && c.Class != device.Mixed {
				t.Errorf("%s: %+v", w, c)
			}
			found[s.cases[i].Class] = true
		}
		for _, class := range []string{"exact", "uniform", "wide", "constant", "zeros", "needles", "special", "mixed"} {
			if !found[class] {
				t.Errorf("%s: no trial on %s", w, class)
			}
		}
	}
	for _, i := range s.gated() {
		if s.cases[i].Trial {
			t.Errorf("case %d is for trials and run for every candidate", i)
		}
	}
}

// TestCasesProved: a bank is of the class that tells what is missing, and what does not suit the accumulator is no
// trial.
func TestCasesProved(t *testing.T) {
	p, err := kernels.ParseProblem("problem.toml", []byte(caseProblem))
	if err != nil {
		t.Fatal(err)
	}
	e := effort{shape: 1e9, classes: 1e9, drawn: 1e6, bank: 1e9, trial: 1e9, memory: 1 << 30, long: 1 << 16, narrow: true}
	powers := map[string]power{"128": {bank: "needles", unfit: []string{"normal", "wide"}}}
	s, err := newCases(wanted{p, kernels.FP16, p.Workloads, e, powers, secret()})
	if err != nil {
		t.Fatal(err)
	}
	classes := func(list []int) (out []string) {
		for _, i := range list {
			out = append(out, s.cases[i].Class)
		}
		return out
	}
	if got := classes(s.byLoad["128"]); got[0] != "needles" || slices.Contains(got, "normal") {
		t.Errorf("a bank of %v", got)
	}
	got := classes(s.trials["128"])
	for class, want := range map[string]bool{"normal": false, "wide": false, "huge": false, "uniform": true,
		"zeros": true} {
		if slices.Contains(got, class) != want {
			t.Errorf("trials on %v: %s is there: %v", got, class, !want)
		}
	}
	powers = map[string]power{"128": {bank: "uniform", tails: true}}
	if s, err = newCases(wanted{p, kernels.FP16, p.Workloads, e, powers, secret()}); err != nil {
		t.Fatal(err)
	}
	needles := func(c device.Case) bool { return c.Workload == "128" && c.Class == kernels.Needles && !c.Trial }
	if !slices.ContainsFunc(s.cases, needles) || slices.Contains(classes(s.seeds("128")), kernels.Needles) ||
		slices.Contains(classes(s.trials["128"]), kernels.Needles) {
		t.Error("a forgotten tail would be seen: expected needles among the gated cases, not timed and not tried again")
	}
	if got := classes(s.byLoad["64"]); got[0] != "normal" {
		t.Errorf("a bank of %v where nothing is known", got)
	}
}

// TestCasesBounded: where arithmetic or memory is dear the two sets that every candidate needs remain, and no trial
// classes.
func TestCasesBounded(t *testing.T) {
	for name, e := range map[string]effort{
		"arithmetic": {shape: 1e3, classes: 1e3, bank: 1e3, memory: 1 << 30, long: 1 << 16},
		"memory":     {shape: 1e9, classes: 1e9, bank: 1e9, trial: 1e9, memory: 1},
	} {
		_, s := parseCases(t, caseProblem, e)
		if n, m := len(s.byLoad["128"]), len(s.trials["128"]); n != seedsPerWorkload || m != 0 {
			t.Errorf("%s: a bank of %d, %d trial cases", name, n, m)
		}
	}
}
