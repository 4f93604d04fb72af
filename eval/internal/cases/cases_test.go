package cases

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
	"darwarp/templates"
)

func parseCases(t *testing.T, text string, e Effort) (*kernels.Problem, *Set) {
	t.Helper()
	p, err := kernels.ParseProblem("problem.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Wanted{Problem: p, DType: p.DTypes[0], Workloads: p.Workloads, Effort: e,
		RNG: rand.New(rand.NewPCG(1, 2))})
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// TestCasesOfWorkloads: a bank with new inputs in every set, of which candidates are gated on two, and all other
// classes on trial.
func TestCasesOfWorkloads(t *testing.T) {
	_, s := parseCases(t, kernelstest.Product, Effort{shape: 1e9, classes: 1e9, drawn: 1e6, bank: 1e9, trial: 1e9,
		whole: 1e9, memory: 1 << 30, long: 1 << 16})
	for _, w := range []string{"64", "128"} {
		bank, seeds := s.Banks[w], map[uint64]bool{}
		if len(bank) != bankSize || len(s.Seeds(w)) != seedsPerWorkload {
			t.Fatalf("%s: a bank of %d, %d for every candidate", w, len(bank), len(s.Seeds(w)))
		}
		for n, i := range bank {
			c := &s.List[i]
			if c.Class != "normal" || c.Workload != w || c.Trial != (n >= seedsPerWorkload) {
				t.Errorf("%s: set %d is %+v", w, n, c)
			}
			seeds[c.Seed] = true
		}
		if len(seeds) != bankSize {
			t.Errorf("%s: %d different seeds", w, len(seeds))
		}
		found, beside := map[string]bool{}, map[string]bool{}
		for _, i := range s.Trials[w] {
			if c := &s.List[i]; c.Hard > 0 && c.Class == kernels.Special {
				beside[strings.Join(c.Beside, " ")] = true
			}
			if c := &s.List[i]; !c.Trial || c.Workload != w && !device.ByLine(c.Class) {
				t.Errorf("%s: %+v", w, c)
			}
			found[s.List[i].Class] = true
		}
		if !beside["zeros"] || !beside["normal"] || !beside["normal zeros"] {
			t.Errorf("%s: beside inf and NaN in the second input the first has lines of %v", w, beside)
		}
		for _, class := range []string{"exact", "uniform", "wide", "constant", "zeros", "needles", "single", "special",
			"mixed"} {
			if !found[class] {
				t.Errorf("%s: no trial on %s", w, class)
			}
		}
	}
	for _, i := range s.Gated() {
		if s.List[i].Trial {
			t.Errorf("case %d is for trials and run for every candidate", i)
		}
	}
}

// TestCasesProved: a bank is of the class that tells what is missing, and what does not suit the accumulator is no
// trial.
func TestCasesProved(t *testing.T) {
	p, err := kernels.ParseProblem("problem.toml", []byte(kernelstest.Product))
	if err != nil {
		t.Fatal(err)
	}
	e := Effort{shape: 1e9, classes: 1e9, drawn: 1e6, bank: 1e9, trial: 1e9, whole: 1e9, memory: 1 << 30, long: 1 << 16,
		narrow: true}
	powers := map[string]Power{"128": {Bank: "needles", Unfit: []string{"normal", "wide"}}}
	s, err := New(Wanted{p, kernels.FP16, p.Workloads, e, powers, device.SecretNumbers(), nil})
	if err != nil {
		t.Fatal(err)
	}
	classes := func(list []int) (out []string) {
		for _, i := range list {
			out = append(out, s.List[i].Class)
		}
		return out
	}
	if got := classes(s.Banks["128"]); got[0] != "needles" || slices.Contains(got, "normal") {
		t.Errorf("a bank of %v", got)
	}
	got := classes(s.Trials["128"])
	for class, want := range map[string]bool{"normal": false, "wide": false, "huge": false, "uniform": true,
		"zeros": true} {
		if slices.Contains(got, class) != want {
			t.Errorf("trials on %v: %s is there: %v", got, class, !want)
		}
	}
	powers = map[string]Power{"128": {Bank: "uniform", Tails: true}}
	if s, err = New(Wanted{p, kernels.FP16, p.Workloads, e, powers, device.SecretNumbers(), nil}); err != nil {
		t.Fatal(err)
	}
	needles := func(c device.Case) bool { return c.Workload == "128" && c.Class == kernels.Needles && !c.Trial }
	if !slices.ContainsFunc(s.List, needles) || slices.Contains(classes(s.Seeds("128")), kernels.Needles) ||
		slices.Contains(classes(s.Trials["128"]), kernels.Needles) {
		t.Error("a forgotten tail would be seen: expected needles among the gated cases, not timed and not tried again")
	}
	if got := classes(s.Banks["64"]); got[0] != "normal" {
		t.Errorf("a bank of %v where nothing is known", got)
	}
}

// TestCasesBounded: where arithmetic or memory is dear the two sets that every candidate needs remain, and no trial
// classes.
func TestCasesBounded(t *testing.T) {
	for name, e := range map[string]Effort{
		"arithmetic": {shape: 1e3, classes: 1e3, bank: 1e3, memory: 1 << 30, long: 1 << 16},
		"memory":     {shape: 1e9, classes: 1e9, bank: 1e9, trial: 1e9, whole: 1e9, memory: 1},
	} {
		_, s := parseCases(t, kernelstest.Product, e)
		if n, m := len(s.Banks["128"]), len(s.Trials["128"]); n != seedsPerWorkload || m != 0 {
			t.Errorf("%s: a bank of %d, %d trial cases", name, n, m)
		}
	}
}

// TestNarrowOthers: where sums are kept in fp16, keys have no outliers: the product of two is more than fp16 holds, and
// right kernels were refused. Nor has the first input lines in order, of which such sums lose more than of others, nor
// lines of few terms among others: the cap of what such a sum may be off by goes by the length of the line.
func TestNarrowOthers(t *testing.T) {
	b, err := templates.Builtin("attention")
	if err != nil {
		t.Fatal(err)
	}
	for _, narrow := range []bool{false, true} {
		w := &Wanted{Problem: b.Problem, Effort: Effort{narrow: narrow}}
		if mix := w.mixed(); slices.Contains(mix[1], "outlier") == narrow || !slices.Contains(mix[0], "outlier") ||
			slices.Contains(mix[0], "ordered") == narrow || slices.Contains(mix[0], "onehot") == narrow {
			t.Errorf("narrow %v: %v", narrow, mix)
		}
	}
}
