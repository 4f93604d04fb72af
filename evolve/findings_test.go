package evolve

import (
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/mutate/llm"
)

// TestFindingsAreTold: what explain found out about a candidate, and the profiler, is in the prompts of later sessions.
func TestFindingsAreTold(t *testing.T) {
	silent := func(int, string, llm.Brief, []kernels.Message) (string, error) { return "no", nil }
	m := &memory{}
	sum := mustRun(t, advised(t, &oracle{reply: silent}, 200), newFake(1, true), m)
	gene := []kernels.GeneChange{{Gene: "a", From: "1", To: "2"}}
	gain := kernels.Gain{Ratio: 1.5, Lo: 1.4, Hi: 1.6}
	m.insights = []kernels.Insight{
		// and again:
		{Candidate: sum.Champion, Genes: gene, Outcome: kernels.OK, Gain: kernels.Gain{Ratio: 9, Lo: 8, Hi: 10}},
		{Candidate: sum.Champion, Genes: gene, Outcome: kernels.OK, Gain: gain, Without: kernels.ID{1},
			Counters: []kernels.Counters{{Workload: "small", Values: map[string]float64{"dram": 7}}}},
		{Candidate: sum.Champion, Outcome: kernels.OK, Gain: gain,
			Counters: []kernels.Counters{{Workload: "small", Values: map[string]float64{"dram": 3}}}},
	}
	var own, others int
	o := &oracle{arms: []string{"llm:m:mutate", "llm:m:explain"},
		reply: func(_ int, operator string, b llm.Brief, _ []kernels.Message) (string, error) {
			if operator == llm.Repair { // which is told what was wrong and no more
				return "no", nil
			}
			if len(b.Findings) != 2 || !strings.HasPrefix(b.Findings[0], "a 1 -> 2: 1.5 times") {
				t.Errorf("findings %q", b.Findings)
			}
			if b.Base.ID == sum.Champion {
				own++
				if b.Explained != "" || !slices.Equal(b.Counters, []string{"small: dram 3"}) {
					t.Errorf("of the base: explained %q, counters %q", b.Explained, b.Counters)
				}
				return "no", nil
			}
			others++
			if b.Explained == "" || b.Counters != nil {
				t.Errorf("of another: explained %q, counters %q", b.Explained, b.Counters)
			}
			return "no", nil
		}}
	mustRun(t, advised(t, o, 320), newFake(1, true), m)
	if own == 0 || others == 0 {
		t.Errorf("%d prompts about the one that was explained, %d about others", own, others)
	}
}
