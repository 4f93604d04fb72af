package kernels

import (
	"math"
	"strings"
	"testing"
)

func TestObjective(t *testing.T) {
	workloads := []Workload{{Name: "a", Weight: 1}, {Name: "b", Weight: 3}}
	base := map[string]float64{"a": 100, "b": 100}
	times := []Timing{{Workload: "a", Median: 50}, {Workload: "b", Median: 200}}
	for o, want := range map[Objective]float64{"": math.Pow(2, 0.5), Geomean: math.Pow(2, 0.5), Worst: 2, "a": 0.5,
		"b": 2} {
		got, err := o.Score(times, base, workloads)
		if err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g, %v: expected %g", o, got, err, want)
		}
	}
	if got := Objective("b").Combine([]float64{1}, workloads[:1]); got != 1 {
		t.Errorf("without the workload that counts: %g, expected the mean of the others", got)
	}
	if err := Objective("c").Check(workloads); err == nil ||
		!strings.Contains(err.Error(), "expected geomean, worst, a, b") {
		t.Errorf("unknown objective: %v", err)
	}
	if _, err := Worst.Score(times[:1], base, workloads); err == nil {
		t.Error("a workload without a time has a score")
	}
}

func TestWaves(t *testing.T) {
	one := [3]int{1, 1, 1}
	call := Call{Launches: []Launch{{Entry: "small", Grid: one, Block: [3]int{32, 1, 1}},
		{Entry: "large", Grid: [3]int{10, 20, 2}, Block: [3]int{128, 2, 1}}}}
	resources := []Resources{{Entry: "small", BlocksPerSM: 16}, {Entry: "large", BlocksPerSM: 2}}
	if got := Waves(call, resources, 100); got != 2 {
		t.Errorf("%g waves, expected 400 blocks over 200", got)
	}
	if got := Waves(call, nil, 100); got != 0 {
		t.Errorf("%g waves of what is not known", got)
	}
}
