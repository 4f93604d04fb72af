package llm

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"darwarp/kernels"
)

const (
	mostFindings = 8   // choices that one prompt tells of
	maxFinding   = 300 // bytes of one
)

// Findings say what choices of a candidate buy, as `darwarp explain` measured them, the largest first: "stages 1 ->
// 3: 1.15 times as fast with it as without (1.08 to 1.24)".
func Findings(all []kernels.Insight) (out []string) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b kernels.Insight) int { return cmp.Compare(weight(b), weight(a)) })
	for _, i := range all[:min(mostFindings, len(all))] {
		out = append(out, Line(choices(i)+": "+bought(i), maxFinding))
	}
	return out
}

// weight is how much a finding says: what is broken without a choice, then the largest gain or loss.
func weight(i kernels.Insight) float64 {
	if !(i.Gain.Ratio > 0) {
		return math.Inf(1)
	}
	return math.Abs(math.Log(i.Gain.Ratio))
}

func choices(i kernels.Insight) string {
	if len(i.Genes) == 0 {
		return "all choices together"
	}
	var parts []string
	for _, c := range i.Genes {
		parts = append(parts, fmt.Sprintf("%s %s -> %s", c.Gene, c.From, c.To))
	}
	return strings.Join(parts, " with ")
}

func bought(i kernels.Insight) string {
	switch {
	case i.Outcome == kernels.Duplicate:
		return "the machine code is the same without"
	case i.Outcome != kernels.OK || !(i.Gain.Ratio > 0):
		return "without it " + told[i.Outcome]
	case !i.Gain.Clear():
		return "no difference that can be told"
	}
	text := fmt.Sprintf("%.3g times as fast with it as without (%.3g to %.3g)", i.Gain.Ratio, i.Gain.Lo, i.Gain.Hi)
	for _, g := range i.Shapes {
		if len(i.Shapes) > 1 {
			text += fmt.Sprintf("; at %s %.3g", g.Workload, g.Ratio)
		}
	}
	return text
}

// Counted are a profiler's figures in lines, by workload and metric.
func Counted(all []kernels.Counters) (out []string) {
	for _, c := range all {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(c.Values)) {
			parts = append(parts, fmt.Sprintf("%s %.3g", name, c.Values[name]))
		}
		if len(parts) > 0 {
			out = append(out, c.Workload+": "+strings.Join(parts, ", "))
		}
	}
	return out
}
