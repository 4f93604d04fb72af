package llm

import (
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
)

func TestFindings(t *testing.T) {
	gene := []kernels.GeneChange{{Gene: "stages", From: "1", To: "3"}}
	gain := func(lo, ratio, hi float64) kernels.Gain { return kernels.Gain{Ratio: ratio, Lo: lo, Hi: hi} }
	got := Findings([]kernels.Insight{
		{Genes: gene, Outcome: kernels.OK, Gain: gain(0.99, 1.01, 1.02)},
		{Genes: append(slices.Clone(gene), kernels.GeneChange{Gene: "pad", From: "0", To: "8"}), Outcome: kernels.OK,
			Gain:   gain(1.1, 1.2, 1.3),
			Shapes: []kernels.Gain{{Workload: "small", Ratio: 1.1}, {Workload: "big", Ratio: 1.3}}},
		{Genes: gene, Outcome: kernels.Duplicate, Gain: gain(1, 1, 1)},
		{Outcome: kernels.OK, Gain: gain(2, 3, 4)},
		{Genes: gene, Outcome: kernels.TimedOut, Detail: "\x1b[0m"},
	})
	want := []string{
		"stages 1 -> 3: without it it did not finish in time",
		"all choices together: 3 times as fast with it as without (2 to 4)",
		"stages 1 -> 3 with pad 0 -> 8: 1.2 times as fast with it as without (1.1 to 1.3); at small 1.1; at big 1.3",
		"stages 1 -> 3: no difference that can be told",
		"stages 1 -> 3: the machine code is the same without",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if n := len(Findings(make([]kernels.Insight, 100))); n != mostFindings {
		t.Errorf("%d are told", n)
	}
	counted := Counted([]kernels.Counters{{Workload: "big", Values: map[string]float64{"b": 2, "a": 1.5}},
		{Workload: "none"}})
	if !slices.Equal(counted, []string{"big: a 1.5, b 2"}) {
		t.Errorf("counted %q", counted)
	}
}
