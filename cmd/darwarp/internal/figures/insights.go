package figures

import (
	"fmt"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// ChangeText writes gene changes on one line: stages 1 -> 3, loader scalar -> cp_async.
func ChangeText(changes []kernels.GeneChange) string {
	out := make([]string, len(changes))
	for i, c := range changes {
		out[i] = report.Change(c).String()
	}
	return strings.Join(out, ", ")
}

// GainText is a factor with its interval.
func GainText(g kernels.Gain) string {
	if g.Ratio == 0 {
		return "-"
	}
	return report.Gain(g.Ratio, g.Lo, g.Hi)
}

// Insights lists choices with what they buy by the objective, where that is not one shape, and at each
// shape.
func Insights(o kernels.Objective, workloads []kernels.Workload, all []kernels.Insight) *report.Table {
	head, align := []string{"choice"}, "l"
	several := len(o.Deciding(workloads)) > 1
	if several {
		head, align = append(head, o.String()), align+"r"
	}
	for _, w := range workloads {
		head, align = append(head, w.Name), align+"r"
	}
	compiled := slices.ContainsFunc(all, func(i kernels.Insight) bool { return report.Registers(i.Resources) != "-" })
	if compiled {
		head, align = append(head, "regs", "smem", "occ", "waves"), align+"rrrr"
	}
	t := report.NewTable(align+"l", append(head, "")...)
	for _, i := range all {
		row := []any{ChoiceText(i)}
		if several {
			row = append(row, GainText(i.Gain))
		}
		for _, w := range workloads {
			row = append(row, GainText(GainAt(i, w.Name)))
		}
		if rs := i.Resources; compiled {
			row = append(row, report.Registers(rs), report.Smem(rs), report.Occupancy(rs), report.OrDash(WavesText("", i.Waves)))
		}
		t.Row(append(row, NoteText(i))...)
	}
	return t
}

// GainAt is what a choice gains at one workload.
func GainAt(i kernels.Insight, workload string) kernels.Gain {
	for _, g := range i.Shapes {
		if g.Workload == workload {
			return g
		}
	}
	return kernels.Gain{}
}

// ChoiceText names what was taken back.
func ChoiceText(i kernels.Insight) string {
	if len(i.Genes) == 0 {
		return "everything"
	}
	return ChangeText(i.Genes)
}

// NoteText says what is special: why there is no figure, what had to change too, how two choices interact.
func NoteText(i kernels.Insight) string {
	var notes []string
	switch {
	case i.Outcome == kernels.Duplicate:
		notes = append(notes, "the same machine code without it")
	case i.Outcome != kernels.OK:
		notes = append(notes, fmt.Sprintf("without it: %s: %s", i.Outcome, report.FirstLine(i.Detail)))
	}
	if i.Alone > 0 && i.Gain.Ratio > 0 {
		notes = append(notes, fmt.Sprintf("one by one %.3fx: %s", i.Alone, Interaction(i)))
	}
	if len(i.Repaired) > 0 {
		notes = append(notes, "with "+ChangeText(i.Repaired)+", to be legal")
	}
	return strings.Join(notes, "; ")
}

// together is how far, as a share, what two choices gain together may be from what they gain one by one and
// still add up.
const together = 0.01

// wide is how many times its lower bound the upper bound of a gain may be, and still tell whether choices add up.
const wide = 1.1

// Interaction compares what choices gain together with what they gain one by one.
func Interaction(i kernels.Insight) string {
	switch {
	case i.Gain.Lo > i.Alone*(1+together):
		return "each does part of the other's work" // without both more is lost than each alone loses
	case i.Gain.Hi < i.Alone*(1-together):
		return "they need each other"
	case i.Gain.Hi > i.Gain.Lo*wide:
		return "too noisy to tell whether they add up"
	}
	return "they add up"
}

// WavesText lists the waves of the workloads: 0.97/3.8.
func WavesText(before string, waves []float64) string {
	if !slices.ContainsFunc(waves, func(w float64) bool { return w > 0 }) {
		return ""
	}
	parts := make([]string, len(waves))
	for i, w := range waves {
		parts[i] = report.Waves(w)
	}
	return before + strings.Join(parts, "/")
}
