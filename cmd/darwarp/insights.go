package main

import (
	"fmt"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// insights are what is known of a candidate's choices, of each the last that was found.
func (r *record) insights(id kernels.ID) ([]kernels.Insight, error) {
	all, err := r.Insights()
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	var out []kernels.Insight
	for _, i := range all {
		if i.Candidate != id {
			continue
		}
		key := changeText(i.Genes) + i.Cache
		if k, ok := at[key]; ok {
			out[k] = i
			continue
		}
		at[key] = len(out)
		out = append(out, i)
	}
	return out, nil
}

// showInsights lists what explain found out about a candidate.
func (a *app) showInsights(r *record, c kernels.Candidate) error {
	all, err := r.insights(c.ID)
	if err != nil || len(all) == 0 {
		return err
	}
	fmt.Fprintf(a.Out, "\nwhat each choice buys (darwarp explain; time without it over time with it)\n")
	t := insightTable(r.Meta().Objective, r.Meta().Workloads, all)
	t.Indent, t.Width = "  ", console.Width(a.Out)
	t.Write(a.Out)
	return nil
}

// changeText writes gene changes on one line: stages 1 -> 3, loader scalar -> cp_async.
func changeText(changes []kernels.GeneChange) string {
	out := make([]string, len(changes))
	for i, c := range changes {
		out[i] = report.Change(c).String()
	}
	return strings.Join(out, ", ")
}

// gainText is a factor with its interval.
func gainText(g kernels.Gain) string {
	if g.Ratio == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3fx [%.3f, %.3f]", g.Ratio, g.Lo, g.Hi)
}

// insightTable lists choices with what they buy by the objective, where that is not one shape, and at each
// shape.
func insightTable(o kernels.Objective, workloads []kernels.Workload, all []kernels.Insight) *report.Table {
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
		row := []any{choiceText(i)}
		if several {
			row = append(row, gainText(i.Gain))
		}
		for _, w := range workloads {
			row = append(row, gainText(gainAt(i, w.Name)))
		}
		if rs := i.Resources; compiled {
			row = append(row, report.Registers(rs), report.Smem(rs), report.Occupancy(rs), report.OrDash(wavesText("", i.Waves)))
		}
		t.Row(append(row, noteText(i))...)
	}
	return t
}

func gainAt(i kernels.Insight, workload string) kernels.Gain {
	for _, g := range i.Shapes {
		if g.Workload == workload {
			return g
		}
	}
	return kernels.Gain{}
}

// choiceText names what was taken back.
func choiceText(i kernels.Insight) string {
	if len(i.Genes) == 0 {
		return "everything"
	}
	return changeText(i.Genes)
}

// noteText says what is special: why there is no figure, what had to change too, how two choices interact.
func noteText(i kernels.Insight) string {
	var notes []string
	switch {
	case i.Outcome == kernels.Duplicate:
		notes = append(notes, "the same machine code without it")
	case i.Outcome != kernels.OK:
		notes = append(notes, fmt.Sprintf("without it: %s: %s", i.Outcome, report.FirstLine(i.Detail)))
	}
	if i.Alone > 0 {
		notes = append(notes, fmt.Sprintf("one by one %.3fx: %s", i.Alone, interaction(i)))
	}
	if len(i.Repaired) > 0 {
		notes = append(notes, "with "+changeText(i.Repaired)+", to be legal")
	}
	return strings.Join(notes, "; ")
}

// together is how far, as a share, what two choices buy together may be from what they buy one by one and
// still add up.
const together = 0.01

// interaction compares what choices buy together with what they buy one by one.
func interaction(i kernels.Insight) string {
	switch {
	case i.Gain.Lo > i.Alone*(1+together):
		return "each does part of the other's work" // without both more is lost than each alone loses
	case i.Gain.Hi < i.Alone*(1-together):
		return "they need each other"
	}
	return "they add up"
}
